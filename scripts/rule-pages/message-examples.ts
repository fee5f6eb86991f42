import type { RuleId } from '../../lib/contract/rules.ts';

/**
 * A body sent after others were accepted, by a connection with these permissions (default: all
 * types, as desk-1).
 */
export interface MessageCase {
  readonly about: string;
  readonly before?: readonly string[];
  readonly systemIds?: readonly string[];
  readonly grants?: readonly string[];
  readonly body: string;
}

/** For a rule that is only reported (202), `refused` is the message that gets the report. */
interface MessageExample {
  readonly rule: RuleId;
  readonly refused: MessageCase;
  readonly accepted: MessageCase;
}

type Json = Readonly<Record<string, unknown>>;

/** The text of a message of a type. */
export const message = (type: string, payload: Json, changes: Json = {}): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: '6f1c7c1e-58a5-4d0e-9a53-000000000001',
    correlation_id: '6f1c7c1e-58a5-4d0e-9a53-000000000002',
    message_type: type,
    timestamp: '2026-02-03T10:00:00Z',
    originating_system: { system_id: 'desk-1', system_type: 'ncs' },
    topic: `som.${type}`,
    ...changes,
    payload,
  });

/** The payload of a small story. */
const snapshot = (changes: Json = {}): Json => ({
  story_id: 'bridge',
  slug: 'BRIDGE',
  headline: 'The new bridge opens',
  story_type: 'PLANNED',
  sequence_number: 1,
  updated_at: '2026-02-03T10:00:00Z',
  ...changes,
});

/** The first snapshot of the story, as a message. */
export const first = (changes: Json = {}): string => message('story.context', snapshot(changes));

/** A second snapshot of the story, as another message. */
const second = (changes: Json = {}): string =>
  message('story.context', snapshot({ sequence_number: 2, ...changes }), {
    message_id: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
  });

/** A source of the story, and a reference to what it delivered. */
const source = (receivedAt: string): Json => ({
  source_id: 'wire-1',
  source_type: 'WIRE',
  provider: 'Coast Wire',
  credibility: 'TRUSTED',
  received_at: receivedAt,
});
const reference = (sourceId: string): Json => ({
  uri: 'https://wire.example/items/7',
  source_id: sourceId,
});

/** A claim about the story, and how far its review is. */
const assertion = (state: string): Json => ({
  assertion_id: 'claim-1',
  assertion_type: 'FACT_CHECK',
  target: { kind: 'STORY', id: 'bridge' },
  claim: { metric: 'lanes', value: 4 },
  asserted_at: '2026-02-03T09:50:00Z',
  provenance: { author: 'HUMAN' },
  review: { state },
});

/** An asset of the story. */
const asset = (id: string, type: string): Json => ({
  asset_id: id,
  asset_type: type,
  status: 'READY',
});

/** Examples for the rules about the order of a story's snapshots. */
const sequenceExamples: readonly MessageExample[] = [
  {
    rule: 'sequence_number.not_increasing',
    refused: { about: '1 after 1', before: [first()], body: second({ sequence_number: 1 }) },
    accepted: { about: '2 after 1', before: [first()], body: second() },
  },
  {
    rule: 'sequence_number.gap',
    refused: {
      about: '5 after 1',
      before: [first()],
      body: second({ sequence_number: 5 }),
    },
    accepted: { about: '2 after 1', before: [first()], body: second() },
  },
  {
    rule: 'assertion.review_reopened',
    refused: {
      about: 'a confirmed claim is pending again',
      before: [first({ assertions: [assertion('CONFIRMED')] })],
      body: second({ assertions: [assertion('PENDING')] }),
    },
    accepted: {
      about: 'a pending claim is confirmed',
      before: [first({ assertions: [assertion('PENDING')] })],
      body: second({ assertions: [assertion('CONFIRMED')] }),
    },
  },
  {
    rule: 'content_refs.source_unresolved',
    refused: {
      about: 'the reference names `wire-2`, the story lists `wire-1`',
      body: first({
        editorial_source: [source('2026-02-03T09:40:00Z')],
        content_refs: [reference('wire-2')],
      }),
    },
    accepted: {
      about: 'the reference names the source that the story lists',
      body: first({
        editorial_source: [source('2026-02-03T09:40:00Z')],
        content_refs: [reference('wire-1')],
      }),
    },
  },
  {
    rule: 'editorial_source.received_after_update',
    refused: {
      about: 'received ten minutes after `updated_at`',
      body: first({ editorial_source: [source('2026-02-03T10:10:00Z')] }),
    },
    accepted: {
      about: 'received twenty minutes before `updated_at`',
      body: first({ editorial_source: [source('2026-02-03T09:40:00Z')] }),
    },
  },
  {
    rule: 'updated_at.backwards',
    refused: {
      about: 'a minute earlier than before',
      before: [first()],
      body: second({ updated_at: '2026-02-03T09:59:00Z' }),
    },
    accepted: {
      about: 'the same instant in another time zone',
      before: [first()],
      body: second({ updated_at: '2026-02-03T11:00:00+01:00' }),
    },
  },
  {
    rule: 'snapshot.members_missing',
    refused: {
      about: 'newsroom_id is missing',
      before: [first({ newsroom_id: 'north' })],
      body: second(),
    },
    accepted: {
      about: 'newsroom_id is there, with a new value',
      before: [first({ newsroom_id: 'north' })],
      body: second({ newsroom_id: 'south' }),
    },
  },
  {
    rule: 'snapshot.assets_dropped',
    refused: {
      about: 'the asset map is missing',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [] }),
    },
    accepted: {
      about: 'the asset map is kept as INVALIDATED',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [{ ...asset('map', 'MAP'), status: 'INVALIDATED' }] }),
    },
  },
  {
    rule: 'asset.type_changed',
    refused: {
      about: 'the MAP has become a GRAPHIC',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [asset('map', 'GRAPHIC')] }),
    },
    accepted: {
      about: 'the GRAPHIC is a new asset',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [asset('map', 'MAP'), asset('map-2', 'GRAPHIC')] }),
    },
  },
  {
    rule: 'story_type.left_terminal',
    refused: {
      about: 'KILLED, then PLANNED again',
      before: [first({ story_type: 'KILLED' })],
      body: second(),
    },
    accepted: {
      about: 'KILLED, then ARCHIVED',
      before: [first({ story_type: 'KILLED' })],
      body: second({ story_type: 'ARCHIVED' }),
    },
  },
];

