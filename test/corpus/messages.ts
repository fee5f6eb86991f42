/**
 * One valid message of each type, and a few more; each call makes new objects that a test may
 * change.
 */

export type Json = Record<string, unknown>;

export const uuid = (tail: string): string => `6f1c7c1e-58a5-4d0e-9a53-${tail.padStart(12, '0')}`;

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

export const extensions = { 'com.example.note': 1 };

export const bytesOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));
