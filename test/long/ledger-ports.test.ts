import { returnedSingle } from '../../lib/bus/consuming/receipts.ts';
import { emptyHead, type Head } from '../../lib/bus/delivery/log.ts';
import { limits } from '../../lib/contract/limits.ts';
import { replayOf } from '../bus/replay/replay-desk.ts';
import { type LedgerPorts, ledgerEngines, type Running } from '../support/engines.ts';
import {
  commitOf,
  commitWithoutLease,
  correlation,
  entry,
  story,
  time,
  upTo,
} from '../support/entries.ts';
import { describeUnless } from '../support/where.ts';

const week = 7 * 86_400_000;
const clock = { now: time };

interface Log {
  readonly workspace: string;
  readonly correlationId: string;
}

const contractOf = (engine: (typeof ledgerEngines)[number]) => () => {
  let running: Running<LedgerPorts>;
  let next = 100;

  beforeAll(async () => {
    running = await engine.start(clock);
  });
  afterAll(() => running.close());
  beforeEach(() => {
    clock.now = time;
    next += 1;
  });

  /** A test with its own workspace and correlation. */
  const holds = (title: string, body: (ports: LedgerPorts, log: Log) => Promise<void>) =>
    test(title, async () => {
      const correlationId = correlation(next);
      await body(running.ports, { workspace: `w${correlationId.slice(-12)}`, correlationId });
    });

  /** The head after so many commits. */
  const committed = async (at: Log, count: number): Promise<Head> => {
    const { ledger, log } = running.ports;
    for (let number = 1; number <= count; number += 1) {
      const head = await log.head(at);
      const one = entry(`${at.correlationId}-${number}`, {
        ...at,
        number,
        acceptedAt: time + number,
      });
      const { lease, ...rest } = commitOf(one, head);
      expect(
        await ledger.commit(head.lease ? rest : { ...rest, ...(lease ? { lease } : {}) }),
      ).toBeUndefined();
    }
    return log.head(at);
  };

  /** The lease that the first of so many commits took. */
  const leased = async (at: Log, count: number) => {
    const { lease } = await committed(at, count);
    if (!lease) throw new Error('The commit should take the lease.');
    return lease;
  };

  /** What waits in the workspace, the longest first. */
  const due = async (at: Log, until = time + 60_000) =>
    (await running.ports.backlog.due(until, 1_000)).filter(one => one.workspace === at.workspace);

  const firstEntry = async (at: Log) => {
    const [one] = await running.ports.log.entries(at, 1, 1);
    if (!one) throw new Error('The entry should be there.');
    return one;
  };

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

  holds(
    'a taken id, a changed head and a changed story each stop a commit',
    async ({ ledger }, at) => {
      const head = await committed(at, 1);
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
    },
  );

  holds('a head whose entries were sent meanwhile stops a commit', async ({ ledger, log }, at) => {
    const head = await committed(at, 1);
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

  holds(
    'an id is taken for seven days, and free afterwards, deleted or not',
    async ({ ledger }, at) => {
      await committed(at, 1);
      const key = { ...at, messageId: `${at.correlationId}-1` };
      clock.now = time + week + 1_000;
      expect((await ledger.read(key)).accepted).toBeDefined();
      clock.now = time + limits.idempotencySeconds * 1000 + 2_000;
      const { accepted, head } = await ledger.read(key);
      expect(accepted).toBeUndefined();
      const again = entry(key.messageId, { ...at, number: 2, acceptedAt: clock.now });
      expect(await ledger.commit(commitWithoutLease(again, head))).toBeUndefined();
    },
  );

  holds('a lease keeps others out until its end plus the clock skew', async ({ log }, at) => {
    const held = await leased(at, 1);
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
    async ({ log }, at) => {
      const held = await leased(at, 2);
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
      expect(await due(at)).toEqual([{ ...at, dueAt: time + 9_000 }]);
      expect(await due(at, time + 8_999)).toEqual([]);
      const lease = { owner: 'next', until: time + 20_000 };
      expect(await log.acquire(at, lease, time + 10_000)).toMatchObject({ published: 1 });
      expect(await log.release(at, lease, upTo(2, time + 2))).toBe(true);
      expect(await due(at)).toEqual([]);
      expect(await log.head(at)).toEqual({ last: 2, published: 2, lastAcceptedAt: time + 2 });
      expect(await log.acquire(at, lease, time + 30_000)).toBeUndefined();
    },
  );

  holds('no release of another lease counts, and none moves a head back', async ({ log }, at) => {
    const held = await leased(at, 3);
    const next = (published: number) => ({ published, unsentSince: time + 3, dueAt: time });
    expect(await log.release(at, { ...held, until: held.until + 1 }, next(2))).toBe(false);
    expect(await log.head(at)).toMatchObject({ published: 0, lease: held });
    expect(await log.release(at, held, next(2))).toBe(true);
    const second = { owner: 'second', until: time + 20_000 };
    await log.acquire(at, second, time + 10_000);
    expect(await log.release(at, second, next(1))).toBe(false);
    expect(await log.head(at)).toMatchObject({ published: 2, lease: second });
  });

  holds(
    'a log that did not move keeps its age, and is due when told',
    async ({ ledger, log, backlog }, at) => {
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
      expect(await due(at, time + 77_000)).toEqual([{ ...at, dueAt: time + 77_000 }]);
      expect(await log.head(at)).toMatchObject({ last: 2, unsentSince: old + 1 });
      expect(await backlog.unsentSince(1_000)).toBe(old + 1);
      const end = { owner: 'end', until: time + 90_000 };
      await log.acquire(at, end, time + 85_000);
      expect(await log.release(at, end, upTo(2, old + 2))).toBe(true);
      expect(await backlog.unsentSince(1_000)).not.toBe(old + 1);
    },
  );

  holds('entries are read in order, a page at a time, byte for byte', async ({ log }, at) => {
    await committed(at, 23);
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

  holds('a target that has an entry is no longer listed with it', async ({ ledger, log }, at) => {
    const targets = ['c333333333333', 'c444444444444', 'c555555555555'].map(connection => ({
      connection,
      queue: `sombus-${connection}.fifo`,
    }));
    expect(
      await ledger.commit(commitOf(entry(`${at.correlationId}-1`, { ...at, targets }), emptyHead)),
    ).toBe(undefined);
    const one = await firstEntry(at);
    expect(one.targets).toEqual(targets);
    await log.markDelivered(one, ['c333333333333']);
    await log.markDelivered(one, ['c333333333333', 'c555555555555']);
    expect(await log.entries(at, 1, 1)).toEqual([{ ...one, targets: [targets[1]] }]);
    await log.markDelivered({ ...one, number: 2 }, ['c333333333333']);
    expect(await log.entries(at, 2, 2)).toEqual([]);
  });

  holds(
    'skipping a target twice records it once, and brings back no entry that is gone',
    async ({ log }, at) => {
      await committed(at, 1);
      const one = await firstEntry(at);
      for (const number of [1, 1, 2]) await log.markSkipped({ ...one, number }, ['c333333333333']);
      expect(await log.entries(at, 1, 2)).toEqual([one]);
    },
  );

  holds(
    'the archive lists a range in order of time, page by page',
    async ({ ledger, log, archive }, at) => {
      for (let number = 1; number <= 5; number += 1) {
        const head = await log.head(at);
        // Midnight is between the second and the third.
        const one = entry(`${at.correlationId}-archived-${number}`, {
          ...at,
          number,
          acceptedAt: time + number * 400,
        });
        expect(await ledger.commit(commitWithoutLease(one, head))).toBeUndefined();
      }
      const range = { workspace: at.workspace, from: time + 400, to: time + 2_000 };
      const first = await archive.page(range, 3);
      expect(first.map(({ number }) => number)).toEqual([1, 2, 3]);
      const after = first.at(-1)?.position ?? '';
      const second = await archive.page({ ...range, after }, 3);
      expect(second.map(({ number, acceptedAt }) => [number, acceptedAt])).toEqual([
        [4, time + 1_600],
      ]);
      const entries = await archive.entries(at.workspace, first);
      expect(entries.map(found => found.entry.messageId)).toEqual(
        [1, 2, 3].map(number => `${at.correlationId}-archived-${number}`),
      );
      expect(entries.map(found => found.summary)).toEqual(first);
    },
  );

  holds(
    'the archive lists nothing for a range that is over at its start',
    async ({ ledger, archive }, at) => {
      expect(
        await ledger.commit(commitOf(entry(`${at.correlationId}-alone`, at), emptyHead)),
      ).toBeUndefined();
      const range = { workspace: at.workspace, from: time, to: time + 500 };
      const [place] = await archive.page(range, 3);
      expect(place).toMatchObject({ number: 1, acceptedAt: time });
      for (const to of [time - 500, time])
        expect(await archive.page({ ...range, to }, 3)).toEqual([]);
      const after = place?.position ?? '';
      expect(await archive.page({ ...range, to: time - 100, after }, 3)).toEqual([]);
    },
  );

  describe('receipts', () => {
    const saved = async ({ receipts }: LedgerPorts, at: { correlationId: string }) => {
      const id = at.correlationId.slice(-16);
      const group = { id, handles: ['h0', 'h1', 'h2'], takenAt: time - 5, until: time + 60_000 };
      await receipts.save(owner, [group]);
      return { id, found: async () => (await receipts.find(owner, [id, 'unknown']))[0] };
    };
    const owner = 'c333333333333';

    holds('belong to their connection', async (ports, at) => {
      const { id, found } = await saved(ports, at);
      expect(await found()).toMatchObject({
        id,
        handles: ['h0', 'h1', 'h2'],
        until: time + 60_000,
      });
      expect(await ports.receipts.find('c444444444444', [id])).toEqual([]);
      expect(await ports.receipts.block('c444444444444', id, [0])).toBe(false);
      expect(await ports.receipts.acknowledge('c444444444444', id, [0])).toBe(false);
    });

    holds('are blocked from earlier and earlier places', async (ports, at) => {
      const { id, found } = await saved(ports, at);
      expect(await ports.receipts.block(owner, id, [2, 1])).toBe(true);
      expect(await ports.receipts.block(owner, id, [1])).toBe(false);
      expect(await found()).toMatchObject({ blockedFrom: 1 });
      expect(await ports.receipts.block(owner, id, [0])).toBe(true);
      expect(await found()).toMatchObject({ blockedFrom: 0 });
    });

    holds('are claimed by an ack or by a nack, never by both', async (ports, at) => {
      const { id, found } = await saved(ports, at);
      expect(await ports.receipts.acknowledge(owner, id, [0])).toBe(true);
      expect(await ports.receipts.acknowledge(owner, id, [0])).toBe(true);
      expect(await ports.receipts.block(owner, id, [1, 0])).toBe(false);
      expect(await found()).toMatchObject({ acknowledged: [0] });
      expect(await ports.receipts.block(owner, id, [1])).toBe(true);
      expect(await ports.receipts.acknowledge(owner, id, [0, 1])).toBe(false);
      expect(await ports.receipts.acknowledge(owner, id, [2])).toBe(false);
      await ports.receipts.markReturned(owner, id, [1]);
      await ports.receipts.markReturned(owner, id, [2]);
      const after = await found();
      expect(after).toMatchObject({ acknowledged: [0], blockedFrom: 1 });
      expect([...(after?.returned ?? [])].sort()).toEqual([1, 2]);
    });

    holds(
      'of messages that came alone are saved when these are returned, 100 at once',
      async (ports, at) => {
        const last = at.correlationId.slice(-4);
        const singles = Array.from({ length: 100 }, (_, index) =>
          returnedSingle({ handle: `${last}.${index}`, takenAt: time }),
        );
        await ports.receipts.save(owner, singles);
        const ids = singles.map(({ id }) => id);
        const found = await ports.receipts.find(owner, ids);
        expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
        expect(found[0]).toMatchObject({ blockedFrom: 0, returned: [0] });
      },
    );

    holds(
      'are known for a day after the end of the invisibility, deleted or not',
      async (ports, at) => {
        const { found } = await saved(ports, at);
        clock.now = time + 60_000 + limits.receiptsKeptSeconds * 1000 - 1;
        expect(await found()).toBeDefined();
        clock.now += 1;
        expect(await found()).toBeUndefined();
      },
    );
  });

  describe('waiting polls', () => {
    const connectionOf = (at: { correlationId: string }) => `c${at.correlationId.slice(-12)}`;
    const times = (count: number) => Array.from({ length: count }, (_, index) => index);

    holds('of one connection are three, even if eight begin at once', async ({ polls }, at) => {
      const id = connectionOf(at);
      const begun = await Promise.all(
        times(8).map(index => polls.begin(id, time + 20_000 + index)),
      );
      expect(begun.filter(poll => poll !== undefined)).toHaveLength(3);
      expect(await polls.begin(id, time + 20_000)).toBeUndefined();
      expect(await polls.begin(`${id}x`, time + 20_000)).toBeDefined();
    });

    holds('make room when they end, whichever ends first', async ({ polls }, at) => {
      const id = connectionOf(at);
      for (const index of times(3)) {
        const begun = await Promise.all(times(3).map(() => polls.begin(id, time + 20_000)));
        const ended = begun[index];
        if (!ended) throw new Error('Three polls may wait.');
        await polls.end(ended);
        expect(await polls.begin(id, time + 20_000)).toMatchObject({ slot: ended.slot });
        for (const poll of begun) if (poll) await polls.end(poll);
      }
    });

    holds(
      'end by themselves, so that a dead function takes no place for ever',
      async ({ polls }, at) => {
        const id = connectionOf(at);
        for (const index of times(3))
          expect(await polls.begin(id, time + 1_000 + index)).toBeDefined();
        clock.now = time + 999;
        expect(await polls.begin(id, time + 30_000)).toBeUndefined();
        clock.now = time + 1_000;
        const later = await polls.begin(id, time + 30_000);
        expect(later).toBeDefined();
        expect(await polls.begin(id, time + 30_000)).toBeUndefined();
      },
    );

    holds('that have ended do not end the next poll in their place', async ({ polls }, at) => {
      const id = connectionOf(at);
      const first = await polls.begin(id, time + 1_000);
      clock.now = time + 1_000;
      for (const _ of times(3)) await polls.begin(id, time + 9_000);
      if (first) await polls.end(first);
      expect(await polls.begin(id, time + 9_000)).toBeUndefined();
    });
  });

  holds('one runner at a time works on a replay, until it ends', async ({ replays }, at) => {
    const id = `y${at.correlationId.slice(-12)}`;
    const replay = replayOf({
      id,
      from: time - 1_000,
      to: time,
      createdAt: time,
      reached: time - 1_000,
    });
    await replays.add(replay, []);
    expect(await replays.running()).toContain(id);
    const lease = { owner: 'one', until: time + 10_000 };
    expect(await replays.acquire(id, lease, time)).toMatchObject({ id, sent: 0 });
    expect(
      await replays.acquire(id, { owner: 'two', until: time + 20_000 }, time + 1_000),
    ).toBeUndefined();
    expect(
      await replays.acquire(id, { owner: 'two', until: time + 20_000 }, time + 11_999),
    ).toBeUndefined();
    const some = { sent: 3, position: 'p', reached: time - 500, next: 1, waiting: [] };
    expect(await replays.progress(id, lease, some)).toBe(true);
    const late = { owner: 'late', until: time + 30_000 };
    expect(await replays.progress(id, late, { ...some, sent: 9 })).toBe(false);
    expect(await replays.find(id)).toEqual({ ...replay, ...some, lease });
    const waiting = [{ correlationId: at.correlationId, next: 2, last: 7 }];
    const done = { sent: 4, position: 'q', reached: time - 400, next: 5, waiting };
    expect(await replays.progress(id, lease, done)).toBe(true);
    await replays.release(id, 'two', 'not ours');
    expect(await replays.find(id)).toEqual({ ...replay, ...done, lease });
    await replays.release(id, 'one', 'an error');
    expect(await replays.find(id)).toEqual({ ...replay, ...done, problem: 'an error' });
    expect(await replays.acquire(id, lease, time)).toMatchObject({ problem: 'an error', waiting });
    await replays.release(id, 'one');
    expect(await replays.find(id)).toEqual({ ...replay, ...done });
    expect(await replays.acquire(id, lease, time)).toMatchObject({ id });
    expect(await replays.acquire(id, late, time + 12_000)).toMatchObject({ id, sent: 4 });
    expect(await replays.progress(id, lease, { ...done, sent: 9 })).toBe(false);
    await replays.release(id, 'one');
    expect(await replays.find(id)).toEqual({ ...replay, ...done, lease: late });
    await replays.release(id, 'late');
    expect(await replays.end(id, { status: 'cancelled' })).toBe(true);
    expect(await replays.end(id, { status: 'finished' })).toBe(false);
    expect(await replays.find(id)).toEqual({
      ...replay,
      ...done,
      waiting: [],
      status: 'cancelled',
    });
    expect(await replays.acquire(id, lease, time + 60_000)).toBeUndefined();
    expect(await replays.running()).not.toContain(id);
  });
};

for (const engine of ledgerEngines)
  describeUnless(engine.lacks, `on ${engine.name}`, contractOf(engine));
