import { isJsonObject } from '../../platform/json/value.ts';

export const errorMessage = (error: unknown): string => {
  // An error that comes from another thread may only look like one.
  const message = isJsonObject(error) ? error['message'] : undefined;
  if (typeof message === 'string') return message;
  return String(error);
};

export const errorCode = (error: unknown): string | undefined => {
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Where the engines listen. */
export const loopback = '127.0.0.1';

export const localAccount = { account: '000000000000', region: 'us-east-1' } as const;

/** Longer than clients keep an idle connection, so that it is not closed while they reuse it. */
export const keepAliveMilliseconds = 65_000;

/**
 * Resolves when the event loop has gone round a few times: what had arrived until now is read then,
 * first a connection, then its bytes.
 */
export const readArrived = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await new Promise(resolve => setImmediate(resolve));
};

/** The time of the engines: tests control it, `systemClock` is the machine's. */
export interface EngineClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `task` once, `milliseconds` from now, and returns a function that cancels it. */
  after(milliseconds: number, task: () => void): () => void;
}

export const systemClock: EngineClock = {
  now: Date.now,
  after(milliseconds, task) {
    const timer = setTimeout(task, milliseconds);
    return () => clearTimeout(timer);
  },
};
