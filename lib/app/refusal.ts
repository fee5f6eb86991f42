import type { RuleId } from '../contract/rules.ts';
import { type Violation, violation } from '../contract/violation.ts';

/** A call that was understood and declined; the first violation decides the status. */
export interface Refusal {
  readonly kind: 'refused';
  readonly violations: readonly [Violation, ...Violation[]];
}

export const refused = (...violations: [Violation, ...Violation[]]): Refusal => ({
  kind: 'refused',
  violations,
});

/** A refusal for one catalogued rule. */
export const refuse = (id: RuleId, message?: string): Refusal => refused(violation(id, message));
