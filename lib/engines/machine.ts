import { isJsonObject } from '../json/value.ts';

export const errorMessage = (error: unknown): string => {
  // An error that comes from another thread may only look like one.
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : String(error);
};

export const errorCode = (error: unknown): string | undefined => {
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Where the engines listen. */
export const loopback = '127.0.0.1';

export const localAccount = { account: '000000000000', region: 'us-east-1' } as const;

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
