import {
  type Entry,
  emptyHead,
  type Head,
  type Lease,
  type PendingLog,
} from '../../../lib/bus/delivery/log.ts';
import { limits } from '../../../lib/contract/limits.ts';
import type { LedgerPorts } from '../../support/engines.ts';
import { commitOf, commitWithoutLease, entry, story, time, upTo } from '../../support/entries.ts';
import { committed, type LedgerBench, type OwnLog } from '../../support/ledger-bench.ts';

const week = 7 * 86_400_000;

/** The lease that the first of so many commits took. */
const leased = async (ports: LedgerPorts, at: OwnLog, count: number): Promise<Lease> => {
  const { lease } = await committed(ports, at, count);
  if (!lease) throw new Error('The commit should take the lease.');
  return lease;
};

/** What waits in the workspace, the longest first. */
const due = async (
  { backlog }: LedgerPorts,
  at: OwnLog,
  until = time + 60_000,
): Promise<readonly PendingLog[]> =>
  (await backlog.due(until, 1_000)).filter(one => one.workspace === at.workspace);

const firstEntry = async ({ log }: LedgerPorts, at: OwnLog): Promise<Entry> => {
  const [one] = await log.entries(at, 1, 1);
  if (!one) throw new Error('The entry should be there.');
  return one;
};

