import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ProxyHandler } from '../../lambdas/wiring.ts';
import { refuse } from '../app/refusal.ts';
import { limits } from '../contract/limits.ts';
import { type Route, type RouteId, routes } from '../contract/routes.ts';
import { apiRefusal } from '../http/api-refusal.ts';
import { type HttpAnswer, refusalAnswer } from '../http/http-answer.ts';
import { preflightAnswer } from '../http/preflight.ts';
import { proxyResult } from '../http/respond.ts';
import { sessionArn } from './access-keys.ts';
import type { authorise } from './authorise.ts';
import { deferred } from './deferred.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { listen } from './listen.ts';
import { matchRoute } from './match-route.ts';
import { type Arrival, authoriserEvent, headerPairs, proxyEvent } from './proxy-event.ts';
import { readBody } from './read-body.ts';
import type { RawRequest } from './sigv4/canonical-request.ts';
import type { SigV4Result } from './sigv4/verify-request.ts';

/** What a gateway puts in front of. */
export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  readonly authorise: ReturnType<typeof authorise>;
  verifySignature(request: RawRequest): SigV4Result;
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

/** Runs the route's function for the role that signed the request. */
const signed = async (
  { handlers, verifySignature }: GatewayParts,
  arrival: Arrival,
): Promise<APIGatewayProxyResult | HttpAnswer> => {
  const { request, body } = arrival;
  const { method = '', url: target = '' } = request;
  const result = verifySignature({ method, target, headers: headerPairs(request), body });
  return result.kind === 'refused'
    ? refusalAnswer(refuse('producer.unauthenticated', result.reason))
    : handlers[arrival.route](proxyEvent({ ...arrival, signer: sessionArn(result.accessKey) }, undefined));
};

/** Runs the route's function behind its authoriser; the context of an open route is undefined. */
const invoke = async (parts: GatewayParts, arrival: Arrival): Promise<APIGatewayProxyResult | HttpAnswer> => {
  const handler = parts.handlers[arrival.route];
  const { auth } = routes[arrival.route];
  if (auth === 'sigv4') return signed(parts, arrival);
  if (auth === 'none') return handler(proxyEvent(arrival, undefined));
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

const serve = async (
  parts: GatewayParts,
  request: IncomingMessage,
  requestId: string,
): Promise<APIGatewayProxyResult> => {
  const target = request.url?.startsWith('/') ? request.url : '/';
  const url = new URL(`http://gateway.invalid${target}`);
  const match = matchRoute(parts.api, request.method ?? 'GET', url.pathname);
  if (match.kind === 'not_found') return proxyResult(apiRefusal(parts.api, 'route.not_found'), requestId);
  if (match.kind === 'method_not_allowed') {
    const allow = match.allow.join(', ');
    return proxyResult(apiRefusal(parts.api, 'route.method_not_allowed', { allow }), requestId);
  }
  if (match.kind === 'preflight') return proxyResult(preflightAnswer(match.allow), requestId);
  const limited = parts.limits?.before(match.id, request);
  if (limited) return proxyResult(limited, requestId);
  const body = await readBody(request, limits.gatewayBodyBytes);
  if (!body) return proxyResult(apiRefusal(parts.api, 'message.too_large'), requestId);
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
  const unavailable = () => proxyResult(apiRefusal(parts.api, 'registry.unavailable'), requestId);
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

/** Answers requests with API Gateway's semantics over the route table of one API. */
export const gatewayListener =
  (parts: GatewayParts): RequestListener =>
  (request, response) =>
    void answerTo(parts, request, response);

/** A server that is listening already: its requests wait until it is told who answers them. */
export interface OpenGateway {
  readonly server: Server;
  /** Without a path. */
  readonly origin: string;
  serve(parts: GatewayParts): void;
}

/**
 * Takes a port, before anything else is started, so that nobody else gets it meanwhile.
 *
 * @throws StartRefusal when the port is taken
 */
export const openGateway = async (port: number, option: string): Promise<OpenGateway> => {
  const parts = deferred<GatewayParts>();
  const server = createServer((request, response) => {
    void parts.promise.then(known => gatewayListener(known)(request, response));
  });
  server.on('clientError', answerMalformed);
  return { server, origin: await listen(server, port, option), serve: parts.resolve };
};
