import type { Outside } from '../client/index.ts';

export type Time = Pick<Outside, 'now' | 'sleep'>;

export class DayClock {
  readonly #time: Time;
  readonly #speed: number;
  #begin = 0;
  #startedAt = 0;

  constructor(time: Time, speed: number) {
    this.#time = time;
    this.#speed = speed;
  }

  /** It goes on from a time of the day, in epoch milliseconds. */
  set(begin: number): void {
    this.#begin = begin;
    this.#startedAt = this.#time.now();
  }

  now(): number {
    return this.#begin + (this.#time.now() - this.#startedAt) * this.#speed;
  }

  /** Waits until a time of the day, but no longer than so many milliseconds of the day. */
  async until(time: number, signal: AbortSignal, max = Number.POSITIVE_INFINITY): Promise<void> {
    const wait = Math.min(time - this.now(), max);
    if (wait > 0) await this.#time.sleep(wait / this.#speed, signal);
  }
}
