import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { methodsOf, type RouteId, routes, rowsAt, stages } from '../contract/routes.ts';
import { apiRefusal, type HttpAnswer, type LogFacts, preflightAnswer, tokenError } from './answer.ts';
import { type HttpRequest, httpRequest } from './request.ts';

/** What of the deployment an edge may know. */
export interface EdgeSettings {
  /** Without a path. */
  readonly origin: string;
}

/** One route over its ports: from request to answer. Faults are thrown; `respond` turns them into an answer. */
export type Edge<Ports> = (
  ports: Ports,
  settings: EdgeSettings,
) => (request: HttpRequest) => Promise<HttpAnswer>;

/** One line per request. */
export interface RequestLog {
  answered(
    facts: LogFacts & { readonly status: number; readonly milliseconds: number; readonly requestId: string },
  ): void;
  failed(fault: unknown, facts: { readonly requestId: string }): void;
}

/** An answer in the form that API Gateway takes (proxy integration, format 1.0). */
export const proxyResult = (answer: HttpAnswer, requestId: string): APIGatewayProxyResult => ({
  statusCode: answer.status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    ...answer.headers,
  },
  ...(answer.body instanceof Uint8Array
    ? { body: Buffer.from(answer.body).toString('base64'), isBase64Encoded: true }
    : { body: answer.body === undefined ? '' : JSON.stringify(answer.body) }),
});

/** The one boundary where a fault becomes an answer; its cause goes into the log only. */
export const respond =
  (
    route: (request: HttpRequest) => Promise<HttpAnswer>,
    outside: { readonly log: RequestLog; readonly onFault: HttpAnswer; now(): number },
  ) =>
  async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const request = httpRequest(event);
    const { requestId } = request;
    const startedAt = outside.now();
    const answer = await route(request).catch((fault: unknown) => {
      outside.log.failed(fault, { requestId });
      return outside.onFault;
    });
    const milliseconds = Math.round(outside.now() - startedAt);
    outside.log.answered({ ...answer.log, status: answer.status, milliseconds, requestId });
    return proxyResult(answer, requestId);
  };

/** What a caller gets when something behind a route failed: always a 503 that may be retried. */
export const faultAnswer = (route: RouteId): HttpAnswer =>
  route === 'token'
    ? tokenError(
        'temporarily_unavailable',
        'The credentials could not be checked, or the token not signed. Try again with a growing pause.',
      )
    : apiRefusal(routes[route].api, 'registry.unavailable');

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
