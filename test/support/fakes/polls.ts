import type { WaitingPoll, WaitingPolls } from '../../../lib/bus/consuming/pull.ts';
import { limits } from '../../../lib/contract/limits.ts';
import type { Clock } from '../../../lib/contract/outside.ts';

/** Waiting polls in memory. */
export const pollsInMemory = (clock: Pick<Clock, 'now'>): WaitingPolls => {
  let waiting: readonly WaitingPoll[] = [];
  return {
    async begin(connection, until) {
      waiting = waiting.filter(poll => poll.until > clock.now());
      const own = waiting.filter(poll => poll.connection === connection);
      if (own.length >= limits.waitingPolls) return undefined;
      const slots = new Set(own.map(({ slot }) => slot));
      const slot = [1, 2, 3].find(candidate => !slots.has(candidate)) ?? 0;
      const poll = { connection, slot, until };
      waiting = [...waiting, poll];
      return poll;
    },
    async end(poll) {
      waiting = waiting.filter(
        ({ connection, slot, until }) =>
          connection !== poll.connection || slot !== poll.slot || until !== poll.until,
      );
    },
  };
};
