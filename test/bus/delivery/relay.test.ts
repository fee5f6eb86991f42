import { type BacklogReport, type RelayPorts, relay } from '../../../lib/bus/delivery/relay.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { Random } from '../../simulation/random.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, correlation, entry, workspace } from '../../support/entries.ts';
import { backlogIn } from '../../support/fakes/backlog.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';

const minute = 60_000;
const begin = Date.parse('2026-05-04T09:00:00Z');
const innocent = 'w444444444444';
const runMilliseconds = 18_000;

/**
 * A ledger with `count` pending logs of one entry each, and queues that answer as `send` says, in
 * virtual time.
 */
const waitingLogs = (count: number, send: (queue: string) => 'sent' | 'gone' | 'hangs') => {
  const scheduler = new Scheduler(new Random(1), begin);
  const ledger = new SimLedger();
  const reports: BacklogReport[] = [];
  let sends = 0;
  const add = (where: string, index: number, ...queues: readonly string[]) => {
    const members = {
      workspace: where,
      correlationId: correlation(index),
      acceptedAt: begin - minute + index,
    };
    const targets = queues.map(queue => ({ connection: `c of ${queue}`, queue }));
    const one = entry(`${where} ${index}`, { ...members, targets });
    ledger.commit(commitWithoutLease(one, ledger.head(one)), begin);
  };
  for (let index = 1; index <= count; index += 1) add(workspace, index, 'broken');
  /** Adds entries to a log up to a number. */
  const fill = (
    log: { readonly workspace: string; readonly correlationId: string },
    last: number,
  ) => {
    for (let number = 2; number <= last; number += 1) {
      const one = entry(`later ${log.correlationId} ${number}`, {
        ...log,
        number,
        acceptedAt: begin - 50_000,
      });
      ledger.commit(commitWithoutLease(one, ledger.head(log)), begin);
    }
  };
  const after = async <T>(milliseconds: number, effect: () => T): Promise<T> => {
    await scheduler.sleep(milliseconds);
    return effect();
  };
  const ports: RelayPorts = {
    registry: registryWith({ isRegistered: id => after(5, () => id === 'c of broken') }),
    clock: { now: () => scheduler.now, sleep: milliseconds => scheduler.sleep(milliseconds) },
    ids: { random: bytes => scheduler.random.bytes(bytes) },
    metrics: { report: report => reports.push(report) },
    backlog: backlogIn(ledger),
    log: {
      ...logIn(ledger),
      entries: (log, from, to) => after(5, () => ledger.entries(log, from, to)),
      acquire: (log, lease, now) => after(5, () => ledger.acquire(log, lease, now)),
      release: (log, lease, progress) => after(5, () => ledger.release(log, lease, progress)),
    },
    queues: queuesInMemory({
      clock: { now: () => scheduler.now },
      existing: ['good', 'broken', 'gone'],
      async before(queue) {
        sends += 1;
        const result = send(queue);
        await scheduler.sleep(result === 'hangs' ? limits.sendMilliseconds : 10);
        if (result === 'hangs') throw new Error('The queue does not answer.');
        return result === 'gone' ? result : undefined;
      },
    }).port,
  };
  /** One run with other ports; the next one comes a minute later. */
  const runWith = async (
    backlog: Partial<RelayPorts['backlog']> = {},
    registry: Partial<RelayPorts['registry']> = {},
    log: Partial<RelayPorts['log']> = {},
    milliseconds = runMilliseconds,
  ) => {
    const next = scheduler.now + minute;
    const run = relay({
      ...ports,
      registry: { ...ports.registry, ...registry },
      backlog: { ...ports.backlog, ...backlog },
      log: { ...ports.log, ...log },
    });
    await scheduler.run(run(scheduler.now + milliseconds), 1_000_000);
    scheduler.now = next;
  };
  const everyMinute = async (runs: number) => {
    for (let count = 0; count < runs; count += 1) await runWith();
  };
  const published = (where: string, index: number) =>
    ledger.head({ workspace: where, correlationId: correlation(index) }).published;
  return { add, fill, everyMinute, runWith, published, reports, ledger, sends: () => sends };
};

