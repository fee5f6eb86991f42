import { isUtf8 } from 'node:buffer';
import { limits } from '../../contract/limits.ts';
import { type Violation, violation } from '../../contract/rules.ts';
import { canonicalForm } from './canonical-form.ts';
import { inspectJson } from './inspect-json.ts';
import { jsonExtent } from './json-extent.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

type Refusal = { readonly ok: false; readonly violations: readonly [Violation, ...Violation[]] };

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonObject; readonly canonical: string }
  | Refusal;

const notJson = (message: string): Refusal => ({
  ok: false,
  violations: [violation('message.not_json', message)],
});

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** An escaped surrogate, which may lack its other half, or a character that queues refuse. */
const isDoubtful = (text: string, unescaped: boolean): boolean =>
  (!unescaped && /\\u[dD][89a-fA-F]/.test(text)) || /[\ufffe\uffff]/.test(text);

const explain = (text: string): Refusal | undefined => {
  const [first, ...rest] = inspectJson(text);
  return first === undefined ? undefined : { ok: false, violations: [first, ...rest] };
};

/**
 * Reads bytes as one JSON object under I-JSON (RFC 7493): UTF-8 without a byte order mark, no member named
 * twice, no lone surrogate, no number beyond a double, nested at most 64 deep. JSON.parse does the reading; that
 * no member was dropped is seen by counting them in the text and in the value.
 */
export const parseJson = (bytes: Uint8Array): ParsedJson => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return notJson('The body begins with a byte order mark (EF BB BF); send UTF-8 without one.');
  }
  if (!isUtf8(bytes)) return notJson('The body is not UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const value = parse(text);
  if (!isObject(value)) return explain(text) ?? notJson('The body is not one JSON object.');
  const { depth, members } = jsonExtent(bytes);
  const unescaped = !text.includes('\\');
  if (depth > limits.messageDepth || isDoubtful(text, unescaped)) {
    const refusal = explain(text);
    if (refusal !== undefined) return refusal;
  }
  const canonical = canonicalForm(value, { unescaped });
  if (canonical.members !== members || !canonical.finite) {
    return explain(text) ?? notJson('The body is not strict JSON.');
  }
  return { ok: true, value, canonical: canonical.text };
};
