import { hash } from 'node:crypto';
import { canonicalUuid } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { type Family, families, typesWithoutSchema } from '../../contract/message-types.ts';
import { defined } from '../../contract/outside.ts';
import { type Violation, violation } from '../../contract/refusals.ts';
import { schemaFailure } from '../../contract/rules.ts';
import { exactNumberAt, integerOf } from '../../platform/json/canonical-form.ts';
import { formats } from '../../platform/json/formats.ts';
import { parseJson } from '../../platform/json/parse.ts';
import {
  type JsonObject,
  jsonIn,
  quoteValue,
  shorten,
  textOf,
  valueAt,
} from '../../platform/json/value.ts';
import { type StoryState, storyStateOf, toldOfSnapshot } from '../stories/sequence-rules.ts';
import { type Strictness, schemaViolations } from './schema-violations.ts';

/** A message that is valid by itself: its bytes, its schema and the policy for messages. */
export interface Message {
  /** In lower case, as the correlation_id: the body has them as they were sent. */
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly systemId: string;
  /** The schema that checked the payload; null when SOM 1.0 has none for this type. */
  readonly family: Family | null;
  readonly tolerated: readonly Violation[];
  /** The producer's exact bytes. */
  readonly body: Uint8Array;
  readonly bodyHash: string;
  /**
   * story.context only: the snapshot as the sequence rules see it. The judgement contains what is
   * stored.
   */
  readonly story?: StoryState;
}

const form = /^(\d+)\.(\d+)\.\d+$/;

const versionIn = (text: unknown): { major: number; minor: number } | undefined => {
  const found = typeof text === 'string' ? form.exec(text) : null;
  if (found === null) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]) };
};

/** How strictly a message of this `som_version` is checked. */
const strictnessOf = (text: unknown): Strictness => {
  const version = versionIn(text);
  const isLater = version?.major === 1 && version.minor > 0;
  return isLater ? '1.x' : '1.0';
};

/** Whether the bus accepts this `som_version`. The schema checks texts that are not a version. */
const versionViolations = (text: unknown): readonly Violation[] => {
  const version = versionIn(text);
  if (version === undefined || version.major === 1) return [];
  const path = '/som_version';
  if (version.major === 0) {
    const words = 'The message declares SOM 0.x; this bus accepts SOM 1.x.';
    return [violation('som_version.pre_1_0', words, path)];
  }
  const words = 'The message declares SOM 2.x or later; this bus accepts SOM 1.x.';
  return [violation('som_version.unsupported_major', words, path)];
};

const wellFormed = /^[a-z][a-z0-9_.]*$/;

/**
 * Whether the bus knows the message type: `refused` if not, `tolerated` if it has no schema for the
 * payload.
 */
const typeViolations = (
  type: unknown,
  strictness: Strictness,
): { refused: readonly Violation[]; tolerated: readonly Violation[] } => {
  if (typeof type !== 'string' || !wellFormed.test(type) || families.has(type))
    return { refused: [], tolerated: [] };
  const path = '/message_type';
  if (type.length > limits.nameCharacters) {
    const message =
      `A message type may have at most ${limits.nameCharacters} characters; this one has ` +
      `${type.length}.`;
    return { refused: [violation('message_type.unknown', message, path)], tolerated: [] };
  }
  if (strictness === '1.x' || typesWithoutSchema.has(type)) {
    const message = `SOM 1.0 has no schema for ${quoteValue(type)}: the payload was not checked.`;
    return { refused: [], tolerated: [violation('payload.unvalidated', message, '/payload')] };
  }
  const message =
    `SOM 1.0 has no message type ${quoteValue(type)}, and no skill of the library uses it for ` +
    'recall.';
  return { refused: [violation('message_type.unknown', message, path)], tolerated: [] };
};

