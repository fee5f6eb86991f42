import { createHash } from 'node:crypto';
import { somVersion } from '../contract/message-types.ts';
import { iso } from '../contract/outside.ts';
import { executorFile } from '../generated/check-cases.generated.ts';
import { textAsWritten } from '../platform/json/as-written.ts';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';

/**
 * A message that the bus plays, as data. In its texts `{story}` stands for the case's story_id,
 * `{message}` for its message_id and `{now}` for the time of the play. A `story.context` gets
 * `story_id`, `newsroom_id`, `updated_at` and the next `sequence_number` of its story on top of
 * `payload`. Its numbers are as `platform/json/as-written` keeps them.
 */
export interface Fixture {
  readonly messageType: string;
  readonly payload: JsonObject;
  /** Members of the envelope that differ, such as `som_version` or `extensions`. */
  readonly envelope?: JsonObject;
  readonly bytes?: number;
  /** The text of the payload that fills the message up to `bytes`; absent: an extension. */
  readonly longText?: readonly string[];
  /** All characters beyond ASCII are written as `\uXXXX`. */
  readonly escaped?: true;
}

/** Where and when a fixture is played. Times are epoch milliseconds. */
interface FixtureContext {
  readonly storyId: string;
  readonly correlationId: string;
  readonly messageId: string;
  /** The case's first play. */
  readonly startedAt: number;
  readonly now: number;
  readonly sequenceNumber: number;
  readonly systemId: string;
}

/** UUID version 8 (RFC 9562 section 5.8): the same names always give the same id. */
export const derivedUuid = (...names: readonly string[]): string => {
  const hex = createHash('sha256').update(JSON.stringify(names)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
};

export const fillText = (
  text: string,
  { storyId, startedAt, now }: Pick<FixtureContext, 'storyId' | 'startedAt' | 'now'>,
): string =>
  text
    .replaceAll('{story}', storyId)
    .replaceAll('{start}', iso(startedAt))
    .replaceAll('{now}', iso(now))
    .replaceAll(/\{uuid (\w+)\}/g, (_, name: string) => derivedUuid(storyId, name));

const fill = (value: unknown, context: FixtureContext): unknown => {
  if (typeof value === 'string')
    return fillText(value, context).replaceAll('{message}', context.messageId);
  if (Array.isArray(value)) return value.map(item => fill(item, context));
  return isJsonObject(value) ? fillObject(value, context) : value;
};

const fillObject = (object: JsonObject, context: FixtureContext): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, fill(value, context)]));

const snapshotFacts = ({ storyId, now, sequenceNumber }: FixtureContext): JsonObject => ({
  story_id: storyId,
  newsroom_id: 'test-run',
  sequence_number: sequenceNumber,
  updated_at: iso(now),
});

const messageOf = (
  { messageType, payload, envelope }: Fixture,
  context: FixtureContext,
): JsonObject => ({
  som_version: somVersion,
  ...fillObject(envelope ?? {}, context),
  // What a run itself says of a message is not for a case to say.
  message_id: context.messageId,
  correlation_id: context.correlationId,
  message_type: messageType,
  timestamp: iso(context.now),
  originating_system: { system_id: context.systemId, system_type: 'custom', vendor: 'som-bus' },
  topic: `som.${messageType}`,
  payload: {
    ...fillObject(payload, context),
    ...(messageType === 'story.context' && snapshotFacts(context)),
    ...('story_id' in payload && { story_id: context.storyId }),
  },
});

const escapedText = (text: string): string =>
  text.replaceAll(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** An object with a value at a path, whose inner objects are made where there are none. */
export const withAt = (object: JsonObject, path: readonly string[], value: unknown): JsonObject => {
  const [name = '', ...inner] = path;
  if (inner.length === 0) return { ...object, [name]: value };
  const before = object[name];
  return { ...object, [name]: withAt(isJsonObject(before) ? before : {}, inner, value) };
};

const padded = (
  message: JsonObject,
  { bytes = 0, longText }: Fixture,
  textOf: (message: JsonObject) => string,
): string => {
  const path = longText ? ['payload', ...longText] : ['extensions', 'com.som-bus.filler'];
  const withFiller = (length: number) => textOf(withAt(message, path, 'x'.repeat(length)));
  return withFiller(Math.max(0, bytes - Buffer.byteLength(withFiller(0))));
};

/** The bytes of a fixture at its place. */
export const fixtureBody = (fixture: Fixture, context: FixtureContext): Uint8Array => {
  const textOf = (message: JsonObject): string => {
    const text = textAsWritten(message);
    return fixture.escaped ? escapedText(text) : text;
  };
  const message = messageOf(fixture, context);
  const text = fixture.bytes === undefined ? textOf(message) : padded(message, fixture, textOf);
  return Buffer.from(text, 'utf8');
};

/**
 * A fixture as the files in `checks` write it: a message, or what differs from their snapshot of a
 * story.
 */
export interface WrittenFixture extends Pick<Fixture, 'envelope' | 'bytes' | 'escaped'> {
  readonly story?: JsonObject;
  readonly message?: { readonly type: string; readonly payload: JsonObject };
}

const snapshotWith = (changes: JsonObject): JsonObject => {
  const { lifecycle, ...rest } = executorFile.snapshot;
  return { ...rest, ...(!('story_type' in changes) && { lifecycle }), ...changes };
};

export const fixtureOf = ({
  story = {},
  message,
  envelope,
  bytes,
  escaped,
}: WrittenFixture): Fixture => ({
  messageType: message?.type ?? 'story.context',
  payload: message?.payload ?? snapshotWith(story),
  ...(envelope && { envelope }),
  ...(bytes && { bytes }),
  ...(escaped && { escaped }),
});
