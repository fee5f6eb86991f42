import { createHash } from 'node:crypto';
import type { Envelope, Outside } from '../client/index.ts';

export type Id = Envelope['message_id'];
export type Instant = Envelope['timestamp'];

export type LocalTime = `${number}:${number}`;

/** UUID version 8 (RFC 9562 section 5.8): the same names always give the same id. */
export const derivedId = (...names: readonly string[]): Id => {
  const hex = createHash('sha256').update(JSON.stringify(names)).digest('hex');
  const variant = '89ab'.charAt(Number(`0x${hex.charAt(16)}`) & 3);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-') as Id;
};

/** @param milliseconds of the epoch */
export const instant = (milliseconds: number): Instant =>
  new Date(milliseconds).toISOString() as Instant; // RFC 3339, as ECMA-262 has it

const local = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/London',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** Date and time in Halmere, such as `2026-05-04 06:05:00`. */
export const localText = (milliseconds: number): string => local.format(milliseconds);

export const localDate = (milliseconds: number): string => localText(milliseconds).slice(0, 10);

export interface Day {
  /** Such as `2026-05-04`. */
  readonly date: string;
  /** Epoch milliseconds. */
  at(time: LocalTime): number;
  storyId(story: string): string;
}

/** @returns undefined when there is no such day */
export const dayOf = (date: string): Day | undefined => {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date))
    return undefined;
  return {
    date,
    at: time => {
      const asUtc = Date.parse(`${date}T${time}:00Z`);
      // Clocks change at one in the morning; nothing is played then.
      return asUtc - (Date.parse(`${localText(asUtc).replace(' ', 'T')}Z`) - asUtc);
    },
    storyId: story => `${story}.day-${date.replaceAll('-', '')}`,
  };
};

export const houseIds = {
  correlation: (storyId: string): Id => derivedId('correlation', storyId),
  asset: (storyId: string, name: string): string => `${storyId}/${name}`,
  link: (correlation: string, asset: string, destination: string): Id =>
    derivedId('link', correlation, asset, destination),
  telling: (link: string): Id => derivedId('telling', link),
} as const;

export const destinations = { bulletin: 'quay-bulletin', page: 'quay-live-page' } as const;

export type Time = Pick<Outside, 'now' | 'sleep'>;

export class DayClock {
  readonly #time: Time;
  readonly #speed: number;
  #begin: number;
  #startedAt: number;

  /** @param begin a time of the day, in epoch milliseconds */
  constructor(time: Time, speed: number, begin: number) {
    this.#time = time;
    this.#speed = speed;
    this.#begin = begin;
    this.#startedAt = time.now();
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
