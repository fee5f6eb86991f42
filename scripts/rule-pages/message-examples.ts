import { first, message, snapshot } from './example-messages.ts';
import type { MessageExample } from './message-example.ts';
import { sequenceExamples } from './sequence-examples.ts';

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
    refused: { about: 'slug appears twice', body: first().replace('"slug"', '"slug":"OLD","slug"') },
    accepted: good,
  },
  {
    rule: 'message.invalid_character',
    refused: { about: 'half of an emoji, escaped', body: first({ headline: '@' }).replace('@', '\\ud83d') },
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
    refused: { about: 'SOM 0.3.2', body: message('story.context', snapshot(), { som_version: '0.3.2' }) },
    accepted: { about: 'SOM 1.0.0', body: first() },
  },
  {
    rule: 'som_version.unsupported_major',
    refused: { about: 'SOM 2.0.0', body: message('story.context', snapshot(), { som_version: '2.0.0' }) },
    accepted: { about: 'SOM 1.4.0', body: message('story.context', snapshot(), { som_version: '1.4.0' }) },
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
    accepted: { about: 'a type without a schema that a skill recalls on', body: ingested() },
  },
  {
    rule: 'payload.unvalidated',
    refused: {
      about: 'a type without a schema that a skill recalls on: accepted, with this rule in `tolerated`',
      body: ingested(),
    },
    accepted: { about: 'a type with a schema', body: first() },
  },
  {
    rule: 'producer.system_id_not_allowed',
    refused: { about: 'the connection may publish only as desk-2', systemIds: ['desk-2'], body: first() },
    accepted: {
      about: 'the connection may also publish as desk-1',
      systemIds: ['desk-2', 'desk-1'],
      body: first(),
    },
  },
  {
    rule: 'producer.message_type_not_allowed',
    refused: { about: 'the connection has the grant telling.*', grants: ['telling.*'], body: first() },
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
      about: 'the same content again: answered with 200 as a duplicate',
      before: [ingested()],
      body: ingested(),
    },
  },
  ...sequenceExamples,
];
