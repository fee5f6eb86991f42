import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { anyPath, methodsOf, rowsAt } from '../../contract/paths.ts';
import { apis } from '../../contract/route.ts';
import { bodyLimitOf, type RouteId } from '../../contract/routes.ts';
import { type HttpRequest, httpRequest } from './request.ts';
import {
  errorResponse,
  type HttpResponse,
  type LogFacts,
  methodNotAllowed,
  notFound,
  preflightResponse,
  tooLargeResponse,
} from './response.ts';

export interface EdgeSettings {
  readonly origin: string;
  /** What stands before the portal's paths: nothing, or a segment with its slash in front. */
  readonly portalPath?: string;
  /** The service runs on this machine, without https. */
  readonly isLocal?: boolean;
  /** Where the functions run: what is signed for them names it. */
  readonly region?: string;
}

/**
 * One route over its ports: from request to answer. Errors are thrown; `respond` turns them into a
 * response.
 */
export type Edge<Ports> = (ports: Ports, settings: EdgeSettings) => RouteHandler;

export interface RequestLog {
  answered(
    facts: LogFacts & {
      status: number;
      milliseconds: number;
      requestId: string;
    },
  ): void;
  failed(error: unknown, facts: { requestId: string }): void;
}

/** Bytes as base64, anything else as JSON. */
const bodyOf = ({ body }: HttpResponse) => {
  if (body === undefined) return { body: '' };
  if (!(body instanceof Uint8Array)) return { body: JSON.stringify(body) };
  return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
};

/** A response in the form that API Gateway expects (proxy integration, format 1.0). */
export const proxyResult = (response: HttpResponse, requestId: string): APIGatewayProxyResult => ({
  statusCode: response.status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    ...response.headers,
  },
  ...(response.cookies && { multiValueHeaders: { 'set-cookie': [...response.cookies] } }),
  ...bodyOf(response),
});

export type RouteHandler = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * Runs a route. This is the only boundary where an error becomes a response (its cause is only
 * logged), and the only place that checks the size of a body.
 */
export const respond = (
  route: RouteId,
  handle: RouteHandler,
  outside: { log: RequestLog; now(): number },
) =>
  async function respondTo(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
    const request = httpRequest(event);
    const { requestId } = request;
    const startedAt = outside.now();
    const answered = async () =>
      request.body.length > bodyLimitOf(route) ? tooLargeResponse(route) : handle(request);
    const response = await answered().catch((error: unknown) => {
      if (!request.gone?.aborted) outside.log.failed(error, { requestId });
      return errorResponse(route);
    });
    const milliseconds = Math.round(outside.now() - startedAt);
    const log = { ...request.caller, ...response.log };
    outside.log.answered({ ...log, status: response.status, milliseconds, requestId });
    return proxyResult(response, requestId);
  };

/**
 * The response to a request that API Gateway found no method for: to a preflight, 405 if other
 * methods are served, or 404. If the path only has slashes too many, the 404 says which URL was
 * meant.
 */
export const unrouted = ({
  httpMethod,
  resource,
  requestContext,
}: Pick<APIGatewayProxyEvent, 'httpMethod' | 'resource' | 'requestContext'>): HttpResponse => {
  const api = requestContext.stage === apis.portal.stage ? 'portal' : 'bus';
  const rows = resource === anyPath ? [] : rowsAt(requestContext.stage, resource);
  if (rows.length === 0) return notFound(api, requestContext.path);
  const allow = rows.flatMap(methodsOf);
  if (httpMethod === 'OPTIONS' && allow.includes('OPTIONS')) return preflightResponse(allow);
  return methodNotAllowed(api, rows);
};
