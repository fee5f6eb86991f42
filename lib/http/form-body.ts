import { utf8Text } from '../domain/message/utf8-text.ts';

/**
 * The parameters of an `application/x-www-form-urlencoded` body; undefined when it is not UTF-8 or names a
 * parameter twice (RFC 6749 section 3.2).
 */
export const formBody = (body: Uint8Array): ReadonlyMap<string, string> | undefined => {
  const text = utf8Text(body);
  if (text === undefined) return undefined;
  const pairs = [...new URLSearchParams(text)];
  const form = new Map(pairs);
  return form.size === pairs.length ? form : undefined;
};
