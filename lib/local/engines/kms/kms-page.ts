import type { JsonObject } from '../../../domain/message/json-object.ts';
import { integerOf, textOf } from '../aws-json/json-input.ts';
import { kmsError } from './kms-error.ts';

/** A page of a list under `member`, with AWS's `Limit`, `Marker`, `NextMarker` and `Truncated`. */
export function pageOf(member: string, items: readonly JsonObject[], input: JsonObject): JsonObject {
  const limit = integerOf(input, 'Limit') ?? 100;
  if (limit < 1 || limit > 1000) throw kmsError('ValidationException', 'Limit must be between 1 and 1000');
  const marker = textOf(input, 'Marker') ?? '0';
  if (!/^\d{1,9}$/.test(marker))
    throw kmsError('InvalidMarkerException', `Could not read marker '${marker}'`);
  const end = Number(marker) + limit;
  const more = end < items.length;
  return {
    [member]: items.slice(Number(marker), end),
    Truncated: more,
    ...(more && { NextMarker: String(end) }),
  };
}
