import { isJsonObject, type JsonObject } from '../../json/value.ts';

/** A value as AWS's JSON protocols write it: bytes as base64, times as epoch seconds. */
const onWire = (value: unknown): unknown => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(onWire);
  return isJsonObject(value) ? objectOnWire(value) : value;
};

/** An answer for callers outside this process, as plain JSON. */
export const objectOnWire = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, onWire(value)]));
