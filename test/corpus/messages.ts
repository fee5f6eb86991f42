/** One valid message of each type, and a few more; each call makes new objects that a test may change. */

export type Json = Record<string, unknown>;

const uuid = (tail: string): string => `6f1c7c1e-58a5-4d0e-9a53-${tail.padStart(12, '0')}`;

export const envelope = (messageType: string, payload: unknown): Json => ({
  som_version: '1.0.0',
  message_id: uuid('1'),
  correlation_id: uuid('2'),
  message_type: messageType,
  timestamp: '2026-02-03T10:00:00Z',
  originating_system: { system_id: 'desk-1', system_type: 'ncs' },
  topic: `som.${messageType}`,
  payload,
});

export const story = (changes: Json = {}): Json => ({
  story_id: 'bridge-opening',
  slug: 'BRIDGE',
  headline: 'The new bridge opens on Friday',
  story_type: 'ACTIVE',
  lifecycle: { phase: 'DEVELOPING', phase_entered_at: '2026-02-03T09:00:00Z' },
  sequence_number: 1,
  updated_at: '2026-02-03T10:00:00Z',
  tags: [{ scheme: 'newsroom', value: 'transport' }],
  assets: [
    { asset_id: 'drone-shot', asset_type: 'VIDEO', status: 'READY' },
    { asset_id: 'ribbon-map', asset_type: 'x-animated_map', status: 'IN_PRODUCTION' },
  ],
  ...changes,
});

const locator = { store: 'tape-room', ref: 'shelf-4/17' };

/** A story with every member that SOM 1.0 knows. */
export const fullStory = (): Json => ({
  ...story(),
  newsroom_id: 'north',
  story_owner: { name: 'Ines' },
  priority: {
    level: 'HIGH',
    reason: 'minister attends',
    escalated_by: 'Ines',
    escalated_at: '2026-02-03T09:10:00Z',
  },
  premise: {
    expected_outcome: 'it opens',
    confidence: 'HIGH',
    premise_changed: true,
    previous_outcome: 'it opens in March',
    actual_outcome: 'it opened',
    affected_assets: ['ribbon-map'],
    change_detected_at: '2026-02-03T09:20:00+01:00',
    change_detected_by: 'desk',
  },
  compliance: [
    {
      flag_id: 'f1',
      type: 'RIGHTS',
      severity: 'LOW',
      detail: 'drone licence',
      jurisdiction: 'PT',
      regulation_ref: 'air-7',
      raised_by: 'legal',
      raised_at: '2026-02-03T09:30:00Z',
      status: 'WAIVED',
      media_range: {
        source: 'tams://north/flow-1',
        locator,
        time_range: ['[0:0_5:0)', '(6:0_]'],
      },
    },
  ],
  editorial_gates: [
    {
      gate_id: 'g1',
      gate_type: 'legal',
      status: 'PENDING',
      required_by_skill: 'house/legal',
      gate_rule_id: 'r1',
      resolution_event_type: 'story.gate.changed',
      assigned_to: 'legal',
      blocks: [{ kind: 'ASSET', ref: 'drone-shot' }, 'the evening news'],
    },
  ],
  story_meaning: {
    who: 'the city',
    what: 'opens a bridge',
    when: 'Friday',
    where: 'the river',
    why: 'traffic',
    how: 'with a ribbon',
    summary: 'A bridge opens.',
    confidence: 0.5,
    provenance_refs: ['press release'],
  },
  government_approval: { status: 'NOT_REQUIRED', jurisdiction: 'PT' },
  editorial_source: [
    {
      source_id: 's1',
      source_type: 'x-neighbour',
      provider: 'A neighbour',
      credibility: 'UNVERIFIED',
      received_at: '2026-02-03T08:00:00.5Z',
      content_hash: 'abc',
    },
  ],
  assets: [
    {
      asset_id: 'drone-shot',
      asset_type: 'VIDEO',
      status: 'READY',
      evidential_position: 'PRIMARY',
      acquisition_state: 'CAPTURED',
      derived_from: ['raw'],
      produced_by: 'crew 2',
      usage: [{ link_id: 'l1', destination_id: 'evening', state: 'committed' }],
      invalidated_by: 'nobody',
      standards_clearance: {
        status: 'CLEARED',
        blocked_by: ['f1'],
        last_reviewed: '2026-02-03T09:40:00Z',
      },
      delivery_spec: { format: 'mxf', resolution: 'hd', frame_rate: 25, audio: 'stereo' },
      media_refs: [
        { source: 'tams://north/flow-1', locator, label: 'master', time_range: '[_]' },
        { locator },
      ],
      authenticity_credential: { present: true, standard: 'c2pa', claim: 'camera', validated_by: 'desk' },
      framing_treatment: 'wide',
      provenance: {
        author: 'MODEL',
        model: 'm',
        model_version: '1',
        confidence: 1,
        generated_at: '2026-02-03T09:41:00Z',
        input_sources: ['raw'],
        prompt_hash: 'p',
        review: { state: 'CONFIRMED', reviewer: 'Ines', reviewed_at: '2026-02-03T09:42:00Z' },
      },
    },
  ],
  skills_config: {
    newsroom: 'north',
    skills_spec_version: '0.2.2',
    skill_executor_id: 'executor',
    scope_context: 'all',
    active_skills: [
      {
        skill_id: 'house/legal',
        skill_version: '1',
        skill_type: 'NEWSROOM',
        disclosure_level: 'L1',
        migration_policy: 'HOT',
        skill_priority: 'LOW',
      },
    ],
  },
  content_refs: [
    {
      uri: 'https://example.com/script/1',
      mime_type: 'text/plain',
      content_format: 'script',
      placement: 'lead',
      provider: 'A neighbour',
      role: 'script',
      source_id: 's1',
    },
  ],
  relations: [
    {
      relation_type: 'follows',
      target_story_id: 'bridge-planned',
      _version: 1,
      _created_at: '2026-02-03T09:00:00Z',
      _created_by: 'Ines',
      _modified_at: '2026-02-03T09:00:00Z',
      _modified_by: 'Ines',
      _history: [],
      mood: 'festive',
    },
  ],
  collaboration: { editing_version: 2, active_editors: ['Ines'], lock_status: 'free', colour: 'red' },
  extensions: { 'com.example.note': { any: ['thing', null] } },
  assertions: [
    {
      assertion_id: 'a1',
      assertion_type: 'FACT_CHECK',
      target: { kind: 'STORY', id: 'bridge-opening' },
      claim: { metric: 'length', value: 300 },
      attributed_to: 'the city',
      asserted_at: '2026-02-03T09:50:00Z',
      confidence: 0,
      originated_from: 'press release',
      review: { state: 'PENDING' },
      provenance: { author: 'HUMAN' },
    },
    {
      assertion_id: 'a2',
      assertion_type: 'MATCH',
      target: { kind: 'ASSET', id: 'drone-shot' },
      claim: { story_id: 'bridge-planned' },
      asserted_at: '2026-02-03T09:50:00Z',
      provenance: { author: 'HUMAN' },
    },
    {
      assertion_id: 'a3',
      assertion_type: 'DETECTION',
      target: { kind: 'ASSET', id: 'drone-shot' },
      claim: { detection_class: 'logo', verdict: 'present' },
      asserted_at: '2026-02-03T09:50:00Z',
      provenance: { author: 'MODEL' },
    },
  ],
});

const link = {
  link_id: uuid('3'),
  asset_id: 'drone-shot',
  destination_id: 'evening',
  compliance_gate_status: 'PENDING',
};
const extensions = { 'com.example.note': 1 };

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

export const bytesOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));
