type Payload = Readonly<Record<string, unknown>>;

const asset = (id: string, type: string, status: string): Payload => ({
  asset_id: id,
  asset_type: type,
  status,
});

const minute = (number: number): string => `2026-05-04T09:${String(number).padStart(2, '0')}:00Z`;

const developing = { phase: 'DEVELOPING', phase_entered_at: minute(1) };
const breaking = { phase: 'BREAKING', phase_entered_at: minute(3), previous_phase: 'DEVELOPING' };
const published = { phase: 'PUBLISHED', phase_entered_at: minute(5), previous_phase: 'BREAKING' };

const pictures = asset('harbour-live', 'VIDEO', 'READY');
const map = asset('harbour-map', 'MAP', 'IN_PRODUCTION');
const sources = [
  {
    source_id: 'fire-service',
    source_type: 'OFFICIAL',
    provider: 'Feuerwehr Hafen',
    credibility: 'VERIFIED',
    received_at: minute(0),
  },
];

/** What each snapshot changes; a story.context is always the whole story, so earlier members stay. */
const changes: readonly Payload[] = [
  { headline: 'Smoke seen over the old harbour', story_type: 'PLANNED', editorial_source: sources },
  { story_type: 'ACTIVE', lifecycle: developing },
  { headline: 'Fire at the old harbour', assets: [asset('harbour-live', 'VIDEO', 'IN_PRODUCTION')] },
  { lifecycle: breaking, priority: { level: 'URGENT', reason: 'Löscharbeiten laufen – Straße gesperrt' } },
  { assets: [pictures, map] },
  { lifecycle: published, assets: [pictures, { ...map, status: 'READY' }] },
  { headline: 'Harbour fire is out', story_type: 'ARCHIVED', lifecycle: undefined },
];

/**
 * The life of one story in seven story.context messages, each the exact bytes a producer would send.
 *
 * @param systemId the sender's `originating_system.system_id`
 */
export const demoStory = (systemId: string): readonly string[] => {
  const correlationId = crypto.randomUUID();
  let story: Payload = { story_id: `harbour-fire-${correlationId.slice(0, 8)}`, slug: 'HARBOUR-FIRE' };
  return changes.map((change, index) => {
    story = { ...story, ...change, sequence_number: index + 1, updated_at: minute(index) };
    const envelope = {
      som_version: '1.0.0',
      message_id: crypto.randomUUID(),
      correlation_id: correlationId,
      message_type: 'story.context',
      timestamp: minute(index),
      originating_system: { system_id: systemId, system_type: 'ncs' },
      topic: 'som.story',
      payload: story,
    };
    return JSON.stringify(envelope, null, 2);
  });
};

type Members = Readonly<Record<string, unknown>>;

interface Chain {
  readonly systemId: string;
  readonly correlationId: string;
  readonly storyId: string;
  readonly linkId: string;
  readonly tellingId: string;
}

const asset_id = 'harbour-live';
const editor = 'editor-7';

const story = ({ storyId }: Chain): Members => ({
  story_id: storyId,
  slug: 'HARBOUR-FIRE',
  headline: 'Smoke seen over the old harbour',
  story_type: 'ACTIVE',
  lifecycle: { phase: 'DEVELOPING', phase_entered_at: minute(0) },
  assets: [{ asset_id, asset_type: 'VIDEO', status: 'IN_PRODUCTION' }],
  sequence_number: 1,
  updated_at: minute(0),
});

const link = ({ linkId }: Chain, compliance_gate_status: string): Members => ({
  link_id: linkId,
  asset_id,
  destination_id: 'evening-news',
  compliance_gate_status,
});

const telling = ({ linkId, tellingId }: Chain): Members => ({ telling_id: tellingId, link_id: linkId });

const steps: readonly {
  readonly type: string;
  readonly topic: string;
  payload(chain: Chain): Members;
}[] = [
  { type: 'story.context', topic: 'som.story', payload: story },
  {
    type: 'skill.warning.raised',
    topic: 'som.skill',
    payload: ({ storyId }) => ({
      warning_id: crypto.randomUUID(),
      skill_id: 'raise-flag-on-match',
      skill_version: '1.0.0',
      story_id: storyId,
      scope: 'story',
      severity: 'inform',
      rule_id: 'demo-unverified-source',
      non_overridable: false,
      affected_fields: ['/payload/headline'],
      detail: 'No source of this story is verified yet.',
      blocks: [],
      skill_warning_ref: `demo/${storyId}`,
    }),
  },
  {
    type: 'delivery.media_available',
    topic: 'som.delivery',
    payload: () => ({
      delivery_id: crypto.randomUUID(),
      asset_id,
      locator: { store: 'demo-mam', ref: 'harbour/live-1' },
      arrived_in: 'demo-mam',
      arrived_at: minute(2),
    }),
  },
  {
    type: 'link.committed',
    topic: 'som.link',
    payload: chain => ({ ...link(chain, 'PENDING'), committed_by: editor, committed_at: minute(3) }),
  },
  { type: 'link.gate_changed', topic: 'som.link', payload: chain => link(chain, 'CLEARED') },
  {
    type: 'system.audit',
    topic: 'som.audit',
    payload: ({ linkId }) => ({
      audit_id: crypto.randomUUID(),
      action: 'CLEARED',
      target: { kind: 'LINK', id: linkId },
      actor: { actor_id: editor, actor_type: 'user' },
      reason: 'The pictures show nobody who can be recognised.',
      recorded_at: minute(5),
    }),
  },
  {
    type: 'telling.started',
    topic: 'som.telling',
    payload: chain => ({ ...telling(chain), exposure_start: minute(6) }),
  },
  {
    type: 'telling.ended',
    topic: 'som.telling',
    payload: chain => ({ ...telling(chain), exposure_end: minute(7) }),
  },
  {
    type: 'telling.exposed',
    topic: 'som.telling',
    payload: chain => ({ ...telling(chain), exposure_start: minute(6), exposure_end: minute(7) }),
  },
  {
    type: 'link.withdrawn',
    topic: 'som.link',
    payload: chain => ({
      ...link(chain, 'CLEARED'),
      withdrawn: { withdrawn_by: editor, withdrawn_at: minute(9), reason: 'The bulletin is over.' },
    }),
  },
];

/** The message types of the chain: every type that SOM 1.0 has a schema for. */
export const demoTypes: readonly string[] = steps.map(({ type }) => type);

interface DemoMessage extends Members {
  readonly message_id: string;
  readonly message_type: string;
}

/**
 * The life of a new story in ten messages, one of each type, with one `correlation_id`.
 *
 * @param systemId the sender's `originating_system.system_id`
 */
export const demoChain = (systemId: string): readonly DemoMessage[] => {
  const correlationId = crypto.randomUUID();
  const chain: Chain = {
    systemId,
    correlationId,
    storyId: `harbour-fire-${correlationId.slice(0, 8)}`,
    linkId: crypto.randomUUID(),
    tellingId: crypto.randomUUID(),
  };
  let before: string | undefined;
  return steps.map(({ type, topic, payload }, index) => {
    const message_id = crypto.randomUUID();
    const message = {
      som_version: '1.0.0',
      message_id,
      correlation_id: correlationId,
      ...(before === undefined ? {} : { causation_id: before }),
      message_type: type,
      timestamp: minute(index),
      originating_system: { system_id: systemId, system_type: 'ncs' },
      topic,
      payload: { ...(type === 'story.context' ? {} : { message_type: type }), ...payload(chain) },
    };
    before = message_id;
    return message;
  });
};
