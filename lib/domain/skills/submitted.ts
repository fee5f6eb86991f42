/** A map of a submission: JSON object or YAML mapping. Its members are read with {@link own} only. */
export type SubmittedMap = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is SubmittedMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of the map itself, never one it inherits. */
export const own = (map: SubmittedMap, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined;
