import { yamlFile } from '../../scripts/yaml-file.ts';
import { envelope, extensions, type Json, uuid } from './messages.ts';

const read = yamlFile('test/corpus/payloads.yaml') as Readonly<Record<string, Json>>;

/** The types that have a payload there. */
export const payloadTypes = Object.keys(read);

/**
 * A valid payload of a message type that has a schema, new at each call; of a story, every member
 * that SOM 1.0 knows.
 */
export const payloadOf = (messageType: string): Json => structuredClone(read[messageType] ?? {});

/** A valid message of a type that has a schema, with every member of the envelope. */
export const fullMessage = (messageType: string): Json => ({
  ...envelope(messageType, payloadOf(messageType)),
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
