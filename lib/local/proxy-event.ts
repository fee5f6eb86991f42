import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { resourcePathOf, stages } from '../contract/addresses.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { localPlace } from './engines/local-place.ts';
import type { RequestTarget } from './request-target.ts';

/** A request that reached the local gateway and found its route. */
export interface Arrival {
  readonly route: RouteId;
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly requestId: string;
  /** The ARN of who signed it, once that is verified. */
  readonly signer?: string;
}

const grouped = (pairs: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
};

export const headerPairs = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );

const requestContext = (
  { route, request, target, requestId, signer }: Arrival,
  context: object | undefined,
) => ({
  accountId: localPlace.account,
  apiId: 'local',
  authorizer: context,
  httpMethod: request.method ?? 'GET',
  identity: {
    sourceIp: request.socket.remoteAddress ?? '',
    userAgent: request.headers['user-agent'] ?? null,
    userArn: signer ?? null,
  },
  path: target.path,
  protocol: `HTTP/${request.httpVersion}`,
  requestId,
  requestTimeEpoch: 0,
  resourceId: route,
  resourcePath: resourcePathOf(routes[route].path),
  stage: stages[routes[route].api],
});

/** The event API Gateway hands to a function (proxy integration, format 1.0), its body in base64 as binary APIs have it. */
export const proxyEvent = (arrival: Arrival, context: object | undefined): APIGatewayProxyEvent => {
  const { request, target, route, pathParameters, body } = arrival;
  const query = [...new URLSearchParams(target.query)];
  const headers = headerPairs(request);
  const event = {
    resource: resourcePathOf(routes[route].path),
    path: target.path, // as with a domain of one's own: nothing reads it
    httpMethod: request.method ?? 'GET',
    headers: Object.fromEntries(headers),
    multiValueHeaders: grouped(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? grouped(query) : null,
    pathParameters: { ...pathParameters },
    stageVariables: null,
    requestContext: requestContext(arrival, context),
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  };
  return event as unknown as APIGatewayProxyEvent; // client certificates and Cognito members, which nothing here reads, are left out
};

/** The event API Gateway hands to a request authoriser. */
export const authoriserEvent = (arrival: Arrival): APIGatewayRequestAuthorizerEvent => {
  const method = arrival.request.method ?? 'GET';
  const event = {
    ...proxyEvent(arrival, undefined),
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:local:${localPlace.account}:local/local/${method}${arrival.target.path}`,
  };
  return event as unknown as APIGatewayRequestAuthorizerEvent; // as above
};
