import { isUtf8 } from 'node:buffer';
import { type Violation, violation } from '../../contract/refusals.ts';
import { type Measure, measure } from './canonical-form.ts';
import { inspectJson } from './inspect.ts';
import { isJsonObject, type JsonObject, jsonIn } from './value.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The position of the quote that closes the string opened at `from`. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from + 1;
  for (let byte = bytes[at]; byte !== quote && byte !== undefined; byte = bytes[at]) {
    at += byte === backslash ? 2 : 1;
  }
  return at;
};

export const countMembers = (bytes: Uint8Array): number => {
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === quote) at = endOfString(bytes, at);
    else if (bytes[at] === colon) members++;
  }
  return members;
};

type Refusal = { readonly ok: false; readonly violations: readonly [Violation, ...Violation[]] };

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonObject; readonly text: string }
  | Refusal;

const notJson = (message: string): Refusal => ({
  ok: false,
  violations: [violation('message.not_json', message)],
});

const isDoubtful = (text: string): boolean =>
  (text.includes('\\') && /\\u[dD][89a-fA-F]/.test(text)) || /[\ufffe\uffff]/.test(text);

/**
 * The first bytes of a compressed body: gzip (RFC 1952), zlib (RFC 1950) and Zstandard (RFC 8878).
 * None begins JSON.
 */
const signatures: readonly (readonly [string, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['deflate', [0x78, 0x01]],
  ['deflate', [0x78, 0x5e]],
  ['deflate', [0x78, 0x9c]],
  ['deflate', [0x78, 0xda]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
];

const compressionOf = (bytes: Uint8Array): string | undefined =>
  signatures.find(([, signature]) => signature.every((byte, i) => bytes[i] === byte))?.[0];

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array (send each message by itself)';
  return value === null ? 'null' : `a ${typeof value}`;
};

const explain = (text: string): Refusal | undefined => {
  const [first, ...rest] = inspectJson(text);
  if (first === undefined) return undefined;
  return { ok: false, violations: [first, ...rest] };
};

/**
 * Whether no object names a member twice: JSON.parse would drop the first one. A second member
 * takes at least 5 characters (`"":0,`), so a text with fewer to spare cannot have one. In longer
 * texts the members are counted.
 */
const isWhole = (bytes: Uint8Array, text: string, { members, shortest }: Measure): boolean =>
  text.length < shortest + 5 || countMembers(bytes) === members;

/**
 * Reads bytes as one I-JSON object (RFC 7493): UTF-8 without a byte order mark, no member named
 * twice, no lone surrogate, no number too large for a double, nested at most 64 deep. JSON.parse
 * reads; a cheap check looks for what it lets through, and a slower reader explains what the check
 * finds.
 */
export const parseJson = (bytes: Uint8Array): ParsedJson => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return notJson('The body begins with a byte order mark (EF BB BF); send UTF-8 without one.');
  const compression = compressionOf(bytes);
  if (compression !== undefined)
    return notJson(`The body is compressed (${compression}); send it uncompressed.`);
  if (!isUtf8(bytes)) return notJson('The body is not UTF-8.');

  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const value = jsonIn(text);
  if (value !== undefined && !isJsonObject(value))
    return notJson(`The body is JSON, but ${kindOf(value)}; expected one object.`);
  if (!isJsonObject(value)) return explain(text) ?? notJson('The body is not JSON.');

  const measured = measure(value);
  if (!measured.sound || !isWhole(bytes, text, measured))
    return explain(text) ?? notJson('The body is not strict JSON.');

  const refusal = isDoubtful(text) ? explain(text) : undefined;
  return refusal ?? { ok: true, value, text };
};
