import { asset, first, second } from './example-messages.ts';
import type { MessageExample } from './message-example.ts';

/** Examples for the rules about the order of a story's snapshots. */
export const sequenceExamples: readonly MessageExample[] = [
  {
    rule: 'sequence_number.not_increasing',
    refused: { about: '1 after 1', before: [first()], body: second({ sequence_number: 1 }) },
    accepted: { about: '2 after 1', before: [first()], body: second() },
  },
  {
    rule: 'sequence_number.gap',
    refused: {
      about: '5 after 1: accepted, with this rule in `tolerated`',
      before: [first()],
      body: second({ sequence_number: 5 }),
    },
    accepted: { about: '2 after 1', before: [first()], body: second() },
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
    refused: { about: 'newsroom_id is missing', before: [first({ newsroom_id: 'north' })], body: second() },
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
