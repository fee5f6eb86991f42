import { hash } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { families } from '../../contract/message-types.ts';
import { type Violation, violation } from '../../contract/violation.ts';
import { snapshotOf } from '../story/snapshot.ts';
import type { JsonObject } from './json-object.ts';
import type { Message } from './message.ts';
import { mismatchViolations, typeViolations } from './message-type.ts';
import { parseJson } from './parse-json.ts';
import { type Strictness, schemaViolations } from './schema-violations.ts';
import { strictnessOf, versionViolations } from './som-version.ts';
import { textOf } from './text-of.ts';

type ReadMessage =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly violations: readonly [Violation, ...Violation[]] };

const tooLarge = (bytes: number): Violation =>
  violation('message.too_large', `The body has ${bytes} bytes; at most ${limits.messageBytes} are allowed.`);

const familyOf = (json: JsonObject) => families.get(textOf(json, 'message_type')) ?? null;

const schemaFindings = (json: JsonObject, strictness: Strictness): readonly Violation[] => {
  const family = familyOf(json);
  return [
    ...schemaViolations(json, 'envelope', strictness),
    ...(family === null ? [] : schemaViolations(json, family, strictness)),
  ];
};

/** What a later 1.x may have added: known to be all that the schemas of 1.0 object to. */
const additions = (json: JsonObject): readonly Violation[] =>
  schemaFindings(json, '1.0').filter(({ rule }) => /\.(?:enum|additionalProperties)$/.test(rule));

/** One violation each: composite schemas report the same finding once per branch. */
const distinct = (violations: readonly Violation[]): readonly Violation[] => [
  ...new Map(violations.map(found => [`${found.rule} ${found.path} ${found.message}`, found])).values(),
];

const reported = (violations: readonly Violation[]): readonly Violation[] =>
  distinct(violations).slice(0, limits.violationsReported);

const accepted = (json: JsonObject, canonical: string, tolerated: readonly Violation[]): Message => {
  const family = familyOf(json);
  const snapshot = family === 'story-context' ? snapshotOf(json['payload']) : undefined;
  return {
    messageId: textOf(json, 'message_id'),
    messageType: textOf(json, 'message_type'),
    correlationId: textOf(json, 'correlation_id'),
    systemId: textOf(json['originating_system'], 'system_id'),
    family,
    tolerated,
    contentHash: hash('sha256', canonical, 'base64url'),
    ...(snapshot === undefined ? {} : { story: snapshot }),
  };
};

/**
 * Reads a published body: its size, its bytes and JSON, then everything the message itself can break (schema,
 * conformance, policy), reported together, 50 at most. It never looks at who sends or what was sent before.
 */
export const readMessage = (bytes: Uint8Array): ReadMessage => {
  if (bytes.byteLength > limits.messageBytes) return { ok: false, violations: [tooLarge(bytes.byteLength)] };
  const parsed = parseJson(bytes);
  if (!parsed.ok) return parsed;
  const json = parsed.value;
  const strictness = strictnessOf(json['som_version']);
  const type = typeViolations(json['message_type'], strictness);
  const [first, ...rest] = reported([
    ...versionViolations(json['som_version']),
    ...type.refused,
    ...mismatchViolations(json),
    ...schemaFindings(json, strictness),
  ]);
  if (first !== undefined) return { ok: false, violations: [first, ...rest] };
  const later = strictness === '1.x' ? additions(json) : [];
  return { ok: true, message: accepted(json, parsed.canonical, reported([...type.tolerated, ...later])) };
};
