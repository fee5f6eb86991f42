/** The SOM 1.0 schemas: the envelope and the six payload families. */
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