const good = { about: 'one JSON object in UTF-8', body: first() };
const ingested = (changes: Readonly<Record<string, unknown>> = {}): string =>
  message('asset.ingested', { asset: 'drone-shot' }, changes);

/** One pair of examples for each rule that a message alone, or after others, can break. */
export const messageExamples: readonly MessageExample[] = [
  {
    rule: 'message.not_json',
    refused: { about: 'a comma after the last member', body: first().replace(/}}$/, ',}}') },
    accepted: good,
  },
  {
    rule: 'message.duplicate_member',
    refused: {
      about: 'slug appears twice',
      body: first().replace('"slug"', '"slug":"OLD","slug"'),
    },
    accepted: good,
  },
  {
    rule: 'message.invalid_character',
    refused: {
      about: 'half of an emoji, escaped',
      body: first({ headline: '@' }).replace('@', '\\ud83d'),
    },
    accepted: {
      about: 'both halves of the emoji',
      body: first({ headline: '@' }).replace('@', '\\ud83d\\ude00'),
    },
  },
  {
    rule: 'message.too_deep',
    refused: {
      about: 'an extension nested 65 levels deep',
      body: first({ extensions: { 'com.example.deep': '@' } }).replace(
        '"@"',
        `${'['.repeat(62)}${']'.repeat(62)}`,
      ),
    },
    accepted: {
      about: 'an extension nested 64 levels deep',
      body: first({ extensions: { 'com.example.deep': '@' } }).replace(
        '"@"',
        `${'['.repeat(61)}${']'.repeat(61)}`,
      ),
    },
  },
  {
    rule: 'message.too_large',
    refused: { about: 'more than 240,000 bytes', body: first({ headline: 'h'.repeat(240_000) }) },
    accepted: { about: 'at most 240,000 bytes', body: first({ headline: 'h'.repeat(239_000) }) },
  },
  {
    rule: 'som_version.pre_1_0',
    refused: {
      about: 'SOM 0.3.2',
      body: message('story.context', snapshot(), { som_version: '0.3.2' }),
    },
    accepted: { about: 'SOM 1.0.0', body: first() },
  },
  {
    rule: 'som_version.unsupported_major',
    refused: {
      about: 'SOM 2.0.0',
      body: message('story.context', snapshot(), { som_version: '2.0.0' }),
    },
    accepted: {
      about: 'SOM 1.4.0',
      body: message('story.context', snapshot(), { som_version: '1.4.0' }),
    },
  },
  {
    rule: 'payload.message_type_mismatch',
    refused: {
      about: 'the payload names another type',
      body: message('asset.ingested', { message_type: 'asset.updated' }),
    },
    accepted: {
      about: 'the payload names the same type',
      body: message('asset.ingested', { message_type: 'asset.ingested' }),
    },
  },
  {
    rule: 'message_type.unknown',
    refused: { about: 'an unknown type', body: message('weather.warning', {}) },
    accepted: {
      about: 'a type without a schema, which a skill lists in `recall_on`',
      body: ingested(),
    },
  },
  {
    rule: 'payload.unvalidated',
    refused: {
      about: 'a type without a schema, which a skill lists in `recall_on`',
      body: ingested(),
    },
    accepted: { about: 'a type with a schema', body: first() },
  },
  {
    rule: 'producer.system_id_not_allowed',
    refused: {
      about: 'the connection may publish only as desk-2',
      systemIds: ['desk-2'],
      body: first(),
    },
    accepted: {
      about: 'the connection may also publish as desk-1',
      systemIds: ['desk-2', 'desk-1'],
      body: first(),
    },
  },
  {
    rule: 'producer.message_type_not_allowed',
    refused: {
      about: 'the connection has the grant telling.*',
      grants: ['telling.*'],
      body: first(),
    },
    accepted: { about: 'the connection has the grant story.*', grants: ['story.*'], body: first() },
  },
  {
    rule: 'message_id.reused',
    refused: {
      about: 'different content with an accepted message_id',
      before: [ingested()],
      body: ingested({ topic: 'som.other' }),
    },
    accepted: {
      about: 'the same content again, as a duplicate (200)',
      before: [ingested()],
      body: ingested(),
    },
  },
  ...sequenceExamples,
];
