/** How many requests fit a window, and how long it is. */
export interface Window {
  readonly requests: number;
  readonly seconds: number;
}

/** What became of one request. Refused requests do not count. */
export interface Counted {
  readonly allowed: boolean;
  /** When the counted requests came, epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly waitMilliseconds: number;
}

/**
 * Counts one request of a key over the last `seconds`.
 *
 * @param times when its earlier requests came
 * @param now epoch milliseconds
 */
export const countRequest = (window: Window, times: readonly number[], now: number): Counted => {
  const begins = now - window.seconds * 1000;
  const first = times.findIndex(time => time > begins);
  const recent = first === -1 ? [] : times.slice(first);
  const [oldest] = recent;
  return recent.length < window.requests || oldest === undefined
    ? { allowed: true, times: [...recent, now], waitMilliseconds: 0 }
    : { allowed: false, times: recent, waitMilliseconds: oldest - begins };
};
