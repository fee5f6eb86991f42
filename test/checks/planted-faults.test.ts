import { executorPlan } from '../../lib/checks/executor-plan.ts';
import type { CaseReport } from '../../lib/contract/checks.ts';
import { consumerFaults } from './planted/consumer-faults.ts';
import { consumerFiles, consumerJudgedOnPaper } from './planted/consumer-on-paper.ts';
import { executorFaults } from './planted/executor-faults.ts';
import { executorFiles, judgedOnPaper } from './planted/executor-on-paper.ts';
import { failing, modulesWith, type Patch } from './planted/plant.ts';
import { producerFaults, producerVariants } from './planted/producer-faults.ts';
import { producerFiles, producerJudgedOnPaper } from './planted/producer-on-paper.ts';

/** The verdicts on some modules with a fault in one of them, without a bus. */
const judged =
  <Modules>(judge: (modules: Modules) => Promise<readonly CaseReport[]>, files: readonly string[]) =>
  async (patch?: Patch) =>
    judge(await modulesWith<Modules>(files, patch));
const executor = judged(judgedOnPaper, executorFiles);
const producer = judged(producerJudgedOnPaper, producerFiles);
const consumer = judged(consumerJudgedOnPaper, consumerFiles);

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

test('the reference producer passes every case', async () => {
  const cases = await producer();
  expect(idsOf(cases, 'passed')).toHaveLength(18);
  expect(cases).toHaveLength(18);
});

test('the reference consumer passes every case but those about types that it does not receive', async () => {
  const notRun = (await consumer()).filter(({ verdict }) => verdict !== 'passed');
  expect(notRun.map(({ case_id }) => case_id)).toEqual([
    'subscriptions/no-system.audit',
    'subscriptions/no-telling.exposed',
  ]);
});

test('each planted fault has one case that is meant for it, and a reason for all others', () => {
  expect(executorFaults.length).toBeGreaterThanOrEqual(25);
  expect(producerFaults.length).toBeGreaterThanOrEqual(15);
  expect(consumerFaults.length).toBeGreaterThanOrEqual(15);
  const known = new Set(plan.map(({ id }) => id));
  expect(executorFaults.flatMap(fault => failing(fault, answered)).filter(id => !known.has(id))).toEqual([]);
});

test.each([
  ...executorFaults.map(fault => [fault.fault, fault, executor, answered] as const),
  ...producerFaults.map(fault => [fault.fault, fault, producer, []] as const),
  ...consumerFaults.map(fault => [fault.fault, fault, consumer, []] as const),
])('the cases find: %s', async (_title, fault, verdicts, responding) => {
  expect(idsOf(await verdicts(fault), 'failed').sort()).toEqual(failing(fault, responding));
});

test.each(producerVariants.map(variant => [variant.variant, variant] as const))(
  'no case fails a producer of which holds: %s',
  async (_title, variant) => {
    const cases = await producer(variant);
    expect(idsOf(cases, 'passed')).toHaveLength(cases.length);
  },
);
