import { time } from '../../support/entries.ts';
import type { LedgerBench, OwnLog } from '../../support/ledger-bench.ts';

/** What every implementation of `WaitingPolls` does. */
export const waitingPollsContract = ({ holds, clock }: LedgerBench): void => {
  const connectionOf = (at: OwnLog) => `c${at.correlationId.slice(-12)}`;
  const times = (count: number) => Array.from({ length: count }, (_, index) => index);

  holds('of one connection are three, even if eight begin at once', async ({ polls }, at) => {
    const id = connectionOf(at);
    const begun = await Promise.all(times(8).map(index => polls.begin(id, time + 20_000 + index)));
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
};