test.each([
  [120, 'hangs'],
  [2_000, 'hangs'],
  [2_000, 'is gone'],
] as const)(
  '%i logs of one workspace whose queue %s do not hold up another workspace',
  async (count, response) => {
    const { add, everyMinute, published } = waitingLogs(count, queue =>
      queue === 'good' ? 'sent' : response === 'hangs' ? 'hangs' : 'gone',
    );
    add(innocent, count + 1, 'good');
    await everyMinute(2);
    expect(published(innocent, count + 1)).toBe(1);
    expect(published(workspace, 1)).toBe(0);
  },
  30_000,
);

test('a queue that accepts an entry gets it once, no matter how long another queue is broken', async () => {
  const got = { good: 0, broken: 0 };
  let isBroken = true;
  const { add, everyMinute, published } = waitingLogs(0, queue => {
    got[queue as keyof typeof got] += 1;
    return queue === 'broken' && isBroken ? 'hangs' : 'sent';
  });
  add(innocent, 1, 'good', 'broken');
  await everyMinute(24 * 60);
  expect(got.good).toBe(1);
  expect(got.broken).toBeGreaterThan(100);
  expect(published(innocent, 1)).toBe(0);
  isBroken = false;
  await everyMinute(10);
  expect(got.good).toBe(1);
  expect(published(innocent, 1)).toBe(1);
});

test('a missing queue is skipped only when its connection is not registered any more', async () => {
  const { add, everyMinute, published } = waitingLogs(0, queue =>
    queue === 'gone' ? 'gone' : 'sent',
  );
  add(innocent, 1, 'broken');
  add(workspace, 1, 'gone');
  await everyMinute(1);
  expect([published(innocent, 1), published(workspace, 1)]).toEqual([1, 1]);
  const other = waitingLogs(1, () => 'gone');
  await other.everyMinute(10);
  expect(other.published(workspace, 1)).toBe(0);
});

test('a log that moves is sent to its end, one lease after the other', async () => {
  // A send takes 10 ms, a thousand take two leases.
  const { add, fill, everyMinute, ledger } = waitingLogs(0, () => 'sent');
  add(innocent, 1, 'good');
  const log = { workspace: innocent, correlationId: correlation(1) };
  fill(log, 1_000);
  await everyMinute(1);
  expect(ledger.head(log)).toMatchObject({ last: 1_000, published: 1_000 });
});

test('a long log that moves delays other logs by no more than one lease', async () => {
  const { add, fill, everyMinute, published } = waitingLogs(0, () => 'sent');
  for (let index = 1; index <= 2 * limits.relayWidth; index += 1) {
    add(workspace, index, 'good');
    fill({ workspace, correlationId: correlation(index) }, 2_000);
  }
  add(innocent, 100, 'good');
  await everyMinute(1);
  expect(published(workspace, 1)).toBeLessThan(2_000);
  expect(published(innocent, 100)).toBe(1);
});

test('a queue that accepts an entry gets it once, even while the registry cannot tell whether to skip a missing queue', async () => {
  let sends = 0;
  const { add, runWith, published } = waitingLogs(0, queue => {
    if (queue === 'good') sends += 1;
    return queue === 'broken' ? 'gone' : 'sent';
  });
  add(innocent, 1, 'good', 'broken');
  const isRegistered = () => Promise.reject(new Error('The registry is busy.'));
  for (let run = 0; run < 3; run += 1) await runWith({}, { isRegistered });
  expect([sends, published(innocent, 1)]).toEqual([1, 0]);
});

test('a run delivers even when the backlog cannot be counted, and then ends with that error', async () => {
  const { add, published, reports, runWith } = waitingLogs(0, () => 'sent');
  add(innocent, 1, 'good');
  const count = async () => {
    throw new Error('The table is busy.');
  };
  await expect(runWith({ count })).rejects.toMatchObject({
    errors: [expect.objectContaining({ message: 'The table is busy.' })],
  });
  expect(published(innocent, 1)).toBe(1);
  expect(reports).toEqual([]);
});

test('a log that does not move is tried at growing intervals of up to ten minutes', async () => {
  const { everyMinute, sends, published } = waitingLogs(1, () => 'hangs');
  const counts: number[] = [];
  for (let quarter = 0; quarter < 8; quarter += 1) {
    const before = sends();
    await everyMinute(15);
    counts.push(sends() - before);
  }
  const [first = 0, ...rest] = counts;
  expect(first).toBeGreaterThan(4);
  for (const later of rest.slice(3)) expect(later).toBeLessThanOrEqual(2);
  for (const later of rest) expect(later).toBeGreaterThanOrEqual(1);
  expect(published(workspace, 1)).toBe(0);
});

