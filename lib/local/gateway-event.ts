import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { resourcePathOf, stages } from '../contract/addresses.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { localPlace } from '../engines/machine.ts';
import { headerPairs } from '../engines/raw-request.ts';
import type { InProcess } from '../http/request.ts';
import type { RequestTarget } from './route-match.ts';

/** A request that reached the local gateway and found its route. */
export interface Arrival {
  readonly route: RouteId;
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly requestId: string;
  /** Aborted when the client closes its connection before the answer. */
  readonly gone: AbortSignal;
}

/** The verified sender of a request. */
export interface Caller {
  /** What the authoriser says about the token's connection. */
  readonly context?: object;
  /** The ARN of the role that signed the request. */
  readonly signer?: string;
}

const grouped = (pairs: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
};

const requestContext = ({ route, request, target, requestId }: Arrival, { context, signer }: Caller) => ({
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
  resourcePath: resourcePathOf(routes[route]),
  stage: stages[routes[route].api],
});

/** The event that API Gateway passes to a function (proxy integration, format 1.0), without its body, which is beside it. */
export const proxyEvent = (arrival: Arrival, caller: Caller): APIGatewayProxyEvent & InProcess => {
  const { request, target, route, pathParameters, body, gone } = arrival;
  const query = [...new URLSearchParams(target.query)];
  const headers = headerPairs(request);
  const event = {
    resource: resourcePathOf(routes[route]),
    path: target.path, // without the stage, as with a custom domain
    httpMethod: request.method ?? 'GET',
    headers: Object.fromEntries(headers),
    multiValueHeaders: grouped(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? grouped(query) : null,
    pathParameters: { ...pathParameters },
    stageVariables: null,
    requestContext: requestContext(arrival, caller),
    body: null,
    isBase64Encoded: false,
    bytes: body,
    gone,
  };
  return event as unknown as APIGatewayProxyEvent & InProcess; // without the members for client certificates and Cognito, which nothing reads
};

/** The event that API Gateway passes to a request authoriser. */
export const authoriserEvent = (arrival: Arrival): APIGatewayRequestAuthorizerEvent => {
  const method = arrival.request.method ?? 'GET';
  const event = {
    ...proxyEvent(arrival, {}),
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:local:${localPlace.account}:local/local/${method}${arrival.target.path}`,
  };
  return event as unknown as APIGatewayRequestAuthorizerEvent; // as above
};
