import { executorPlan } from '../../lib/checks/executor-plan.ts';
import type { CaseReport } from '../../lib/contract/checks.ts';
import { executorFaults } from './planted/executor-faults.ts';
import { type ExecutorModules, executorFiles, judgedOnPaper } from './planted/executor-on-paper.ts';
import { failing, modulesWith, type Patch } from './planted/plant.ts';

/** The verdicts on the executor with a fault, without a bus. */
const executor = async (patch?: Patch) =>
  judgedOnPaper(await modulesWith<ExecutorModules>(executorFiles, patch));

const idsOf = (cases: readonly CaseReport[], ...verdicts: readonly CaseReport['verdict'][]) =>
  cases.filter(({ verdict }) => verdicts.includes(verdict)).map(({ case_id }) => case_id);

const { cases: plan } = executorPlan({ bindsFirstSeen: true });
const answered = plan
  .filter(({ steps }) => steps.some(({ expects }) => expects.warnings.length > 0))
  .map(({ id }) => id);

test('the reference executor passes every case that can be run, and each has a basis', async () => {
  const cases = await executor();
  expect(idsOf(cases, 'passed')).toHaveLength(90);
  expect(idsOf(cases, 'passed', 'pending spec')).toHaveLength(cases.length);
  expect(cases.filter(({ basis }) => basis === undefined)).toEqual([]);
});

test.each(executorFaults.map(fault => [fault.fault, fault] as const))(
  'the cases find: %s',
  async (_title, fault) => {
    expect(idsOf(await executor(fault), 'failed').sort()).toEqual(failing(fault, answered));
  },
);
