import type { SchemaRuleId } from '../../lib/contract/refusals.ts';

/** Where an otherwise valid message is changed, to a value that is refused and to one that is accepted. */
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
