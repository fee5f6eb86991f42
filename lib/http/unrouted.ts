import type { APIGatewayProxyEvent } from 'aws-lambda';
import { rowsAt, stages } from '../contract/addresses.ts';
import { methodsOf } from '../contract/route.ts';
import { apiRefusal } from './api-refusal.ts';
import type { HttpAnswer } from './http-answer.ts';
import { preflightAnswer } from './preflight.ts';

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
  if (allow.length === 0) return apiRefusal(api, 'route.not_found');
  return httpMethod === 'OPTIONS' && allow.includes('OPTIONS')
    ? preflightAnswer(allow)
    : apiRefusal(api, 'route.method_not_allowed', { headers: { allow: allow.join(', ') } });
};
