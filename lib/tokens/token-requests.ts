/** How many requests a window allows, and how long it is. */
export interface Window {
  readonly requests: number;
  readonly seconds: number;
}

/** The outcome for one request. Refused requests do not count. */
interface Counted {
  readonly allowed: boolean;
  /** Arrival times of the counted requests, epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly waitMilliseconds: number;
}

/**
 * Counts one request of a key over the last `seconds`.
 *
 * @param times arrival times of its earlier requests
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

export interface CountedClient {
  readonly clientId: string;
  readonly known: boolean;
}

/** The token requests of each client, within `windows.tokenPerBasicClient`. */
export interface TokenRequests {
  /** Counts a request; if the client has none left, returns the milliseconds until it has one again. */
  count(client: CountedClient): Promise<number | undefined>;
}
