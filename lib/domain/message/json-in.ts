import { utf8Text } from './utf8-text.ts';

/** The value of a JSON text, in UTF-8 where it is bytes; undefined when it is not JSON. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : (utf8Text(text) ?? ''));
  } catch {
    return undefined;
  }
};
