import { failing, modulesWith, type Patch } from './planted/plant.ts';
import { producerFaults, producerVariants } from './planted/producer-faults.ts';
import { type ProducerModules, producerFiles, producerJudgedOnPaper } from './planted/producer-on-paper.ts';

const verdicts = async (patch?: Patch) =>
  producerJudgedOnPaper(await modulesWith<ProducerModules>(producerFiles, patch));

test('the reference producer passes every case', async () => {
  const cases = await verdicts();
  expect(cases.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(cases).toHaveLength(18);
  expect(producerFaults.length).toBeGreaterThanOrEqual(15);
});

test.each(producerFaults.map(fault => [fault.fault, fault] as const))(
  'the cases find: %s',
  async (_title, fault) => {
    const cases = await verdicts(fault);
    const failed = cases.filter(({ verdict }) => verdict === 'failed').map(({ case_id }) => case_id);
    expect(failed.sort()).toEqual(failing(fault, []));
  },
);

test.each(producerVariants.map(variant => [variant.variant, variant] as const))(
  'no case fails a producer of which holds: %s',
  async (_title, variant) => {
    const cases = await verdicts(variant);
    expect(cases.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  },
);
