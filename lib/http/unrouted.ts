import type { APIGatewayProxyEvent } from 'aws-lambda';
import { refuse } from '../app/refusal.ts';
import { resourcePathOf, stages } from '../contract/addresses.ts';
import { type Route, routes } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';

const rows: readonly Route[] = Object.values(routes);

const refusal = (api: Route['api'], rule: RuleId, headers: Record<string, string> = {}): HttpAnswer => {
  if (api === 'portal') return answer(rules[rule].status, { code: rule, message: rules[rule].meaning }, { headers });
  const refused = refusalAnswer(refuse(rule));
  return { ...refused, headers: { ...refused.headers, ...headers } };
};

/** The answer to a request that no row of the route table serves: 405 where other methods are served, otherwise 404. */
export const unrouted = ({ resource, requestContext }: Pick<APIGatewayProxyEvent, 'resource' | 'requestContext'>): HttpAnswer => {
  const api = requestContext.stage === stages.portal ? 'portal' : 'bus';
  const allow = rows.filter(row => row.api === api && resourcePathOf(row.path) === resource).map(({ method }) => method);
  return allow.length > 0
    ? refusal(api, 'route.method_not_allowed', { allow: allow.join(', ') })
    : refusal(api, 'route.not_found');
};
