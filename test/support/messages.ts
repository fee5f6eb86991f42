import { randomUUID } from 'node:crypto';

type Members = Readonly<Record<string, unknown>>;

const envelope = (message_type: string, payload: Members, members: Members): Members => ({
  som_version: '1.0.0',
  message_id: randomUUID(),
  correlation_id: randomUUID(),
  message_type,
  timestamp: '2026-05-04T09:00:00Z',
  originating_system: { system_id: 'demo-ncs', system_type: 'ncs' },
  topic: 'som.test',
  payload,
  ...members,
});

/** A valid link.committed. */
export const linkCommitted = (members: Members = {}): Members =>
  envelope(
    'link.committed',
    {
      message_type: 'link.committed',
      link_id: randomUUID(),
      asset_id: 'clip-1',
      destination_id: 'evening-news',
      committed_by: 'editor-7',
      committed_at: '2026-05-04T09:00:00Z',
      compliance_gate_status: 'CLEARED',
    },
    members,
  );

/** The same from another system. */
export const sentBy = (system_id: string): Members =>
  linkCommitted({ originating_system: { system_id, system_type: 'ncs' } });

/** A valid story.context of a PLANNED story. */
export const storyContext = (payload: Members = {}, members: Members = {}): Members =>
  envelope(
    'story.context',
    {
      story_id: `story-${randomUUID()}`,
      slug: 'TEST',
      headline: 'A headline',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: '2026-05-04T09:00:00Z',
      ...payload,
    },
    members,
  );