/** A payload must not name a different message type than its envelope. */
const mismatchViolations = (message: JsonObject): readonly Violation[] => {
  const { message_type: type, payload } = message;
  if (typeof type !== 'string' || payload === null || typeof payload !== 'object') return [];
  if (!Object.hasOwn(payload, 'message_type')) return [];
  const inner: unknown = Reflect.get(payload, 'message_type');
  if (inner === type) return [];
  const words = `The payload has ${quoteValue(inner)}, the envelope ${quoteValue(type)}; make them the same.`;
  return [violation('payload.message_type_mismatch', words, '/payload/message_type')];
};

/** What a refused message calls itself, as far as that is well formed. */
export type ClaimedNames = Partial<Pick<Message, 'messageId' | 'messageType' | 'correlationId'>>;

const uuidIn = (json: JsonObject, name: string): string | undefined => {
  const text = textOf(json, name);
  if (formats.uuid(text)) return canonicalUuid(text);
  return undefined;
};

const namedIn = (json: JsonObject): ClaimedNames => {
  const type = textOf(json, 'message_type');
  const isType = wellFormed.test(type) && type.length <= limits.nameCharacters;
  return defined({
    messageId: uuidIn(json, 'message_id'),
    messageType: isType ? type : undefined,
    correlationId: uuidIn(json, 'correlation_id'),
  });
};

type ReadMessage =
  | { readonly ok: true; readonly message: Message }
  | {
      readonly ok: false;
      readonly violations: readonly [Violation, ...Violation[]];
      /** Absent if the body is not a JSON object. */
      readonly named?: ClaimedNames;
    };

const tooLarge = (bytes: number): Violation =>
  violation(
    'message.too_large',
    `The body has ${bytes} bytes; at most ${limits.messageBytes} are allowed.`,
  );

const familyOf = (json: JsonObject) => families.get(textOf(json, 'message_type')) ?? null;

const schemaFindings = (json: JsonObject, strictness: Strictness): readonly Violation[] => {
  const family = familyOf(json);
  return [
    ...schemaViolations(json, 'envelope', strictness),
    ...(family === null ? [] : schemaViolations(json, family, strictness)),
  ];
};

/**
 * What a later 1.x has added: everything that the schemas of 1.0 refuse in a message that is valid
 * as 1.x.
 */
const additions = (json: JsonObject): readonly Violation[] =>
  schemaFindings(json, '1.0').filter(({ rule }) => /\.(?:enum|additionalProperties)$/.test(rule));

/** Without repetitions: a composite schema reports the same violation once per branch. */
const distinct = (violations: readonly Violation[]): readonly Violation[] => [
  ...new Map(
    violations.map(found => [`${found.rule} ${found.path} ${found.message}`, found]),
  ).values(),
];

const reported = (violations: readonly Violation[]): readonly Violation[] =>
  distinct(violations).slice(0, limits.violationsReported);

const sequenceNumberPath = '/payload/sequence_number';

