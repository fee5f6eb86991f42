import { limits } from '../../contract/limits.ts';
import { families, pendingSpecTypes } from '../../contract/message-types.ts';
import { type Violation, violation } from '../../contract/violation.ts';
import type { JsonObject } from './json-object.ts';
import { quoteValue } from './quote-value.ts';
import type { Strictness } from './schema-violations.ts';

const wellFormed = /^[a-z][a-z0-9_.]*$/;

/** Whether the bus knows the message type: `refused` when not, `tolerated` when its payload goes unchecked. */
export const typeViolations = (
  type: unknown,
  strictness: Strictness,
): { refused: readonly Violation[]; tolerated: readonly Violation[] } => {
  if (typeof type !== 'string' || !wellFormed.test(type) || families.has(type))
    return { refused: [], tolerated: [] };
  const path = '/message_type';
  if (type.length > limits.nameCharacters) {
    const message = `A message type has at most ${limits.nameCharacters} characters; this one has ${type.length}.`;
    return { refused: [violation('message_type.unknown', message, path)], tolerated: [] };
  }
  if (strictness === '1.x' || pendingSpecTypes.has(type)) {
    const message = `SOM 1.0 has no schema for ${quoteValue(type)}: the payload was not checked.`;
    return { refused: [], tolerated: [violation('payload.unvalidated', message, path)] };
  }
  const message = `SOM 1.0 has no message type ${quoteValue(type)}, and no skill of the library recalls on it.`;
  return { refused: [violation('message_type.unknown', message, path)], tolerated: [] };
};

/** A payload that names another message type than its envelope. */
export const mismatchViolations = (message: JsonObject): readonly Violation[] => {
  const { message_type: type, payload } = message;
  if (typeof type !== 'string' || payload === null || typeof payload !== 'object') return [];
  if (!Object.hasOwn(payload, 'message_type')) return [];
  const inner: unknown = Reflect.get(payload, 'message_type');
  if (inner === type) return [];
  const words = `The payload says ${quoteValue(inner)}, the envelope ${quoteValue(type)}; make them the same.`;
  return [violation('payload.message_type_mismatch', words, '/payload/message_type')];
};