test('the age of the oldest entry counts from its acceptance, no matter how often it was tried', async () => {
  const { everyMinute, reports } = waitingLogs(3, () => 'hangs');
  await everyMinute(60);
  expect(reports.map(({ oldestPendingSeconds }) => oldestPendingSeconds)).toEqual(
    Array.from({ length: 60 }, (_, run) => 60 * (run + 1)),
  );
});

test('when a log moves, the age is that of its oldest unsent entry', async () => {
  let broken = false;
  const { add, everyMinute, reports, ledger } = waitingLogs(0, () => (broken ? 'hangs' : 'sent'));
  add(innocent, 1, 'good');
  const { acceptedAt } = ledger.committed[0]?.commit.entry ?? { acceptedAt: 0 };
  const log = { workspace: innocent, correlationId: correlation(1) };
  const second = entry('second', { ...log, number: 2, acceptedAt: acceptedAt + 45_000 });
  ledger.commit(commitWithoutLease(second, ledger.head(log)), begin);
  const lease = { owner: 'publisher', until: begin + 1 };
  ledger.acquire(log, lease, begin);
  ledger.release(log, lease, {
    published: 1,
    unsentSince: second.acceptedAt,
    dueAt: begin - 1_000,
  });
  broken = true;
  await everyMinute(2);
  expect(reports.map(({ oldestPendingSeconds }) => oldestPendingSeconds)).toEqual([15, 75]);
  broken = false;
  await everyMinute(2);
  expect(ledger.head(log)).toMatchObject({ published: 2 });
});

test('a run tells how many logs it finished, and the last error of those that it did not', async () => {
  const { add, everyMinute, reports } = waitingLogs(1, queue =>
    queue === 'broken' ? 'hangs' : 'sent',
  );
  add(innocent, 2, 'good');
  add(innocent, 3, 'good');
  await everyMinute(2);
  const stuck = { name: 'Error', queue: 'broken' };
  expect(reports).toEqual([
    { pendingHeads: 3, oldestPendingSeconds: 60, finished: 2, lastError: stuck },
    { pendingHeads: 1, oldestPendingSeconds: 120, finished: 0, lastError: stuck },
  ]);
});

test('a log that another sender has is left to it', async () => {
  const { add, runWith, reports, sends } = waitingLogs(0, () => 'sent');
  add(innocent, 1, 'good');
  await runWith({}, {}, { acquire: async () => undefined });
  expect(reports).toEqual([{ pendingHeads: 1, oldestPendingSeconds: 60, finished: 0 }]);
  expect(sends()).toBe(0);
});

test.each([
  [0, 'no log', 0],
  [1, 'as many logs as it sends at once', limits.relayWidth],
])('a run with %i ms left starts %s', async (milliseconds, _logs, finished) => {
  const { runWith, reports } = waitingLogs(limits.relayWidth + 1, () => 'sent');
  await runWith({}, {}, {}, milliseconds);
  expect(reports).toEqual([
    { pendingHeads: limits.relayWidth + 1, oldestPendingSeconds: 60, finished },
  ]);
});

test('a log that cannot be worked on does not stop the others, and the run ends with its error', async () => {
  const { add, runWith, reports, published, ledger } = waitingLogs(0, () => 'sent');
  add(innocent, 1, 'good');
  add(innocent, 2, 'good');
  const acquire: RelayPorts['log']['acquire'] = async (log, lease, now) => {
    if (log.correlationId === correlation(1)) throw new RangeError('no such page');
    return ledger.acquire(log, lease, now);
  };
  await expect(runWith({}, {}, { acquire })).rejects.toMatchObject({
    message: 'Some logs could not be finished, or not counted.',
    errors: [new RangeError('no such page')],
  });
  expect(reports).toEqual([{ pendingHeads: 2, oldestPendingSeconds: 60, finished: 1 }]);
  expect([published(innocent, 1), published(innocent, 2)]).toEqual([0, 1]);
});

test('a run asks for logs that are due since a while, and for a bounded number of them', async () => {
  const { runWith } = waitingLogs(0, () => 'sent');
  const asked: unknown[] = [];
  await runWith({
    due: async (...of) => {
      asked.push(of);
      return [];
    },
  });
  expect(asked).toEqual([[begin - limits.relayAfterMilliseconds, limits.relayLogs]]);
});
