import { createHash } from 'node:crypto';
import { somVersion } from '../contract/message-types.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { Fixture } from './plan.ts';

/** Where and when a fixture is played. Times are epoch milliseconds. */
export interface FixtureContext {
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
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const iso = (time: number): string => new Date(time).toISOString();

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
  if (typeof value === 'string') return fillText(value, context);
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

const messageOf = ({ messageType, payload, envelope }: Fixture, context: FixtureContext): JsonObject => ({
  som_version: somVersion,
  message_id: context.messageId,
  correlation_id: context.correlationId,
  message_type: messageType,
  timestamp: iso(context.now),
  originating_system: { system_id: context.systemId, system_type: 'custom', vendor: 'som-bus' },
  topic: `som.${messageType}`,
  ...fillObject(envelope ?? {}, context),
  payload: {
    ...(messageType === 'story.context' ? snapshotFacts(context) : {}),
    ...fillObject(payload, context),
  },
});

const escapedText = (text: string): string =>
  text.replaceAll(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const filler = 'com.som-bus.filler';

const padded = (message: JsonObject, bytes: number, textOf: (message: JsonObject) => string): string => {
  const extensions = isJsonObject(message['extensions']) ? message['extensions'] : {};
  const withFiller = (length: number) =>
    textOf({ ...message, extensions: { ...extensions, [filler]: 'x'.repeat(length) } });
  return withFiller(Math.max(0, bytes - Buffer.byteLength(withFiller(0))));
};

/** The bytes of a fixture at its place. */
export const fixtureBody = (fixture: Fixture, context: FixtureContext): Uint8Array => {
  const textOf = (message: JsonObject): string => {
    const text = JSON.stringify(message);
    return fixture.escaped ? escapedText(text) : text;
  };
  const message = messageOf(fixture, context);
  const text = fixture.bytes === undefined ? textOf(message) : padded(message, fixture.bytes, textOf);
  return Buffer.from(text, 'utf8');
};

/** The messages that a consumer is tried with: one of each type, and odd ones. */

const storyPayload: JsonObject = {
  slug: 'som-bus-test-run',
  headline: 'A story of a test run',
  story_type: 'ACTIVE',
  lifecycle: { phase: 'DEVELOPING', phase_entered_at: '{start}' },
};

export const storyWith = (changes: JsonObject = {}, more: Partial<Fixture> = {}): Fixture => ({
  messageType: 'story.context',
  payload: { ...storyPayload, ...changes },
  ...more,
});

const telling = (messageType: string, times: JsonObject): Fixture => ({
  messageType,
  payload: { message_type: messageType, telling_id: '{uuid telling}', link_id: '{uuid link}', ...times },
});

const link = (messageType: string, more: JsonObject): Fixture => ({
  messageType,
  payload: {
    message_type: messageType,
    link_id: '{uuid link}',
    asset_id: '{story}.x',
    destination_id: 'test-air',
    ...more,
  },
});

const person: JsonObject = { actor_id: 'test-run', actor_type: 'system' };

export const oneOfEach: readonly Fixture[] = [
  storyWith({
    tags: [{ scheme: 'iptc-mediatopic', value: '11000000', label: 'politics' }],
    priority: { level: 'HIGH', reason: 'A test run.' },
    assets: [
      {
        asset_id: '{story}.x',
        asset_type: 'VIDEO',
        status: 'READY',
        evidential_position: 'PRIMARY',
        usage: [{ link_id: '{uuid link}', destination_id: 'test-air', state: 'committed' }],
      },
    ],
  }),
  telling('telling.started', { exposure_start: '{start}' }),
  telling('telling.ended', { exposure_end: '{start}' }),
  telling('telling.exposed', { exposure_start: '{start}', exposure_end: '{start}' }),
  link('link.committed', {
    committed_by: 'test-run',
    committed_at: '{start}',
    compliance_gate_status: 'PENDING',
  }),
  link('link.gate_changed', { compliance_gate_status: 'CLEARED' }),
  link('link.withdrawn', {
    compliance_gate_status: 'CLEARED',
    withdrawn: { withdrawn_by: 'test-run', withdrawn_at: '{start}', reason: 'The test run is over.' },
  }),
  {
    messageType: 'delivery.media_available',
    payload: {
      message_type: 'delivery.media_available',
      delivery_id: '{uuid delivery}',
      asset_id: '{story}.x',
      locator: { store: 'test-store', ref: 'clips/test' },
      arrived_in: 'test-store',
      arrived_at: '{start}',
    },
  },
  {
    messageType: 'system.audit',
    payload: {
      message_type: 'system.audit',
      audit_id: '{uuid audit}',
      action: 'CLEARED',
      target: { kind: 'LINK', id: '{uuid link}' },
      actor: person,
      reason: 'A test run.',
      recorded_at: '{start}',
    },
  },
  {
    messageType: 'skill.warning.raised',
    payload: {
      warning_id: '{uuid warning}',
      skill_id: 'som-bus/test-skill',
      skill_version: '1.0.0',
      story_id: '{story}',
      scope: 'story:{story}',
      severity: 'inform',
      rule_id: 'test-rule',
      non_overridable: false,
      affected_fields: ['headline'],
      detail: 'A test run says something about this story.',
      blocks: [],
      skill_warning_ref: 'test-rule/{story}/1',
    },
  },
];

const laterVersion: JsonObject = { som_version: '1.1.0' };

/** What a later SOM 1.x may bring: a consumer of 1.0 goes on. */
export const laterMembers: Fixture = storyWith(
  { headline_short: 'Test', priority: { level: 'HIGH', weight: 3 } },
  { envelope: { ...laterVersion, sent_by_relay: 'test-run' } },
);
export const laterValues: Fixture = storyWith(
  {
    lifecycle: { phase: 'REVIEWED', phase_entered_at: '{start}' },
    priority: { level: 'CRITICAL' },
  },
  { envelope: laterVersion },
);
export const laterType: Fixture = {
  messageType: 'story.summary',
  payload: { story_id: '{story}', summary: 'A type of a later SOM.' },
  envelope: laterVersion,
};

export const oddTexts = {
  escapes: 'A "quoted" \\ text\twith a tab,\na line and a slash \\/.',
  bidi: 'Left \u202eright\u202c left, \u05e9\u05dc\u05d5\u05dd, \u0645\u0631\u062d\u0628\u0627.',
  emoji: '\u{1f525}\u{1f469}\u200d\u{1f692} at the harbour \u{1f1f3}\u{1f1f4}, e\u0301 and \u{20bb7}.',
  separators: 'One line\u2028another\u2029a third, and a \ufeff in between.',
} as const;

export const maxBytes = 240_000;

export const burst = (count: number): readonly Fixture[] =>
  Array.from({ length: count }, (_, at) => storyWith({ headline: `Snapshot ${at + 1} of ${count}` }));
