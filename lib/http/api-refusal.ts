import { refuse } from '../app/refusal.ts';
import type { Route } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import { crossOrigin } from './skill-refusal.ts';

/** A refusal by one rule in the form of its API: violations on the bus, `{code, message}` on the portal. */
export const apiRefusal = (
  api: Route['api'],
  rule: RuleId,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer => {
  const { status, meaning } = rules[rule];
  const refused =
    api === 'portal'
      ? answer(status, { code: rule, message: meaning }, { headers: crossOrigin, log: { rule } })
      : refusalAnswer(refuse(rule));
  return { ...refused, headers: { ...refused.headers, ...headers } };
};
