import { isJsonObject, type JsonObject } from '../json/value.ts';
import { describeValue } from './wording.ts';

/** A map of a submission: JSON object or YAML mapping. Its members are read with {@link own} only. */
export type SubmittedMap = JsonObject;

export const isMap: (value: unknown) => value is SubmittedMap = isJsonObject;

/** A member of the map itself, never one it inherits. */
export const own = (map: SubmittedMap, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/** Control characters other than line breaks and tabs, lone surrogates and noncharacters: none can be shown or sent on. */
export const unprintable = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/** Why a value is not text that can be used, as the end of a sentence; undefined when it is. */
export const textProblem = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return `is ${describeValue(value)}, but has to be text: write it in quotes`;
  }
  if (typeof value !== 'string') return `is ${describeValue(value)}, but has to be text`;
  if (value.trim() === '') return 'is empty text; it has to say something';
  return unprintable.test(value)
    ? `is ${describeValue(value)}, which holds a control character or half a surrogate pair`
    : undefined;
};

/** Whether a value is text that {@link textFault} finds nothing wrong with. */
export const isText = (value: unknown): value is string => textProblem(value) === undefined;
