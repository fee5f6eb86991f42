import { randomUUID } from 'node:crypto';

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
  const correlationId = randomUUID();
  let story: Payload = { story_id: `harbour-fire-${correlationId.slice(0, 8)}`, slug: 'HARBOUR-FIRE' };
  return changes.map((change, index) => {
    story = { ...story, ...change, sequence_number: index + 1, updated_at: minute(index) };
    const envelope = {
      som_version: '1.0.0',
      message_id: randomUUID(),
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
