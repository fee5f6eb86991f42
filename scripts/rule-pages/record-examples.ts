import type { SchemaRuleId } from '../../lib/contract/refusals.ts';

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

/** Failures of the families that record one thing that happened. */
export const recordExamples: readonly SchemaExample[] = [
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
