import type { SchemaRuleId } from '../../lib/contract/refusals.ts';
import type { RuleId } from '../../lib/contract/rules.ts';
import { yamlFile } from '../yaml-file.ts';

/**
 * Where an otherwise valid message is changed, to a value that is refused and to one that is
 * accepted.
 */
export interface SchemaExample {
  readonly rule: SchemaRuleId;
  /** The message_type of the message. */
  readonly type: string;
  /** JSON Pointer into the message. */
  readonly place: string;
  /** What to put there; absent: take the member out. */
  readonly refused?: unknown;
  readonly accepted?: unknown;
}

// test/schemas/schema-rules.test.ts and test/contract/rule-pages.test.ts check what the types say
// of these files.

/** One pair of examples for each rule id that a schema can lead to. */
export const schemaExamples: readonly SchemaExample[] = Object.entries(
  yamlFile('scripts/rule-pages/schema-examples.yaml') as Record<
    string,
    readonly Omit<SchemaExample, 'type'>[]
  >,
).flatMap(([type, examples]) => examples.map(example => ({ ...example, type })));

/**
 * A request that a rule of the gateway refuses, and one that it accepts; tests of the routes show
 * both.
 */
export const gatewayExamples = yamlFile('scripts/rule-pages/gateway-examples.yaml') as Readonly<
  Partial<Record<RuleId, { readonly refused: string; readonly accepted: string }>>
>;
