type Json = Readonly<Record<string, unknown>>;

/** The text of a message of a type. */
export const message = (type: string, payload: Json, changes: Json = {}): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: '6f1c7c1e-58a5-4d0e-9a53-000000000001',
    correlation_id: '6f1c7c1e-58a5-4d0e-9a53-000000000002',
    message_type: type,
    timestamp: '2026-02-03T10:00:00Z',
    originating_system: { system_id: 'desk-1', system_type: 'ncs' },
    topic: `som.${type}`,
    ...changes,
    payload,
  });

/** The payload of a small story. */
export const snapshot = (changes: Json = {}): Json => ({
  story_id: 'bridge',
  slug: 'BRIDGE',
  headline: 'The new bridge opens',
  story_type: 'PLANNED',
  sequence_number: 1,
  updated_at: '2026-02-03T10:00:00Z',
  ...changes,
});

/** The first snapshot of the story, as a message. */
export const first = (changes: Json = {}): string => message('story.context', snapshot(changes));

/** A second snapshot of the story, as another message. */
export const second = (changes: Json = {}): string =>
  message('story.context', snapshot({ sequence_number: 2, ...changes }), {
    message_id: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
  });

/** An asset of the story. */
export const asset = (id: string, type: string): Json => ({
  asset_id: id,
  asset_type: type,
  status: 'READY',
});
