import { reportOfRun } from '../../lib/checks/reports/report.ts';
import type { StartRequest } from '../../lib/checks/start.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { version } from '../../package.json';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** A consumer that needs some time for each message. */
const slowConsumer = ({ pull, ack }: TestConnection, milliseconds: number) => {
  const taken: { readonly handle: string; readonly at: number }[] = [];
  return async function work(): Promise<void> {
    const pulled = await pull({ wait: 0, visibility: 60 });
    const at = bus.clock.now();
    if (pulled.outcome === 'pulled')
      taken.push(...pulled.messages.map(({ receiptHandle }) => ({ handle: receiptHandle, at })));
    const ready = taken.filter(one => at - one.at >= milliseconds);
    for (const one of ready) taken.splice(taken.indexOf(one), 1);
    if (ready.length > 0) await ack(ready.map(({ handle }) => handle));
  };
};

/** Runs some cases with a consumer of all types; the verdict of each, by its name. */
const verdicts = async (
  request: Omit<StartRequest, 'kind' | 'consumer'>,
  workOf: (consumer: TestConnection) => () => Promise<void>,
) => {
  const consumer = await bus.connect('consumer', { receives: ['*'] });
  const id = await bus.begin({ kind: 'consumer', consumer: consumer.id, ...request });
  const { cases } = await bus.finish(id, { work: workOf(consumer) });
  return Object.fromEntries(cases.map(({ case_id, verdict }) => [case_id, verdict]));
};

const atTheEnd = ['delivery/in-time', 'delivery/nothing-left'];

test('what is acknowledged after the limit and before it is visible again is late, and not left behind', async () => {
  const cases = ['messages/story.context', ...atTheEnd];
  expect(
    await verdicts({ cases, limitSeconds: 5 }, consumer => slowConsumer(consumer, 8_000)),
  ).toEqual({
    'messages/story.context': 'failed',
    'delivery/in-time': 'passed',
    'delivery/nothing-left': 'passed',
  });
});

test('of a consumer from which nothing is seen, no case fails', async () => {
  const cases = ['messages/story.context', 'delivery/duplicate', ...atTheEnd];
  // It takes its messages with a cloud role's own SQS client.
  const found = await verdicts({ cases, limitSeconds: 5 }, () => async () => undefined);
  expect(Object.keys(found)).toEqual(expect.arrayContaining(cases));
  expect(new Set(Object.values(found))).toEqual(new Set(['not run']));
});

test('a crash that the run cannot wait for is not run, and its message not left behind', async () => {
  const cases = ['delivery/crash', 'delivery/nothing-left'];
  const found = await verdicts({ cases }, consumer => async () => {
    // It dies with its message, which is hidden for hours.
    await consumer.pull({ wait: 0, visibility: 43_200 });
  });
  expect(found).toEqual({ 'delivery/crash': 'not run', 'delivery/nothing-left': 'passed' });
});

test('a report says so if another version of the bus judges than the one that played', async () => {
  const consumer = await bus.connect('consumer', { receives: ['*'] });
  const id = await bus.begin({
    kind: 'consumer',
    consumer: consumer.id,
    cases: ['delivery/in-time'],
  });
  const { notes } = await bus.finish(id, { work: async () => undefined });
  const run = await bus.ports.checkRuns.find(id);
  const older = run && reportOfRun({ ...run, busVersion: '0.0.1' }, []);
  expect(notes).toEqual([]);
  expect(older?.notes).toEqual([
    `Judged again from its record by som-bus ${version}: the run was played by som-bus 0.0.1, whose cases may differ.`,
  ]);
  expect(older?.versions.bus).toBe('0.0.1');
});
