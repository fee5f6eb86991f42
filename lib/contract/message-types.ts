export const schemaNames = [
  'envelope',
  'story-context',
  'telling-event',
  'link-event',
  'delivery-media-available',
  'system-audit',
  'skill-warning',
] as const;

export type SchemaName = (typeof schemaNames)[number];

export const somVersion = '1.0.0';

export type Family = Exclude<SchemaName, 'envelope'>;

/**
 * Which schema checks the payload of a message type; a type that is absent here has no SOM 1.0
 * schema.
 */
export const families: ReadonlyMap<string, Family> = new Map([
  ['delivery.media_available', 'delivery-media-available'],
  ['link.committed', 'link-event'],
  ['link.gate_changed', 'link-event'],
  ['link.withdrawn', 'link-event'],
  ['skill.warning.raised', 'skill-warning'],
  ['story.context', 'story-context'],
  ['system.audit', 'system-audit'],
  ['telling.ended', 'telling-event'],
  ['telling.exposed', 'telling-event'],
  ['telling.started', 'telling-event'],
]);

export const messageTypes: readonly string[] = [...families.keys()].sort();

/** What a message of a type says, where its schema is that of other types as well. */
export const typeWords: Readonly<Record<string, string>> = {
  'link.committed':
    'An asset was committed to a destination; its gate says whether it may be told there yet.',
  'link.gate_changed':
    'The gate of a link moved: compliance cleared it, blocked it, or has to look again.',
  'link.withdrawn':
    'A commitment was taken back: the asset is no longer meant for this destination.',
  'telling.ended': 'A telling is over: the moment when its audience stopped seeing it.',
  'telling.exposed': 'A whole telling, told afterwards: from when to when its audience saw it.',
  'telling.started': 'A telling has begun: its audience sees it now, and its end is still to come.',
};

/** Message types that skills of the library recall on and that SOM 1.0 has no schema for. */
export const pendingSpecTypes: ReadonlySet<string> = new Set([
  'asset.context',
  'asset.ingested',
  'asset.updated',
  'compliance.assertion',
  'media.asset.ingested',
  'media.ingested',
  'media.match.candidate',
  'source.item.observed',
  'source.registered',
  'story.gate.changed',
  'story.version.published',
  'telling.proposed',
]);

/** Message types of SOM 1.0's own envelope examples that SOM 1.0 has no schema for. */
const exampleTypes: ReadonlySet<string> = new Set([
  'skill.run.completed',
  'skill.suggestion.created',
]);

/** The message types that are accepted although SOM 1.0 has no schema for their payloads. */
export const typesWithoutSchema: ReadonlySet<string> = new Set([
  ...pendingSpecTypes,
  ...exampleTypes,
]);

export const health = { ok: true, som_version: somVersion, message_types: messageTypes };
