import type { RuleId } from '../../lib/contract/rules.ts';

/** A body, after what was accepted before it, sent by a connection with these grants (default: all, as desk-1). */
export interface MessageCase {
  readonly about: string;
  readonly before?: readonly string[];
  readonly systemIds?: readonly string[];
  readonly grants?: readonly string[];
  readonly body: string;
}

/** For a rule of source `tolerated`, the answer that carries it stands in the place of the refusal. */
export interface MessageExample {
  readonly rule: RuleId;
  readonly refused: MessageCase;
  readonly accepted: MessageCase;
}

type Json = Readonly<Record<string, unknown>>;

const message = (type: string, payload: Json, changes: Json = {}): string =>
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

const snapshot = (changes: Json = {}): Json => ({
  story_id: 'bridge',
  slug: 'BRIDGE',
  headline: 'The new bridge opens',
  story_type: 'PLANNED',
  sequence_number: 1,
  updated_at: '2026-02-03T10:00:00Z',
  ...changes,
});

const first = (changes: Json = {}): string => message('story.context', snapshot(changes));

const second = (changes: Json = {}): string =>
  message('story.context', snapshot({ sequence_number: 2, ...changes }), {
    message_id: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
  });

const asset = (id: string, type: string): Json => ({ asset_id: id, asset_type: type, status: 'READY' });

const good = { about: 'one JSON object in UTF-8', body: first() };
const ingested = (changes: Json = {}): string => message('asset.ingested', { asset: 'drone-shot' }, changes);

export const messageExamples: readonly MessageExample[] = [
  {
    rule: 'message.not_json',
    refused: { about: 'a comma after the last member', body: first().replace(/}}$/, ',}}') },
    accepted: good,
  },
  {
    rule: 'message.duplicate_member',
    refused: { about: 'slug is there twice', body: first().replace('"slug"', '"slug":"OLD","slug"') },
    accepted: good,
  },
  {
    rule: 'message.invalid_character',
    refused: { about: 'half of an emoji, escaped', body: first({ headline: '@' }).replace('@', '\\ud83d') },
    accepted: { about: 'both halves of it', body: first({ headline: '@' }).replace('@', '\\ud83d\\ude00') },
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
    refused: { about: 'SOM 0.3.2', body: message('story.context', snapshot(), { som_version: '0.3.2' }) },
    accepted: { about: 'SOM 1.0.0', body: first() },
  },
  {
    rule: 'som_version.unsupported_major',
    refused: { about: 'SOM 2.0.0', body: message('story.context', snapshot(), { som_version: '2.0.0' }) },
    accepted: { about: 'a later 1.x', body: message('story.context', snapshot(), { som_version: '1.4.0' }) },
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
    refused: { about: 'a type that nobody has heard of', body: message('weather.warning', {}) },
    accepted: { about: 'a type that a skill recalls on', body: ingested() },
  },
  {
    rule: 'payload.unvalidated',
    refused: {
      about: 'a type that skills recall on, without a schema: accepted, with this entry in tolerated',
      body: ingested(),
    },
    accepted: { about: 'a type with a schema: nothing to tolerate', body: first() },
  },
  {
    rule: 'producer.system_id_not_allowed',
    refused: { about: 'the connection may send as desk-2 only', systemIds: ['desk-2'], body: first() },
    accepted: { about: 'the connection may send as desk-1', systemIds: ['desk-2', 'desk-1'], body: first() },
  },
  {
    rule: 'producer.message_type_not_allowed',
    refused: { about: 'the connection is granted telling.*', grants: ['telling.*'], body: first() },
    accepted: { about: 'the connection is granted story.*', grants: ['story.*'], body: first() },
  },
  {
    rule: 'message_id.reused',
    refused: {
      about: 'other content under an accepted message_id',
      before: [ingested()],
      body: ingested({ topic: 'som.other' }),
    },
    accepted: {
      about: 'the same content again: a duplicate, answered with 200',
      before: [ingested()],
      body: ingested(),
    },
  },
  {
    rule: 'sequence_number.not_increasing',
    refused: { about: '1 after 1', before: [first()], body: second({ sequence_number: 1 }) },
    accepted: { about: '2 after 1', before: [first()], body: second() },
  },
  {
    rule: 'sequence_number.gap',
    refused: {
      about: '5 after 1: accepted, with this entry in tolerated',
      before: [first()],
      body: second({ sequence_number: 5 }),
    },
    accepted: { about: '2 after 1: nothing to tolerate', before: [first()], body: second() },
  },
  {
    rule: 'updated_at.backwards',
    refused: {
      about: 'a minute earlier',
      before: [first()],
      body: second({ updated_at: '2026-02-03T09:59:00Z' }),
    },
    accepted: {
      about: 'the same instant in another zone',
      before: [first()],
      body: second({ updated_at: '2026-02-03T11:00:00+01:00' }),
    },
  },
  {
    rule: 'snapshot.members_missing',
    refused: { about: 'newsroom_id is gone', before: [first({ newsroom_id: 'north' })], body: second() },
    accepted: {
      about: 'newsroom_id is still there',
      before: [first({ newsroom_id: 'north' })],
      body: second({ newsroom_id: 'south' }),
    },
  },
  {
    rule: 'snapshot.assets_dropped',
    refused: {
      about: 'the map is gone',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [] }),
    },
    accepted: {
      about: 'the map is kept as INVALIDATED',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [{ ...asset('map', 'MAP'), status: 'INVALIDATED' }] }),
    },
  },
  {
    rule: 'asset.type_changed',
    refused: {
      about: 'a MAP became a GRAPHIC',
      before: [first({ assets: [asset('map', 'MAP')] })],
      body: second({ assets: [asset('map', 'GRAPHIC')] }),
    },
    accepted: {
      about: 'the GRAPHIC is another asset',
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
