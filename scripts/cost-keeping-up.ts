import { limits } from '../lib/contract/limits.ts';
import {
  afterPull,
  afterRequest,
  type Pace,
  paceFrom,
  pauseBefore,
} from '../lib/kit/client/pace.ts';

// What a consumer does that keeps up with messages which come one by one: the client's own pacing,
// played with a clock of its own.

export interface KeepingUp {
  readonly messages: number;
  /** Messages of each pull that got some. */
  readonly pulls: readonly number[];
  readonly acks: number;
  /** Seconds that polls waited in a function. */
  readonly waitedSeconds: number;
}

const playedSeconds = 3_600;
/** A pull and an ack take so long together. */
const requestMilliseconds = 60;

/** An hour of one consumer, paced as the client paces it, or not at all. */
export const keepUp = (messagesPerSecond: number, requestsPerMinute: number): KeepingUp => {
  const every = 1_000 / messagesPerSecond;
  const end = playedSeconds * 1_000;
  const pulls: number[] = [];
  let [now, taken, acks, waited] = [0, 0, 0, 0];
  let last = 0;
  let pace: Pace = paceFrom(requestsPerMinute, now);
  while (now < end) {
    now += pauseBefore(pace, last > 0 ? 2 : 1, now);
    if (last > 0) {
      acks += 1;
      pace = afterRequest(pace, now);
    }
    pace = afterRequest(pace, now);
    const nextAt = (taken + 1) * every;
    const wait = Math.min(Math.max(0, nextAt - now), limits.pullWaitSeconds.max * 1_000);
    waited += wait;
    now += wait;
    const waiting = Math.floor(now / every) - taken;
    last = Math.min(waiting, limits.pullMessages.max);
    taken += last;
    if (last > 0) pulls.push(last);
    // How late the newest of them is counts only while more of them wait.
    const lag = waiting > last ? now - taken * every : 0;
    pace = afterPull(pace, last, lag, now);
    now += requestMilliseconds;
  }
  return { messages: taken, pulls, acks, waitedSeconds: waited / 1_000 };
};
