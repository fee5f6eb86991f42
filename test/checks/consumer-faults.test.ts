import { consumerFaults } from './planted/consumer-faults.ts';
import { type ConsumerModules, consumerFiles, consumerJudgedOnPaper } from './planted/consumer-on-paper.ts';
import { failing, modulesWith, type Patch } from './planted/plant.ts';

const verdicts = async (patch?: Patch) =>
  consumerJudgedOnPaper(await modulesWith<ConsumerModules>(consumerFiles, patch));

test('the reference consumer passes every case but those about types that it does not receive', async () => {
  const cases = await verdicts();
  const notRun = cases.filter(({ verdict }) => verdict !== 'passed').map(({ case_id }) => case_id);
  expect(notRun).toEqual(['subscriptions/no-system.audit', 'subscriptions/no-telling.exposed']);
  expect(consumerFaults.length).toBeGreaterThanOrEqual(15);
});

test.each(consumerFaults.map(fault => [fault.fault, fault] as const))(
  'the cases find: %s',
  async (_title, fault) => {
    const cases = await verdicts(fault);
    const failed = cases.filter(({ verdict }) => verdict === 'failed').map(({ case_id }) => case_id);
    expect(failed.sort()).toEqual(failing(fault, []));
  },
);
