import { eventExamples } from './event-examples.ts';
import { recordExamples } from './record-examples.ts';
import type { SchemaExample } from './schema-example.ts';
import { storyExamples } from './story-examples.ts';

/** One pair of examples for each rule id that a schema can lead to. */
export const schemaExamples: readonly SchemaExample[] = [
  ...storyExamples,
  ...eventExamples,
  ...recordExamples,
];