/** A number that is no integer, with its point: its digits alone would look like one. */
const withPoint = (exact: string): string => {
  const [digits = '', power] = exact.split('e');
  const places = -Number(power);
  if (places >= digits.replace('-', '').length) return exact;
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

/** A double rounds a number with many digits: whether it is an integer is seen from the digits. */
const sequenceNumberViolations = (exact: string | undefined): readonly Violation[] => {
  if (exact === undefined || integerOf(exact) !== undefined) return [];
  return [
    {
      source: schemaFailure.source,
      rule: 'story-context.type',
      message: `Found ${shorten(withPoint(exact))}; expected integer.`,
      path: sequenceNumberPath,
    },
  ];
};

type Facts = Pick<Message, 'body' | 'tolerated'> & { readonly sequenceNumber: string | undefined };

const accepted = (json: JsonObject, { body, tolerated, sequenceNumber }: Facts): Message => {
  const family = familyOf(json);
  const isSnapshot = family === 'story-context';
  return defined({
    messageId: canonicalUuid(textOf(json, 'message_id')),
    messageType: textOf(json, 'message_type'),
    correlationId: canonicalUuid(textOf(json, 'correlation_id')),
    systemId: textOf(json['originating_system'], 'system_id'),
    family,
    tolerated,
    body,
    bodyHash: hash('sha256', body, 'base64url'),
    story: isSnapshot ? storyStateOf(json['payload'], sequenceNumber) : undefined,
  });
};

/**
 * Reads a published body: checks its size, its bytes and JSON, and then everything that concerns
 * the message alone (schema, conformance, policy). These violations are reported together, at
 * most 50. The result depends neither on the sender nor on earlier messages.
 */
export const readMessage = (body: Uint8Array): ReadMessage => {
  if (body.byteLength > limits.messageBytes)
    return { ok: false, violations: [tooLarge(body.byteLength)] };
  const parsed = parseJson(body);
  if (!parsed.ok) return parsed;

  const json = parsed.value;
  const isSnapshot = familyOf(json) === 'story-context';
  const sequenceNumber = isSnapshot ? exactNumberAt(parsed.text, sequenceNumberPath) : undefined;
  const strictness = strictnessOf(json['som_version']);
  const type = typeViolations(json['message_type'], strictness);
  const [first, ...rest] = reported([
    ...versionViolations(json['som_version']),
    ...type.refused,
    ...mismatchViolations(json),
    ...schemaFindings(json, strictness),
    ...sequenceNumberViolations(sequenceNumber),
  ]);
  if (first !== undefined) return { ok: false, violations: [first, ...rest], named: namedIn(json) };

  const later = strictness === '1.x' ? additions(json) : [];
  const warnings = isSnapshot ? toldOfSnapshot(json['payload']) : [];
  const tolerated = reported([...type.tolerated, ...later, ...warnings]);
  return { ok: true, message: accepted(json, { body, tolerated, sequenceNumber }) };
};

/** What a person wants to know of a message of each family, by pointer into its payload. */
const factPointers: Readonly<Record<Family, readonly string[]>> = {
  'story-context': [
    '/story_id',
    '/slug',
    '/headline',
    '/story_type',
    '/lifecycle/phase',
    '/priority/level',
    '/sequence_number',
    '/updated_at',
  ],
  'telling-event': [
    '/telling_id',
    '/link_id',
    '/scheduled_start',
    '/exposure_start',
    '/exposure_end',
  ],
  'link-event': [
    '/link_id',
    '/asset_id',
    '/destination_id',
    '/committed_by',
    '/compliance_gate_status',
  ],
  'delivery-media-available': [
    '/delivery_id',
    '/asset_id',
    '/source',
    '/arrived_in',
    '/arrived_at',
  ],
  'skill-warning': ['/severity', '/skill_id', '/rule_id', '/scope', '/detail', '/story_id'],
  'system-audit': ['/audit_id', '/action', '/reason', '/recorded_at'],
};

const maxCharacters = 300;

/** A number with every digit: a double has rounded a long one. */
const digitsAt = (body: Uint8Array, pointer: string): string | undefined => {
  const exact = exactNumberAt(Buffer.from(body).toString('utf8'), `/payload${pointer}`);
  if (exact === undefined) return undefined;
  return `${integerOf(exact) ?? exact}`;
};

const factAt = (body: Uint8Array, payload: unknown, pointer: string): string | undefined => {
  const value = valueAt(payload, pointer);
  if (typeof value === 'string') return shorten(value, maxCharacters);
  if (typeof value !== 'number') return undefined;
  return shorten(digitsAt(body, pointer) ?? `${value}`, maxCharacters);
};

/**
 * The few facts of an accepted message that tell a person what happened, by the last names of their
 * pointers; none for a type that SOM 1.0 has no schema for. Long texts are shortened.
 */
export const factsOf = (
  messageType: string,
  body: Uint8Array,
): Readonly<Record<string, string>> => {
  const family = families.get(messageType);
  if (family === undefined) return {};

  const payload = valueAt(jsonIn(body), '/payload');
  const facts = factPointers[family].flatMap(pointer => {
    const text = factAt(body, payload, pointer);
    if (text === undefined) return [];
    return [[pointer.slice(pointer.lastIndexOf('/') + 1), text] as const];
  });
  return Object.fromEntries(facts);
};
