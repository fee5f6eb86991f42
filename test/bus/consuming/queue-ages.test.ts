import { CloudWatchClient, type GetMetricDataCommandInput } from '@aws-sdk/client-cloudwatch';
import { awsQueueAges } from '../../../lib/bus/consuming/queue-ages.cloudwatch.ts';
import {
  type QueueAgePorts,
  unguardedOf,
  type Watched,
  watchQueueAges,
} from '../../../lib/bus/consuming/queue-ages.ts';
import { answering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const day = 86_400;
const consumerOf = (name: string) => ({
  connection: `c-${name}`,
  workspace: 'w1',
  queue: `${name}.fifo`,
});

const facts = { depth: 1, changed: [] as readonly string[], names: ['fast', 'slow', 'gone'] };

/**
 * The organisations that a run looks at until its time is over, and how many pages of them it asks
 * for.
 */
const organisationsSeen = async (organisations: readonly string[], at: number, max = Infinity) => {
  const seen: string[] = [];
  let pages = 0;
  const ports: QueueAgePorts = {
    clock: { ...frozenClock(), now: () => (seen.length < max ? at : at + 1) },
    consumers: {
      async organisations(after = '') {
        pages += 1;
        const entries = organisations.filter(id => id > after).slice(0, 10);
        const next = entries.length === 10 ? entries.at(-1) : undefined;
        return { entries, ...(next === undefined ? {} : { next }) };
      },
      async *of(organisation) {
        seen.push(organisation);
        yield* [];
      },
    },
    principals: { list: async () => [] },
    guardedQueues: { look: async () => undefined },
    queueAges: { oldest: async () => new Map() },
    ageReport: { report: () => undefined },
  };
  await watchQueueAges(ports)(at + 1);
  return { seen, pages };
};

test('organisations are read in pages, all of them once, each minute from another one on, until the time is over', async () => {
  const letters = [...'234567abcdefghijklmnopqrstuvwxyz'];
  const all = letters.flatMap(letter => ['a', 'b'].map(last => `o${letter}${last}`));
  const runs = await Promise.all(
    [1, 2, 3, 4].map(minute => organisationsSeen(all, minute * 60_000)),
  );
  for (const { seen } of runs) expect([...seen].sort()).toEqual(all);
  expect(new Set(runs.map(({ seen }) => seen[0])).size).toBeGreaterThan(1);
  expect(await organisationsSeen(all, 0, 1)).toMatchObject({
    seen: [expect.any(String)],
    pages: 1,
  });
});

const watch = async (ages: Readonly<Record<string, number>>, told: Partial<typeof facts> = {}) => {
  const { depth, changed, names } = { ...facts, ...told };
  const reports: Watched[] = [];
  const asked: string[] = [];
  const clock = frozenClock();
  const ports: QueueAgePorts = {
    clock,
    consumers: {
      organisations: async () => ({ entries: ['o1'] }),
      async *of() {
        yield names.map(consumerOf);
        clock.sleep(60_000);
        yield [consumerOf('too-late')];
      },
    },
    principals: { list: async () => [] },
    guardedQueues: {
      async look(queue) {
        asked.push(queue);
        const isGuarded = !changed.includes(queue);
        return queue === 'gone.fifo' ? undefined : { holdsMessages: depth > 0, isGuarded };
      },
    },
    queueAges: {
      async oldest(queues) {
        // A call to the queue wakes its metrics, so it comes first.
        expect(asked.slice(0, queues.length)).toEqual(queues);
        return new Map(Object.entries(ages).filter(([queue]) => queues.includes(queue)));
      },
    },
    ageReport: { report: watched => void reports.push(watched) },
  };
  await watchQueueAges(ports)(clock.now() + 18_000);
  return reports;
};

const calm = { oldestSeconds: 0, old: [], unknown: [], unguarded: [] };

describe('the age of what consumers have not acknowledged', () => {
  test('is that of the oldest message; consumers that wait for a week are named', async () => {
    expect(
      await watch({ 'fast.fifo': 30, 'slow.fifo': 7 * day - 1, 'gone.fifo': 7 * day }),
    ).toEqual([
      { ...calm, oldestSeconds: 7 * day, old: [{ ...consumerOf('gone'), seconds: 7 * day }] },
    ]);
  });

  test('is 0 when every queue is empty', async () => {
    expect(await watch({}, { depth: 0 })).toEqual([calm]);
  });

  test('is unknown for a queue that holds messages while CloudWatch knows nothing of it: its consumer is named', async () => {
    expect(await watch({ 'slow.fifo': 60 })).toEqual([
      { ...calm, oldestSeconds: 60, unknown: [consumerOf('fast')] },
    ]);
  });

  test('is measured as long as the run has time: the next run begins elsewhere', async () => {
    expect(await watch({ 'too-late.fifo': 9 * day }, { depth: 0, names: [] })).toEqual([calm]);
  });
});

test('a queue whose policy was changed names its consumer', async () => {
  expect(await watch({}, { depth: 0, changed: ['slow.fifo'] })).toEqual([
    { ...calm, unguarded: [consumerOf('slow')] },
  ]);
});

test('a queue whose policy changes while it is looked at is looked at again: only what stays is told', async () => {
  const looks = new Map<string, number>();
  const look = async (queue: string) => {
    const count = (looks.get(queue) ?? 0) + 1;
    looks.set(queue, count);
    const isGone = queue === 'gone.fifo' && count > 1;
    return isGone
      ? undefined
      : { holdsMessages: false, isGuarded: queue === 'fast.fifo' && count > 1 };
  };
  const ports = { guardedQueues: { look }, principals: { list: async () => [] } };
  const consumers = ['fast', 'slow', 'gone'].map(consumerOf);
  expect(await unguardedOf(ports, consumers)).toEqual([consumerOf('slow')]);
  expect([...looks.values()]).toEqual([2, 2, 2]);
});

test('CloudWatch is asked for 500 queues at a time, and its latest value counts', async () => {
  const asked: GetMetricDataCommandInput[] = [];
  const client = answering(CloudWatchClient, ({ input }) => {
    const call = input as GetMetricDataCommandInput;
    asked.push(call);
    const MetricDataResults = (call.MetricDataQueries ?? []).map(({ Id }, index) => ({
      Id,
      Values: index === 0 ? [900, 600] : index === 1 ? [0] : [],
    }));
    return { MetricDataResults };
  });
  const queues = Array.from({ length: 501 }, (_, index) => `q-${index}.fifo`);
  expect(await awsQueueAges(client, frozenClock()).oldest(queues)).toEqual(
    new Map([
      ['q-0.fifo', 900],
      ['q-500.fifo', 900],
    ]),
  );
  expect(asked.map(({ MetricDataQueries }) => MetricDataQueries?.length)).toEqual([500, 1]);
  expect(asked[1]?.MetricDataQueries?.[0]?.MetricStat).toMatchObject({
    Metric: { Dimensions: [{ Name: 'QueueName', Value: 'q-500.fifo' }] },
    Stat: 'Maximum',
  });
});
