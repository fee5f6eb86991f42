import { proxiedFetch } from './proxied-fetch.ts';

/** What the client takes from its surroundings. Tests replace it. */
export interface Outside {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects with the signal's reason if that aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  timeout(milliseconds: number): AbortSignal;
  /** From 0 up to, not including, 1. */
  random(): number;
  randomBytes(count: number): Uint8Array;
}

const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wake = () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

/**
 * Not AbortSignal.timeout: Node 20 collects one that only AbortSignal.any refers to, and it never
 * fires. The timer keeps this one.
 */
const timeout = (milliseconds: number): AbortSignal => {
  const late = new AbortController();
  const end = () =>
    late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer: unknown = setTimeout(end, milliseconds);
  // Nobody waits for it at the end of a program; browsers' timers are numbers.
  if (
    typeof timer === 'object' &&
    timer !== null &&
    'unref' in timer &&
    typeof timer.unref === 'function'
  )
    timer.unref();
  return late.signal;
};

export const systemOutside: Outside = {
  fetch: proxiedFetch,
  now: () => Date.now(),
  sleep,
  timeout,
  random: () => Math.random(),
  randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
};

/**
 * Waits for `work`, but not beyond the signal: then it rejects with the signal's reason, while the
 * work continues.
 */
export const unlessAborted = async <T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> => {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let leave = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
