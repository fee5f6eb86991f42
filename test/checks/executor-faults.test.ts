import { executorPlan } from '../../lib/checks/executor-plan.ts';
import { executorFaults } from './planted/executor-faults.ts';
import { type ExecutorModules, executorFiles, judgedOnPaper } from './planted/executor-on-paper.ts';
import { failing, modulesWith, type Patch } from './planted/plant.ts';

const verdicts = async (patch?: Patch) =>
  judgedOnPaper(await modulesWith<ExecutorModules>(executorFiles, patch));

const answered = executorPlan({ bindsFirstSeen: true })
  .cases.filter(({ steps }) => steps.some(({ expects }) => expects.warnings.length > 0))
  .map(({ id }) => id);

test('the reference executor passes every case that can be run', async () => {
  const cases = await verdicts();
  expect(cases.filter(({ verdict }) => !['passed', 'pending spec'].includes(verdict))).toEqual([]);
  expect(cases.filter(({ verdict }) => verdict === 'passed')).toHaveLength(90);
});

test('every case has a basis, pending ones included', async () => {
  expect((await verdicts()).filter(({ basis }) => basis === undefined)).toEqual([]);
});

test('each planted fault has one case that is meant for it, and a reason for all others', () => {
  expect(executorFaults.length).toBeGreaterThanOrEqual(25);
  const known = new Set(executorPlan({ bindsFirstSeen: true }).cases.map(({ id }) => id));
  expect(executorFaults.flatMap(fault => failing(fault, answered)).filter(id => !known.has(id))).toEqual([]);
});

test.each(executorFaults.map(fault => [fault.fault, fault] as const))(
  'the cases find: %s',
  async (_title, fault) => {
    const cases = await verdicts(fault);
    const failed = cases.filter(({ verdict }) => verdict === 'failed').map(({ case_id }) => case_id);
    expect(failed.sort()).toEqual(failing(fault, answered));
  },
);
