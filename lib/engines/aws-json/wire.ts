import { isJsonObject, type JsonObject } from '../../json/value.ts';
import type { Store } from '../store/store.ts';
import type { Operation } from './server.ts';

/** A value as AWS's JSON protocols write it: bytes as base64, times as epoch seconds. */
const onWire = (value: unknown): unknown => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(onWire);
  return isJsonObject(value) ? objectOnWire(value) : value;
};

const objectOnWire = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, onWire(value)]));

/**
 * Operations on a store, for callers outside this process: answers are plain JSON, and are given when everything they saw
 * or did is on disk. A duplicate, or a second delete, changes nothing, but what it confirms must be there after a crash.
 */
export const operationsOnWire = (
  operations: ReadonlyMap<string, Operation>,
  store: Store,
): ReadonlyMap<string, Operation> =>
  new Map(
    [...operations].map(([name, operation]): [string, Operation] => [
      name,
      async (input, call) => {
        const answer = await operation(input, call);
        await store.saved();
        return objectOnWire(answer);
      },
    ]),
  );
