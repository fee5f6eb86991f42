import { fullStory } from './full-story.ts';
import { envelope, extensions, type Json, uuid } from './messages.ts';

const locator = { store: 'tape-room', ref: 'shelf-4/17' };

const link = {
  link_id: uuid('3'),
  asset_id: 'drone-shot',
  destination_id: 'evening',
  compliance_gate_status: 'PENDING',
};

const transform = (type: string): Json => ({
  transform_type: type,
  params: { width: 100 },
  applied_by: { actor_id: 'cutter', actor_type: 'user' },
  applied_at: '2026-02-03T10:01:00Z',
});

/** A valid payload of each message type that has a schema. */
export const payloads: Readonly<Record<string, () => Json>> = {
  'story.context': fullStory,
  'telling.started': () => ({
    message_type: 'telling.started',
    telling_id: uuid('4'),
    link_id: uuid('3'),
    exposure_start: '2026-02-03T10:02:00Z',
    scheduled_start: '2026-02-03T10:00:00Z',
    transforms: [transform('CROP'), transform('x-mirror')],
    extensions,
  }),
  'telling.ended': () => ({
    message_type: 'telling.ended',
    telling_id: uuid('4'),
    link_id: uuid('3'),
    exposure_end: '2026-02-03T10:03:00Z',
  }),
  'telling.exposed': () => ({
    message_type: 'telling.exposed',
    telling_id: uuid('4'),
    link_id: uuid('3'),
    exposure_start: '2026-02-03T10:02:00Z',
    exposure_end: '2026-02-03T10:03:00Z',
  }),
  'link.committed': () => ({
    message_type: 'link.committed',
    ...link,
    committed_by: 'Ines',
    committed_at: '2026-02-03T10:00:00Z',
    extensions,
  }),
  'link.gate_changed': () => ({ message_type: 'link.gate_changed', ...link }),
  'link.withdrawn': () => ({
    message_type: 'link.withdrawn',
    ...link,
    withdrawn: { withdrawn_by: 'Ines', withdrawn_at: '2026-02-03T10:00:00Z', reason: 'rain' },
  }),
  'delivery.media_available': () => ({
    message_type: 'delivery.media_available',
    delivery_id: uuid('5'),
    asset_id: 'drone-shot',
    source: 'tams://north/flow-1',
    locator,
    time_range: ['[0:0_5:0)'],
    arrived_in: 'north',
    arrived_at: '2026-02-03T10:00:00Z',
    extensions,
  }),
  'system.audit': () => ({
    message_type: 'system.audit',
    audit_id: uuid('6'),
    action: 'SUPPRESSED',
    target: { kind: 'LINK', id: 'l1' },
    actor: { actor_id: 'Ines', actor_type: 'user' },
    reason: 'rights',
    recorded_at: '2026-02-03T10:00:00Z',
  }),
  'skill.warning.raised': () => ({
    message_type: 'skill.warning.raised',
    warning_id: uuid('7'),
    skill_id: 'house/legal',
    skill_version: '1.0.0',
    story_id: 'bridge-opening',
    scope: 'story',
    severity: 'flag',
    rule_id: 'r1',
    non_overridable: false,
    affected_fields: ['headline'],
    detail: 'not sourced',
    blocks: ['publication'],
    skill_warning_ref: 'w/1',
    content_type: 'text',
    extensions,
  }),
};

/** A valid message of a type that has a schema, with every member of the envelope. */
export const fullMessage = (messageType: string): Json => ({
  ...envelope(messageType, payloads[messageType]?.()),
  causation_id: uuid('8'),
  originating_system: {
    system_id: 'desk-1',
    system_type: 'ncs',
    system_name: 'The desk',
    vendor: 'example',
    version: '7',
  },
  modification_header: {
    story_version: 3,
    modified_at: '2026-02-03T10:00:00Z',
    modified_by: 'Ines',
    change_summary: 'day moved',
    history: [1],
    mood: 'festive',
  },
  _actors: { Ines: 'editor' },
  extensions,
  '@context': 'https://example.com/context',
});
