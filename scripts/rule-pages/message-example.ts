import type { RuleId } from '../../lib/contract/rules.ts';

/** A body, after what was accepted before it, sent by a connection with these grants (default: all, as desk-1). */
export interface MessageCase {
  readonly about: string;
  readonly before?: readonly string[];
  readonly systemIds?: readonly string[];
  readonly grants?: readonly string[];
  readonly body: string;
}

/** For a rule of source `tolerated`, the answer that carries it stands in the place of the refusal. */
export interface MessageExample {
  readonly rule: RuleId;
  readonly refused: MessageCase;
  readonly accepted: MessageCase;
}
