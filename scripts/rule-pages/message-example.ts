import type { RuleId } from '../../lib/contract/rules.ts';

/** A body sent after others were accepted, by a connection with these permissions (default: all types, as desk-1). */
export interface MessageCase {
  readonly about: string;
  readonly before?: readonly string[];
  readonly systemIds?: readonly string[];
  readonly grants?: readonly string[];
  readonly body: string;
}

/** For a rule that is only reported (202), `refused` is the message that gets the report. */
export interface MessageExample {
  readonly rule: RuleId;
  readonly refused: MessageCase;
  readonly accepted: MessageCase;
}
