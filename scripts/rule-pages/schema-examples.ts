import type { SchemaRuleId } from '../../lib/contract/rules.ts';

/** Where an otherwise valid message is changed, to a value that is refused and to one that is accepted. */
export interface SchemaExample {
  readonly rule: SchemaRuleId;
  /** The message_type of the message. */
  readonly type: string;
  /** JSON Pointer into the message. */
  readonly place: string;
  /** What to put there; absent: take the member out. */
  readonly refused?: unknown;
  readonly accepted?: unknown;
}

const story = 'story.context';
const asset = '/payload/assets/0';

export const schemaExamples: readonly SchemaExample[] = [
  { rule: 'envelope.required', type: story, place: '/topic', accepted: 'som.story' },
  { rule: 'envelope.additionalProperties', type: story, place: '/priority', refused: 1 },
  { rule: 'envelope.type', type: story, place: '/topic', refused: 7, accepted: 'som.7' },
  {
    rule: 'envelope.enum',
    type: story,
    place: '/originating_system/system_type',
    refused: 'newsroom',
    accepted: 'ncs',
  },
  { rule: 'envelope.pattern', type: story, place: '/topic', refused: 'story', accepted: 'som.story' },
  {
    rule: 'envelope.format.uuid',
    type: story,
    place: '/correlation_id',
    refused: 'bridge',
    accepted: '0e7b7a52-0c45-4f7e-8f0b-3f0a4d8f2a11',
  },
  {
    rule: 'envelope.format.date-time',
    type: story,
    place: '/timestamp',
    refused: '2026-02-03 10:00',
    accepted: '2026-02-03T10:00:00Z',
  },
  { rule: 'envelope.anyOf', type: story, place: '/@context', refused: 7, accepted: {} },
  { rule: 'envelope.false_schema', type: story, place: '/source', refused: 'desk-1' },

  { rule: 'story-context.required', type: story, place: '/payload/slug', accepted: 'BRIDGE' },
  { rule: 'story-context.additionalProperties', type: story, place: `${asset}/voice_count`, refused: 2 },
  { rule: 'story-context.type', type: story, place: '/payload/sequence_number', refused: '2', accepted: 2 },
  {
    rule: 'story-context.enum',
    type: story,
    place: `${asset}/status`,
    refused: 'FINALIZING',
    accepted: 'READY',
  },
  {
    rule: 'story-context.const',
    type: story,
    place: `${asset}/usage/0/state`,
    refused: 'planned',
    accepted: 'committed',
  },
  {
    rule: 'story-context.pattern',
    type: story,
    place: '/payload/tags/0/scheme',
    refused: 'house',
    accepted: 'newsroom',
  },
  {
    rule: 'story-context.format.date-time',
    type: story,
    place: '/payload/updated_at',
    refused: '2026-02-30T10:00:00Z',
    accepted: '2026-02-28T10:00:00Z',
  },
  {
    rule: 'story-context.format.uri',
    type: story,
    place: '/payload/content_refs/0/uri',
    refused: 'script 1',
    accepted: 'urn:script:1',
  },
  { rule: 'story-context.minimum', type: story, place: '/payload/sequence_number', refused: -1, accepted: 0 },
  {
    rule: 'story-context.maximum',
    type: story,
    place: '/payload/story_meaning/confidence',
    refused: 1.5,
    accepted: 1,
  },
  {
    rule: 'story-context.minLength',
    type: story,
    place: '/payload/tags/0/value',
    refused: '',
    accepted: 'x',
  },
  {
    rule: 'story-context.maxLength',
    type: story,
    place: '/payload/story_meaning/why',
    refused: 'Because '.repeat(40),
    accepted: 'Because.',
  },
  {
    rule: 'story-context.uniqueItems',
    type: story,
    place: '/payload/tags',
    refused: [
      { scheme: 'newsroom', value: 'transport' },
      { value: 'transport', scheme: 'newsroom' },
    ],
    accepted: [
      { scheme: 'newsroom', value: 'transport' },
      { scheme: 'newsroom', value: 'bridges' },
    ],
  },
  {
    rule: 'story-context.anyOf',
    type: story,
    place: `${asset}/asset_type`,
    refused: 'HOLOGRAM',
    accepted: 'x-hologram',
  },
  {
    rule: 'story-context.if',
    type: story,
    place: '/payload/lifecycle',
    accepted: { phase: 'BREAKING', phase_entered_at: '2026-02-03T09:00:00Z' },
  },
  {
    rule: 'story-context.not',
    type: story,
    place: `${asset}/provenance`,
    refused: { author: 'HUMAN', model: 'm' },
    accepted: { author: 'MODEL', model: 'm' },
  },
  { rule: 'story-context.false_schema', type: story, place: '/payload/ai_enrichments', refused: [] },

  {
    rule: 'telling-event.required',
    type: 'telling.started',
    place: '/payload/telling_id',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000004',
  },
  {
    rule: 'telling-event.additionalProperties',
    type: 'telling.started',
    place: '/payload/transforms/0/transform_id',
    refused: 't1',
  },
  {
    rule: 'telling-event.type',
    type: 'telling.started',
    place: '/payload/transforms/0/params',
    refused: 'wide',
    accepted: { aspect: 'wide' },
  },
  {
    rule: 'telling-event.enum',
    type: 'telling.started',
    place: '/payload/transforms/0/transform_type',
    refused: 'BLUR',
    accepted: 'CROP',
  },
  {
    rule: 'telling-event.pattern',
    type: 'telling.started',
    place: '/payload/transforms/0/transform_type',
    refused: 'x-Blur',
    accepted: 'x-blur',
  },
  {
    rule: 'telling-event.format.uuid',
    type: 'telling.started',
    place: '/payload/link_id',
    refused: 'l1',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
  },
  {
    rule: 'telling-event.format.date-time',
    type: 'telling.started',
    place: '/payload/exposure_start',
    refused: 'now',
    accepted: '2026-02-03T10:02:00+01:00',
  },
  {
    rule: 'telling-event.anyOf',
    type: 'telling.started',
    place: '/payload/transforms/0/transform_type',
    refused: 7,
    accepted: 'TRIM',
  },
  {
    rule: 'telling-event.if',
    type: 'telling.ended',
    place: '/payload/exposure_end',
    accepted: '2026-02-03T10:03:00Z',
  },
  {
    rule: 'telling-event.not',
    type: 'telling.started',
    place: '/payload/exposure_end',
    refused: '2026-02-03T10:03:00Z',
  },

  {
    rule: 'link-event.required',
    type: 'link.gate_changed',
    place: '/payload/asset_id',
    accepted: 'drone-shot',
  },
  {
    rule: 'link-event.additionalProperties',
    type: 'link.gate_changed',
    place: '/payload/extensions',
    refused: { note: 1 },
    accepted: { 'com.example.note': 1 },
  },
  {
    rule: 'link-event.type',
    type: 'link.gate_changed',
    place: '/payload/asset_id',
    refused: null,
    accepted: 'drone-shot',
  },
  {
    rule: 'link-event.enum',
    type: 'link.gate_changed',
    place: '/payload/compliance_gate_status',
    refused: 'OPEN',
    accepted: 'CLEARED',
  },
  {
    rule: 'link-event.format.uuid',
    type: 'link.gate_changed',
    place: '/payload/link_id',
    refused: 'l1',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
  },
  {
    rule: 'link-event.format.date-time',
    type: 'link.committed',
    place: '/payload/committed_at',
    refused: '10:00',
    accepted: '2026-02-03T10:00:00Z',
  },
  { rule: 'link-event.if', type: 'link.committed', place: '/payload/committed_by', accepted: 'Ines' },
  {
    rule: 'link-event.not',
    type: 'link.gate_changed',
    place: '/payload/withdrawn',
    refused: { withdrawn_by: 'Ines', withdrawn_at: '2026-02-03T10:00:00Z' },
  },

  {
    rule: 'delivery-media-available.required',
    type: 'delivery.media_available',
    place: '/payload/arrived_in',
    accepted: 'north',
  },
  {
    rule: 'delivery-media-available.additionalProperties',
    type: 'delivery.media_available',
    place: '/payload/locator/path',
    refused: '/x',
  },
  {
    rule: 'delivery-media-available.type',
    type: 'delivery.media_available',
    place: '/payload/locator',
    refused: 'shelf-4',
    accepted: { store: 'tape-room', ref: 'shelf-4' },
  },
  {
    rule: 'delivery-media-available.const',
    type: 'delivery.media_available',
    place: '/payload/message_type',
    refused: 'delivery',
    accepted: 'delivery.media_available',
  },
  {
    rule: 'delivery-media-available.pattern',
    type: 'delivery.media_available',
    place: '/payload/source',
    refused: 'https://north/flow-1',
    accepted: 'tams://north/flow-1',
  },
  {
    rule: 'delivery-media-available.format.uuid',
    type: 'delivery.media_available',
    place: '/payload/delivery_id',
    refused: '1',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000005',
  },
  {
    rule: 'delivery-media-available.format.date-time',
    type: 'delivery.media_available',
    place: '/payload/arrived_at',
    refused: '2026-02-03',
    accepted: '2026-02-03T10:00:00Z',
  },
  {
    rule: 'delivery-media-available.anyOf',
    type: 'delivery.media_available',
    place: '/payload/time_range',
    refused: ['5 s'],
    accepted: ['[0:0_5:0)'],
  },

  {
    rule: 'system-audit.required',
    type: 'system.audit',
    place: '/payload/recorded_at',
    accepted: '2026-02-03T10:00:00Z',
  },
  {
    rule: 'system-audit.additionalProperties',
    type: 'system.audit',
    place: '/payload/extensions',
    refused: {},
  },
  {
    rule: 'system-audit.type',
    type: 'system.audit',
    place: '/payload/actor',
    refused: 'Ines',
    accepted: { actor_id: 'Ines', actor_type: 'user' },
  },
  {
    rule: 'system-audit.enum',
    type: 'system.audit',
    place: '/payload/target/kind',
    refused: 'STORY',
    accepted: 'ASSET',
  },
  {
    rule: 'system-audit.const',
    type: 'system.audit',
    place: '/payload/message_type',
    refused: 'audit',
    accepted: 'system.audit',
  },
  {
    rule: 'system-audit.format.uuid',
    type: 'system.audit',
    place: '/payload/audit_id',
    refused: '1',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000006',
  },
  {
    rule: 'system-audit.format.date-time',
    type: 'system.audit',
    place: '/payload/recorded_at',
    refused: '2026-02-03T25:00:00Z',
    accepted: '2026-02-03T23:00:00Z',
  },

  { rule: 'skill-warning.required', type: 'skill.warning.raised', place: '/payload/blocks', accepted: [] },
  {
    rule: 'skill-warning.additionalProperties',
    type: 'skill.warning.raised',
    place: '/payload/asset_id',
    refused: 'drone-shot',
  },
  {
    rule: 'skill-warning.type',
    type: 'skill.warning.raised',
    place: '/payload/non_overridable',
    refused: 'no',
    accepted: false,
  },
  {
    rule: 'skill-warning.enum',
    type: 'skill.warning.raised',
    place: '/payload/severity',
    refused: 'HOLD',
    accepted: 'hold',
  },
  {
    rule: 'skill-warning.const',
    type: 'skill.warning.raised',
    place: '/payload/message_type',
    refused: 'skill.warning',
    accepted: 'skill.warning.raised',
  },
  {
    rule: 'skill-warning.pattern',
    type: 'skill.warning.raised',
    place: '/payload/skill_version',
    refused: '1.0',
    accepted: '1.0.0',
  },
  {
    rule: 'skill-warning.format.uuid',
    type: 'skill.warning.raised',
    place: '/payload/warning_id',
    refused: 'w1',
    accepted: '6f1c7c1e-58a5-4d0e-9a53-000000000007',
  },
  {
    rule: 'skill-warning.false_schema',
    type: 'skill.warning.raised',
    place: '/payload/instance_ref',
    refused: 'i1',
  },
];
