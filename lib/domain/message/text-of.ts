/** A member's text; empty where it is no text, or the value no object. */
export const textOf = (object: unknown, member: string): string => {
  const value: unknown =
    object !== null && typeof object === 'object' ? Reflect.get(object, member) : undefined;
  return typeof value === 'string' ? value : '';
};
