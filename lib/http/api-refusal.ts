import { refuse } from '../app/refusal.ts';
import { meaningOn } from '../contract/meaning-on.ts';
import type { Route } from '../contract/route.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { crossOrigin } from './cross-origin.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the rule's meaning. */
  readonly message?: string;
}

/** A refusal by one rule in the form of its API: the bus's violations, or the catalogue's `{code, message}`. */
export const apiRefusal = (
  api: Route['api'],
  rule: RuleId,
  { headers = {}, message = meaningOn(api, rule) }: RefusalDetails = {},
): HttpAnswer => {
  if (api === 'portal') {
    const { status } = rules[rule];
    return answer(
      status,
      { code: rule, message },
      { headers: { ...crossOrigin, ...headers }, log: { rule } },
    );
  }
  const refusal = refusalAnswer(refuse(rule, message));
  return { ...refusal, headers: { ...refusal.headers, ...headers } };
};
