import { isJsonObject, type JsonObject } from '../message/json-object.ts';

/** A map of a submission: JSON object or YAML mapping. Its members are read with {@link own} only. */
export type SubmittedMap = JsonObject;

export const isMap: (value: unknown) => value is SubmittedMap = isJsonObject;

/** A member of the map itself, never one it inherits. */
export const own = (map: SubmittedMap, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined;
