import { AsyncLocalStorage } from 'node:async_hooks';

export interface Reader {
  /** Aborted when the caller is gone. */
  readonly gone?: AbortSignal;
  /** Whether the request's time is over. */
  isLate(): boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Reads for somebody: everything that `work` does in turn belongs to it. */
export const readFor = <Result>(reader: Reader, work: () => Promise<Result>): Promise<Result> =>
  readers.run(reader, work);

/** Throws if nobody waits for what would be read next: every page of a table asks this first. */
export const mustStillRead = (): void => {
  const reader = readers.getStore();
  if (reader?.gone?.aborted) throw new Error('The caller is gone: nothing more is read.');
  if (reader?.isLate()) throw new Error("The request's time is over: nothing more is read.");
};