/** What every implementation of `Ledger`, `Log` and `PendingLogs` does. */
export const ledgerContract = ({ holds, clock }: LedgerBench): void => {
  holds(
    'a read returns what a commit wrote: id, head with lease, and story',
    async ({ ledger }, log) => {
      const one = entry(`${log.correlationId}-m`, log);
      const key = { ...log, messageId: one.messageId, storyId: `story of ${log.correlationId}` };
      expect(await ledger.read(key)).toEqual({ head: emptyHead });
      const state = { ...story(4), storyId: key.storyId };
      const commit = commitOf(one, emptyHead, { story: { state, version: 0 } });
      expect(await ledger.commit(commit)).toBeUndefined();
      expect(await ledger.read(key)).toEqual({
        accepted: {
          messageId: one.messageId,
          bodyHash: commit.bodyHash,
          correlationId: log.correlationId,
          number: 1,
          attempt: commit.attempt,
        },
        head: {
          last: 1,
          published: 0,
          lastAcceptedAt: time,
          unsentSince: time,
          lease: commit.lease,
        },
        story: { state, version: 1 },
      });
      const { accepted } = await ledger.read(key);
      const body = accepted && (await ledger.bodyOf({ ...log, ...accepted }));
      expect(Buffer.from(body ?? '')).toEqual(one.body);
      expect(
        await ledger.bodyOf({ ...log, ...commit, messageId: 'none', number: 7 }),
      ).toBeUndefined();
    },
  );

  holds('a taken id, a changed head and a changed story each stop a commit', async (ports, at) => {
    const { ledger } = ports;
    const head = await committed(ports, at, 1);
    const storyId = `story of ${at.correlationId}`;
    const state = { ...story(1), storyId };
    const same = entry(`${at.correlationId}-1`, { ...at, number: 2 });
    expect(await ledger.commit({ ...commitOf(same, head), head: { ...head } })).toMatchObject({
      id: true,
    });
    const stale = entry(`${at.correlationId}-stale`, { ...at, number: 1 });
    expect(await ledger.commit(commitOf(stale, emptyHead))).toMatchObject({
      id: false,
      head: true,
      story: false,
    });
    const { lease: _held, ...second } = commitOf(
      entry(`${at.correlationId}-2`, { ...at, number: 2 }),
      head,
    );
    expect(await ledger.commit({ ...second, story: { state, version: 3 } })).toMatchObject({
      id: false,
      head: false,
      story: true,
    });
    const key = { ...at, messageId: stale.messageId, storyId };
    expect(await ledger.read(key)).toEqual({ head });
  });

  holds('a head whose entries were sent meanwhile stops a commit', async (ports, at) => {
    const { ledger, log } = ports;
    const head = await committed(ports, at, 1);
    if (!head.lease) throw new Error('The commit should take the lease.');
    expect(await log.release(at, head.lease, upTo(1, time))).toBe(true);
    const { lease, ...without } = commitOf(
      entry(`${at.correlationId}-2`, { ...at, number: 2 }),
      head,
    );
    expect(await ledger.commit(without)).toMatchObject({ id: false, head: true });
    const { lease: _ended, ...unleased } = head;
    const taking = { ...without, head: unleased, ...(lease ? { lease } : {}) };
    expect(await ledger.commit(taking)).toMatchObject({ id: false, head: true });
    expect(await log.head(at)).toMatchObject({ last: 1, published: 1 });
  });

  holds('a lease that another took meanwhile stops a commit that takes it', async (ports, at) => {
    const { ledger, log } = ports;
    const held = await leased(ports, at, 2);
    const head = await log.head(at);
    const taking = (read: Head) =>
      commitOf(entry(`${at.correlationId}-3`, { ...at, number: 3 }), read);
    const stopped = { id: false, head: true, story: false };
    const renewed = { ...held, until: held.until + 500 };
    await log.acquire(at, renewed, time);
    expect(await ledger.commit(taking(head))).toEqual(stopped);
    const late = renewed.until + limits.clockSkewMilliseconds;
    const others = { owner: 'other', until: renewed.until };
    expect(await log.acquire(at, others, late)).toMatchObject({ lease: others });
    expect(await ledger.commit(taking({ ...head, lease: renewed }))).toEqual(stopped);
    const { lease: _held, ...free } = head;
    expect(await ledger.commit(taking(free))).toEqual(stopped);
    expect(await log.head(at)).toMatchObject({ last: 2, lease: others });
    const read = await log.head(at);
    expect(await ledger.commit(taking(read))).toBeUndefined();
    expect(await log.head(at)).toMatchObject({ last: 3, lease: taking(read).lease });
  });

  holds('a story that another commit changed meanwhile stops a commit', async (ports, at) => {
    const { ledger, log } = ports;
    const state = { ...story(1), storyId: `story of ${at.correlationId}` };
    const commitOn = async (number: number, version: number) => {
      const one = entry(`${at.correlationId}-${number}`, { ...at, number });
      const commit = commitWithoutLease(one, await log.head(at));
      return ledger.commit({ ...commit, story: { state, version } });
    };
    const stopped = { id: false, head: false, story: true };
    expect(await commitOn(1, 0)).toBeUndefined();
    expect(await commitOn(2, 0)).toEqual(stopped);
    expect(await commitOn(2, 1)).toBeUndefined();
    expect(await commitOn(3, 1)).toEqual(stopped);
    const key = { ...at, messageId: 'none', storyId: state.storyId };
    expect((await ledger.read(key)).story).toEqual({ state, version: 2 });
  });

  holds('one of several simultaneous commits wins', async ({ ledger, log }, at) => {
    const commits = [1, 2, 3, 4].map(index =>
      commitOf(entry(`${at.correlationId}-at-once-${index}`, at), emptyHead),
    );
    const results = await Promise.all(
      commits.map(commit => ledger.commit(commit).catch(() => 'error')),
    );
    expect(results.filter(result => result === undefined)).toHaveLength(1);
    expect(await log.head(at)).toMatchObject({ last: 1, published: 0 });
  });

  holds('an id is taken for seven days, and free afterwards, deleted or not', async (ports, at) => {
    const { ledger } = ports;
    await committed(ports, at, 1);
    const key = { ...at, messageId: `${at.correlationId}-1` };
    clock.now = time + week + 1_000;
    expect((await ledger.read(key)).accepted).toBeDefined();
    clock.now = time + limits.idempotencySeconds * 1000 + 2_000;
    const { accepted, head } = await ledger.read(key);
    expect(accepted).toBeUndefined();
    const again = entry(key.messageId, { ...at, number: 2, acceptedAt: clock.now });
    expect(await ledger.commit(commitWithoutLease(again, head))).toBeUndefined();
  });

  holds('a lease keeps others out until its end plus the clock skew', async (ports, at) => {
    const { log } = ports;
    const held = await leased(ports, at, 1);
    const other = (now: number) => ({ owner: 'other', until: now + limits.leaseMilliseconds });
    expect(await log.acquire(at, other(held.until), held.until)).toBeUndefined();
    expect(await log.acquire(at, other(held.until + 1_999), held.until + 1_999)).toBeUndefined();
    const renewed = { ...held, until: held.until + 500 };
    expect(await log.acquire(at, renewed, time)).toMatchObject({
      last: 1,
      published: 0,
      lease: renewed,
    });
    expect(await log.acquire(at, held, time)).toBeUndefined();
    const late = renewed.until + limits.clockSkewMilliseconds;
    expect(await log.acquire(at, other(late), late)).toMatchObject({ lease: other(late) });
  });

  holds(
    'a release moves the head, and takes a finished log out of the backlog',
    async (ports, at) => {
      const { log } = ports;
      const held = await leased(ports, at, 2);
      const renewed = { ...held, until: held.until + 500 };
      await log.acquire(at, renewed, time);
      expect(await log.release(at, held, upTo(2, time))).toBe(false);
      const left = { published: 1, unsentSince: time + 2, dueAt: time + 9_000 };
      expect(await log.release(at, renewed, left)).toBe(true);
      expect(await log.head(at)).toEqual({
        last: 2,
        published: 1,
        lastAcceptedAt: time + 2,
        unsentSince: time + 2,
      });
      expect(await due(ports, at)).toEqual([{ ...at, dueAt: time + 9_000 }]);
      expect(await due(ports, at, time + 8_999)).toEqual([]);
      const lease = { owner: 'next', until: time + 20_000 };
      expect(await log.acquire(at, lease, time + 10_000)).toMatchObject({ published: 1 });
      expect(await log.release(at, lease, upTo(2, time + 2))).toBe(true);
      expect(await due(ports, at)).toEqual([]);
      expect(await log.head(at)).toEqual({ last: 2, published: 2, lastAcceptedAt: time + 2 });
      expect(await log.acquire(at, lease, time + 30_000)).toBeUndefined();
    },
  );

  holds('no release of another lease counts, and none moves a head back', async (ports, at) => {
    const { log } = ports;
    const held = await leased(ports, at, 3);
    const next = (published: number) => ({ published, unsentSince: time + 3, dueAt: time });
    expect(await log.release(at, { ...held, until: held.until + 1 }, next(2))).toBe(false);
    expect(await log.head(at)).toMatchObject({ published: 0, lease: held });
    expect(await log.release(at, held, next(2))).toBe(true);
    const second = { owner: 'second', until: time + 20_000 };
    await log.acquire(at, second, time + 10_000);
    expect(await log.release(at, second, next(1))).toBe(false);
    expect(await log.head(at)).toMatchObject({ published: 2, lease: second });
  });

  holds('a log that did not move keeps its age, and is due when told', async (ports, at) => {
    const { ledger, log, backlog } = ports;
    const old = time - 30_000_000;
    const [first, second] = [1, 2].map(number =>
      entry(`${at.correlationId}-waits-${number}`, { ...at, number, acceptedAt: old + number }),
    );
    if (!first || !second) throw new Error('There are two.');
    const { lease, ...commit } = commitOf(first, emptyHead);
    await ledger.commit({ ...commit, ...(lease ? { lease } : {}) });
    const left = { published: 0, unsentSince: old + 1, dueAt: time + 77_000 };
    expect(lease && (await log.release(at, lease, left))).toBe(true);
    expect(await ledger.commit(commitWithoutLease(second, await log.head(at)))).toBeUndefined();
    expect(await due(ports, at, time + 77_000)).toEqual([{ ...at, dueAt: time + 77_000 }]);
    expect(await log.head(at)).toMatchObject({ last: 2, unsentSince: old + 1 });
    expect(await backlog.unsentSince(1_000)).toBe(old + 1);
    const end = { owner: 'end', until: time + 90_000 };
    await log.acquire(at, end, time + 85_000);
    expect(await log.release(at, end, upTo(2, old + 2))).toBe(true);
    expect(await backlog.unsentSince(1_000)).not.toBe(old + 1);
  });

  holds('entries are read in order, a page at a time, byte for byte', async (ports, at) => {
    const { log } = ports;
    await committed(ports, at, 23);
    const page = await log.entries(at, 2, 23);
    expect(page.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 2),
    );
    const [second] = page;
    expect(Buffer.from(second?.body ?? []).toString()).toBe(`{"é": "${at.correlationId}-2"}\r\n`);
    expect(second).toMatchObject({
      messageId: `${at.correlationId}-2`,
      targets: [{ connection: 'c333333333333' }],
    });
    expect((await log.entries(at, 22, 23)).map(({ number }) => number)).toEqual([22, 23]);
  });

  holds('entries of 240,000 bytes are read whole, page by page', async ({ ledger, log }, at) => {
    const letters = Array.from(
      { length: 240_000 },
      (_, index) => 33 + ((index * index * 7_919) % 89),
    );
    const body = Buffer.from(letters);
    for (let number = 1; number <= 8; number += 1) {
      const head = await log.head(at);
      const one = entry(`${at.correlationId}-large-${number}`, { ...at, number, body });
      expect(await ledger.commit(commitWithoutLease(one, head))).toBeUndefined();
    }
    const got: number[] = [];
    for (let from = 1; from <= 8; ) {
      const page = await log.entries(at, from, 8);
      expect(page.length).toBeGreaterThan(0);
      for (const one of page) expect(body.equals(one.body)).toBe(true);
      got.push(...page.map(({ number }) => number));
      from += page.length;
    }
    expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  holds('a target that has an entry is no longer listed with it', async (ports, at) => {
    const { ledger, log } = ports;
    const targets = ['c333333333333', 'c444444444444', 'c555555555555'].map(connection => ({
      connection,
      queue: `sombus-${connection}.fifo`,
    }));
    expect(
      await ledger.commit(commitOf(entry(`${at.correlationId}-1`, { ...at, targets }), emptyHead)),
    ).toBe(undefined);
    const one = await firstEntry(ports, at);
    expect(one.targets).toEqual(targets);
    await log.markDelivered(one, ['c333333333333']);
    await log.markDelivered(one, ['c333333333333', 'c555555555555']);
    expect(await log.entries(at, 1, 1)).toEqual([{ ...one, targets: [targets[1]] }]);
    await log.markDelivered({ ...one, number: 2 }, ['c333333333333']);
    expect(await log.entries(at, 2, 2)).toEqual([]);
  });

  holds(
    'skipping a target, even twice, changes no entry, and brings back none that is gone',
    async (ports, at) => {
      const { log } = ports;
      await committed(ports, at, 1);
      const one = await firstEntry(ports, at);
      for (const number of [1, 1, 2]) await log.markSkipped({ ...one, number }, ['c333333333333']);
      expect(await log.entries(at, 1, 2)).toEqual([one]);
    },
  );
};
