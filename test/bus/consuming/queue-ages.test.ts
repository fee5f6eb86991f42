import type { Principal } from '../../../lib/access/trust/principals.ts';
import {
  type QueueAgePorts,
  unguardedOf,
  type Watched,
  watchQueueAges,
} from '../../../lib/bus/consuming/queue-ages.ts';
import { eventually } from '../../support/eventually.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const day = 86_400;
const consumerOf = (name: string) => ({
  connection: `c-${name}`,
  workspace: 'w1',
  queue: `${name}.fifo`,
});

const facts = { depth: 1, changed: [] as readonly string[], names: ['fast', 'slow', 'gone'] };

/** The organisations that a run looks at until its time is over, and after which it asks for them. */
const organisationsSeen = async (organisations: readonly string[], at: number, max = Infinity) => {
  const seen: string[] = [];
  const afters: (string | undefined)[] = [];
  const ports: QueueAgePorts = {
    clock: { ...frozenClock(), now: () => (seen.length < max ? at : at + 1) },
    consumers: {
      async organisations(after) {
        afters.push(after);
        const entries = organisations.filter(id => id > (after ?? '')).slice(0, 10);
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
  return { seen, afters };
};

describe('the organisations', () => {
  const letters = [...'234567abcdefghijklmnopqrstuvwxyz'];
  const all = letters.flatMap(letter => ['a', 'b'].map(last => `o${letter}${last}`));
  const minutes = Array.from({ length: 60 }, (_, minute) => minute * 60_000);

  test('are read in pages, all of them once, each minute from another one on', async () => {
    const runs = await Promise.all(minutes.map(minute => organisationsSeen(all, minute)));
    expect(runs.map(({ seen }) => [...seen].sort())).toEqual(minutes.map(() => all));
    expect(new Set(runs.map(({ seen }) => seen[0])).size).toBeGreaterThan(20);
    expect(await organisationsSeen(all, 59_999)).toEqual(runs[0]);
  });

  test('are read until the time is over', async () => {
    expect(await organisationsSeen(all, 0, 1)).toEqual({
      seen: [expect.any(String)],
      afters: [expect.any(String)],
    });
  });

  test('are all read, even if one is called as what a minute begins after', async () => {
    const [start = ''] = (await organisationsSeen([], 0)).afters;
    expect(start).toMatch(/^o[a-z2-7]{12}$/);
    expect(
      (await organisationsSeen([`${start.slice(0, -1)}!`, start, `${start}x`], 0)).seen,
    ).toEqual([`${start}x`, `${start.slice(0, -1)}!`, start]);
  });
});

/** What a run reports. @param asked gets the queues that it looks at, in order */
const watch = async (
  ages: Readonly<Record<string, number>>,
  told: Partial<typeof facts> = {},
  asked: string[] = [],
) => {
  const { depth, changed, names } = { ...facts, ...told };
  const reports: Watched[] = [];
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

test('a queue whose policy was changed names its consumer, and only such a one is looked at again', async () => {
  const asked: string[] = [];
  expect(await watch({}, { depth: 0, changed: ['slow.fifo'] }, asked)).toEqual([
    { ...calm, unguarded: [consumerOf('slow')] },
  ]);
  expect(asked).toEqual(['fast.fifo', 'slow.fifo', 'gone.fifo', 'slow.fifo', 'slow.fifo']);
});

test('fifty queues are looked at together, each once with the verified roles of its consumer', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `n${index}`);
  const waiting: (() => void)[] = [];
  const looked: (readonly [queue: string, roles: readonly string[]])[] = [];
  const roleArn = 'arn:aws:iam::111122223333:role/reader';
  const of = { scope: 'w1', roleArn, createdAt: '2026-05-04T08:00:00.000Z' };
  const ports = {
    principals: {
      list: async (scope: string): Promise<readonly Principal[]> =>
        scope === 'w1'
          ? [
              { ...of, id: 'p1', connection: 'c-n1', status: 'verified' },
              { ...of, id: 'p2', connection: 'c-n2', status: 'pending' },
            ]
          : [],
    },
    guardedQueues: {
      look: async (queue: string, roles: readonly string[]) => {
        looked.push([queue, roles]);
        await new Promise<void>(resolve => waiting.push(resolve));
        return { holdsMessages: false, isGuarded: true };
      },
    },
  };
  const unguarded = unguardedOf(ports, names.map(consumerOf));
  for (const count of [50, 50, 20]) {
    await eventually(() => waiting.length > 0);
    expect(waiting).toHaveLength(count);
    for (const answer of waiting.splice(0)) answer();
  }
  expect(await unguarded).toEqual([]);
  expect(looked).toEqual(names.map(name => [`${name}.fifo`, name === 'n1' ? [roleArn] : []]));
});

test('a queue whose policy changes while it is looked at is looked at again: only what stays is told', async () => {
  const looks = new Map<string, number>();
  const look = async (queue: string) => {
    const count = (looks.get(queue) ?? 0) + 1;
    looks.set(queue, count);
    const isGone = queue === 'never.fifo' || (queue === 'gone.fifo' && count > 1);
    const isGuarded = queue === 'calm.fifo' || (queue === 'fast.fifo' && count > 1);
    return isGone ? undefined : { holdsMessages: false, isGuarded };
  };
  const ports = { guardedQueues: { look }, principals: { list: async () => [] } };
  const consumers = ['fast', 'slow', 'gone', 'calm', 'never'].map(consumerOf);
  expect(await unguardedOf(ports, consumers)).toEqual([consumerOf('slow')]);
  expect([...looks]).toEqual([
    ['fast.fifo', 2],
    ['slow.fifo', 2],
    ['gone.fifo', 2],
    ['calm.fifo', 1],
    ['never.fifo', 1],
  ]);
});
