import { refuse } from '../app/refusal.ts';
import type { Route } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import { crossOrigin } from './skill-refusal.ts';

/** A refusal by one rule in the form of its API: the bus's violations, or the catalogue's `{code, message}`. */
export const apiRefusal = (
  api: Route['api'],
  rule: RuleId,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer => {
  if (api === 'portal') {
    const { status, meaning } = rules[rule];
    return answer(
      status,
      { code: rule, message: meaning },
      { headers: { ...crossOrigin, ...headers }, log: { rule } },
    );
  }
  const refusal = refusalAnswer(refuse(rule));
  return { ...refusal, headers: { ...refusal.headers, ...headers } };
};
