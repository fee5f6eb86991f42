import { emptyHead } from '../../../lib/bus/delivery/log.ts';
import { commitOf, commitWithoutLease, entry, time } from '../../support/entries.ts';
import type { LedgerBench } from '../../support/ledger-bench.ts';
import { replayOf } from './replay-desk.ts';

/** What every implementation of `Archive` does. */
export const archiveContract = ({ holds }: LedgerBench): void => {
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
};

/** What every implementation of `Replays` does. */
export const replaysContract = ({ holds }: LedgerBench): void => {
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
    expect(await replays.findAll([`${id}-unknown`, id])).toEqual([replay]);
    expect(await replays.findAll([])).toEqual([]);
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
