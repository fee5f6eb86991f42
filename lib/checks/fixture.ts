import { createHash } from 'node:crypto';
import { somVersion } from '../contract/message-types.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { Fixture } from './plan.ts';

/** Where and when a fixture is played. Times are epoch milliseconds. */
export interface FixturePlace {
  readonly storyId: string;
  readonly correlationId: string;
  readonly messageId: string;
  /** The case's first play. */
  readonly startedAt: number;
  readonly now: number;
  /** How many snapshots of the story there are with this one. */
  readonly sequenceNumber: number;
  readonly systemId: string;
}

/** UUID version 8 (RFC 9562 section 5.8): the same names always give the same id. */
export const derivedUuid = (...names: readonly string[]): string => {
  const hex = createHash('sha256').update(JSON.stringify(names)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const iso = (time: number): string => new Date(time).toISOString();

export const fillText = (
  text: string,
  { storyId, startedAt, now }: Pick<FixturePlace, 'storyId' | 'startedAt' | 'now'>,
): string =>
  text
    .replaceAll('{story}', storyId)
    .replaceAll('{start}', iso(startedAt))
    .replaceAll('{now}', iso(now))
    .replaceAll(/\{uuid (\w+)\}/g, (_, name: string) => derivedUuid(storyId, name));

const fill = (value: unknown, place: FixturePlace): unknown => {
  if (typeof value === 'string') return fillText(value, place);
  if (Array.isArray(value)) return value.map(item => fill(item, place));
  return isJsonObject(value) ? fillObject(value, place) : value;
};

const fillObject = (object: JsonObject, place: FixturePlace): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, fill(value, place)]));

/** What every snapshot of a run has. */
const snapshotFacts = ({ storyId, now, sequenceNumber }: FixturePlace): JsonObject => ({
  story_id: storyId,
  newsroom_id: 'test-run',
  sequence_number: sequenceNumber,
  updated_at: iso(now),
});

const messageOf = ({ messageType, payload, envelope }: Fixture, place: FixturePlace): JsonObject => ({
  som_version: somVersion,
  message_id: place.messageId,
  correlation_id: place.correlationId,
  message_type: messageType,
  timestamp: iso(place.now),
  originating_system: { system_id: place.systemId, system_type: 'custom', vendor: 'som-bus' },
  topic: `som.${messageType}`,
  ...fillObject(envelope ?? {}, place),
  payload: {
    ...(messageType === 'story.context' ? snapshotFacts(place) : {}),
    ...fillObject(payload, place),
  },
});

const escapedText = (text: string): string =>
  text.replaceAll(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const filler = 'com.som-bus.filler';

/** Fills a message up to a size with an extension of its envelope. */
const padded = (message: JsonObject, bytes: number, textOf: (message: JsonObject) => string): string => {
  const extensions = isJsonObject(message['extensions']) ? message['extensions'] : {};
  const withFiller = (length: number) =>
    textOf({ ...message, extensions: { ...extensions, [filler]: 'x'.repeat(length) } });
  return withFiller(Math.max(0, bytes - Buffer.byteLength(withFiller(0))));
};

/** The bytes of a fixture at its place. */
export const fixtureBody = (fixture: Fixture, place: FixturePlace): Uint8Array => {
  const textOf = (message: JsonObject): string => {
    const text = JSON.stringify(message);
    return fixture.escaped ? escapedText(text) : text;
  };
  const message = messageOf(fixture, place);
  const text = fixture.bytes === undefined ? textOf(message) : padded(message, fixture.bytes, textOf);
  return Buffer.from(text, 'utf8');
};
