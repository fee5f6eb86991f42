import { recordExamples, type SchemaExample } from './record-examples.ts';

const story = 'story.context';
const asset = '/payload/assets/0';

/** Failures of the envelope and of story-context. */
const storyExamples: readonly SchemaExample[] = [
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
];

/** Failures of telling-event and link-event. */
const eventExamples: readonly SchemaExample[] = [
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
];

/** One pair of examples for each rule id that a schema can lead to. */
export const schemaExamples: readonly SchemaExample[] = [
  ...storyExamples,
  ...eventExamples,
  ...recordExamples,
];
