import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ProxyHandler } from '../../lambdas/wiring.ts';
import { refuse } from '../app/refusal.ts';
import { limits } from '../contract/limits.ts';
import { type Route, type RouteId, routes } from '../contract/routes.ts';
import { type HttpAnswer, refusalAnswer } from '../http/http-answer.ts';
import { preflightAnswer } from '../http/preflight.ts';
import { proxyResult } from '../http/respond.ts';
import type { authorise } from './authorise.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { matchRoute } from './match-route.ts';
import { type Arrival, authoriserEvent, proxyEvent } from './proxy-event.ts';
import { readBody } from './read-body.ts';

/** What a gateway puts in front of. */
export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  readonly authorise: ReturnType<typeof authorise>;
  /** Absent: nobody is ever told to slow down. */
  readonly limits?: GatewayLimits;
}

const send = (
  response: ServerResponse,
  { statusCode, headers, body, isBase64Encoded }: APIGatewayProxyResult,
): void => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  // 204 and 304 have no content, and a length of 0 would say that the cached content is empty (RFC 9110 section 8.6).
  const length = [204, 304].includes(statusCode) ? {} : { 'content-length': String(bytes.length) };
  response.writeHead(statusCode, { ...headers, ...length } as Record<string, string>);
  response.end(bytes);
};

/** Runs the route's function for a known caller, within its limits. */
const charged = async (
  { handlers, limits: fences }: GatewayParts,
  arrival: Arrival,
  context: object,
): Promise<APIGatewayProxyResult | HttpAnswer> => {
  const { refusal, headers } = (await fences?.charge(arrival, context)) ?? { headers: {} };
  if (refusal) return refusal;
  const result = await handlers[arrival.route](proxyEvent(arrival, context));
  return { ...result, headers: { ...result.headers, ...headers } };
};

/** Runs the route's function behind its authoriser; the context of an open route is undefined. */
const invoke = async (parts: GatewayParts, arrival: Arrival): Promise<APIGatewayProxyResult | HttpAnswer> => {
  const handler = parts.handlers[arrival.route];
  if (routes[arrival.route].auth !== 'bearer') return handler(proxyEvent(arrival, undefined));
  const authorisation = await parts.authorise(
    arrival.request.headers.authorization,
    authoriserEvent(arrival),
  );
  switch (authorisation.kind) {
    case 'allowed':
      return charged(parts, arrival, authorisation.context);
    case 'unauthorized':
      return refusalAnswer(refuse('producer.unauthenticated'));
    case 'failed':
      return refusalAnswer(refuse('registry.unavailable'));
  }
};

const methodNotAllowed = (allow: readonly string[]): HttpAnswer => {
  const answer = refusalAnswer(refuse('route.method_not_allowed'));
  return { ...answer, headers: { ...answer.headers, allow: allow.join(', ') } };
};

const serve = async (
  parts: GatewayParts,
  request: IncomingMessage,
  requestId: string,
): Promise<APIGatewayProxyResult> => {
  const target = request.url?.startsWith('/') ? request.url : '/';
  const url = new URL(`http://gateway.invalid${target}`);
  const match = matchRoute(parts.api, request.method ?? 'GET', url.pathname);
  if (match.kind === 'not_found') return proxyResult(refusalAnswer(refuse('route.not_found')), requestId);
  if (match.kind === 'method_not_allowed') return proxyResult(methodNotAllowed(match.allow), requestId);
  if (match.kind === 'preflight') return proxyResult(preflightAnswer(match.allow), requestId);
  const limited = parts.limits?.before(match.id, request);
  if (limited) return proxyResult(limited, requestId);
  const body = await readBody(request, limits.gatewayBodyBytes);
  if (!body) return proxyResult(refusalAnswer(refuse('message.too_large')), requestId);
  const arrival: Arrival = {
    route: match.id,
    pathParameters: match.pathParameters,
    request,
    url,
    body,
    requestId,
  };
  const result = await invoke(parts, arrival);
  return 'statusCode' in result ? result : proxyResult(result, requestId);
};

const answerTo = async (
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const requestId = randomUUID();
  const unavailable = () => proxyResult(refusalAnswer(refuse('registry.unavailable')), requestId);
  const result = await serve(parts, request, requestId).catch(unavailable);
  if (!request.complete) response.setHeader('connection', 'close');
  send(response, result);
};

/** Bytes that are no HTTP request get the bus's answer too. */
const answerMalformed = (_fault: Error, socket: Socket): void => {
  const { headers, body } = proxyResult(
    refusalAnswer(refuse('request.blocked', 'This is no HTTP request the service can read.')),
    randomUUID(),
  );
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  if (socket.writable) socket.end(`HTTP/1.1 403 Forbidden\r\n${head}\r\n${body}`);
};

/** An HTTP server with API Gateway's semantics over the route table of one API. It is not listening yet. */
export const gateway = (parts: GatewayParts): Server => {
  const server = createServer((request, response) => void answerTo(parts, request, response));
  return server.on('clientError', answerMalformed);
};
