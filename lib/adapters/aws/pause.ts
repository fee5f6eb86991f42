import { setTimeout } from 'node:timers/promises';

const first = 10;
const longest = 100;

/**
 * Waits before a further try of a call that DynamoDB put off, 0 being the first such pause: of random length, so that those
 * who collided do not collide again, and longer the more tries there were, up to 100 ms.
 */
export const pause = (tries: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(longest, first * 2 ** tries));
