import type { CaseReport } from '../../lib/contract/portal/checks.ts';
import { checkedBusHere } from '../checks/checked-bus.ts';
import { checksOnBus } from '../checks/planted/on-bus.ts';
import { failing, modulesWith, planted } from '../checks/planted/plant.ts';
import {
  type ProducerModules,
  producerCheckedOnBus,
  producerFiles,
  rotated,
} from '../checks/planted/producer-on-bus.ts';

// The campaigns play all cases at once, and show which others fail.

const bus = checkedBusHere();
const checks = checksOnBus(bus);
const { producer, consumer, executor } = checks;

const notPassed = (cases: readonly CaseReport[]) =>
  cases.filter(({ verdict }) => verdict !== 'passed').map(({ case_id }) => case_id);

test('a good producer passes all cases, and its report says how much of SOM it has used', async () => {
  const report = await producerCheckedOnBus(bus, await modulesWith<ProducerModules>(producerFiles));
  expect(notPassed(report.cases)).toEqual([]);
  expect(report).toMatchObject({ passed: true, totals: { passed: 34 } });
  expect(report.coverage?.rows).toContainEqual(
    expect.objectContaining({
      message_type: 'story.context',
      member: 'assets[].status',
      seen: true,
    }),
  );
  expect(notPassed(await producer(undefined, [rotated]))).toEqual([]);
});

test('the reference executor passes every case that can be run, and each has a basis', async () => {
  const cases = await executor();
  expect(
    cases.filter(({ verdict }) => !['passed', 'not applicable', 'pending spec'].includes(verdict)),
  ).toEqual([]);
  expect(cases.filter(({ verdict }) => verdict === 'passed')).toHaveLength(94);
  expect(cases.filter(({ basis }) => basis === undefined)).toEqual([]);
});

test('a good consumer passes all cases but those about types that it does not receive', async () => {
  expect(notPassed(await consumer())).toEqual([
    'subscriptions/no-system.audit',
    'subscriptions/no-telling.exposed',
  ]);
});

const faults = (['executor', 'producer', 'consumer'] as const).flatMap(kind =>
  planted[kind].map(fault => [fault.fault, fault, checks[kind]] as const),
);
/** All take minutes: otherwise every fourth is played. `npm run planted` plays them all. */
const isEvery = process.env['SOMBUS_EVERY_FAULT'] === '1';
const played = isEvery ? faults : faults.filter((_fault, at) => at % 4 === 0);

test.each(played)('the cases find: %s', async (_title, fault, check) => {
  // What takes too long, or is the same each time, is seen only beside others.
  const needsOthers =
    fault.onBus?.mayDiffer === 'all others' || typeof fault.also?.cases === 'string';
  const cases = await check(
    fault,
    needsOthers ? failing(fault, ['raise-flag-on-match/redelivered']) : [fault.meant],
  );
  expect(cases).toContainEqual(
    expect.objectContaining({ case_id: fault.meant, verdict: 'failed' }),
  );
});

test.each([
  ...planted.variants.producer.map(one => [one.variant, one, producer] as const),
  ...planted.variants.consumer.map(one => [one.variant, one, consumer] as const),
])('no case fails if %s', async (_title, variant, check) => {
  expect(await check(variant, [variant.meant])).toMatchObject([{ verdict: 'passed' }]);
});
