import type { APIGatewayProxyEvent } from 'aws-lambda';
import { refuse } from '../app/refusal.ts';
import { rowsAt, stages } from '../contract/addresses.ts';
import { methodsOf, type Route } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import { preflightAnswer } from './preflight.ts';

const refusal = (api: Route['api'], rule: RuleId, headers: Record<string, string> = {}): HttpAnswer => {
  const { status, meaning } = rules[rule];
  const refused =
    api === 'portal'
      ? answer(status, { code: rule, message: meaning }, { log: { rule } })
      : refusalAnswer(refuse(rule));
  return { ...refused, headers: { ...refused.headers, ...headers } };
};

/**
 * The answer to a request that API Gateway found no method for: a preflight's, 405 where other methods are served,
 * otherwise 404.
 */
export const unrouted = ({
  httpMethod,
  resource,
  requestContext,
}: Pick<APIGatewayProxyEvent, 'httpMethod' | 'resource' | 'requestContext'>): HttpAnswer => {
  const api = requestContext.stage === stages.portal ? 'portal' : 'bus';
  const allow = rowsAt(requestContext.stage, resource).flatMap(methodsOf);
  if (allow.length === 0) return refusal(api, 'route.not_found');
  return httpMethod === 'OPTIONS' && allow.includes('OPTIONS')
    ? preflightAnswer(allow)
    : refusal(api, 'route.method_not_allowed', { allow: allow.join(', ') });
};
