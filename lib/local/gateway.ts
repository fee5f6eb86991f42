import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { limits } from '../contract/limits.ts';
import { outcomeUnknown, refuse } from '../contract/refusals.ts';
import { type Route, type RouteId, routes } from '../contract/routes.ts';
import { apiRefusal, type HttpAnswer, preflightAnswer, refusalAnswer } from '../http/answer.ts';
import { proxyResult, type RequestLog } from '../http/respond.ts';
import type { ProxyHandler } from '../wiring/function.ts';
import type { authorise } from './authorise.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { listen } from './gateways.ts';
import { answerOddities, answersUnderWay } from './odd-requests.ts';
import {
  type Arrival,
  authoriserEvent,
  headerPairs,
  matchRoute,
  proxyEvent,
  type RequestTarget,
  type RouteMatch,
  requestTarget,
} from './requests.ts';
import { sessionArn } from './roles.ts';
import type { RawRequest, SigV4Result } from './sigv4.ts';

/** What a gateway puts in front of. */
export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  readonly authorise: ReturnType<typeof authorise>;
  verifySignature(request: RawRequest): SigV4Result;
  /** Where the lines of answers go that no route's function gave; the route is undefined where there was none. */
  logFor(route: RouteId | undefined): RequestLog;
  newRequestId(): string;
  /** Milliseconds since any moment, to measure with. */
  now(): number;
  /** Absent: nobody is ever told to slow down. */
  readonly limits?: GatewayLimits;
}

/** The connections of a server, also those that are no HTTP any more. */
const connectionsOf = (server: Server): ReadonlySet<Duplex> => {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

/** A promise, and what fulfils it. */
export const deferred = <T>(): { readonly promise: Promise<T>; resolve(value: T): void } => {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>(fulfil => {
    resolve = fulfil;
  });
  return { promise, resolve: value => resolve(value) };
};

/** The bytes of a request, or undefined as soon as they are more than `most`. */
export const readBody = (request: IncomingMessage, max: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= max) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The caller closed the connection.')));
  });

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
  const { request, body, target: sent } = arrival;
  const target = sent.query === '' ? sent.path : `${sent.path}?${sent.query}`;
  const result = verifySignature({
    method: request.method ?? '',
    target,
    headers: headerPairs(request),
    body,
  });
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
  const authorisation = await parts.authorise(authoriserEvent(arrival));
  switch (authorisation.kind) {
    case 'allowed':
      return charged(parts, arrival, authorisation.context);
    case 'unauthorized':
      return refusalAnswer(refuse('producer.unauthenticated'));
    case 'failed':
      parts.logFor(arrival.route).failed(authorisation.fault, arrival);
      return refusalAnswer(refuse('registry.unavailable'));
  }
};

const answerOf = async (
  parts: GatewayParts,
  request: IncomingMessage,
  facts: { readonly match: RouteMatch; readonly target: RequestTarget; readonly requestId: string },
): Promise<APIGatewayProxyResult | HttpAnswer> => {
  const { match, target, requestId } = facts;
  switch (match.kind) {
    case 'not_found':
      return apiRefusal(parts.api, 'route.not_found');
    case 'method_not_allowed':
      return apiRefusal(parts.api, 'route.method_not_allowed', {
        headers: { allow: match.allow.join(', ') },
      });
    case 'preflight':
      return preflightAnswer(match.allow);
    case 'route': {
      const limited = parts.limits?.before(match.id, request);
      if (limited) return limited;
      const body = await readBody(request, limits.gatewayBodyBytes);
      if (!body) return apiRefusal(parts.api, 'message.too_large');
      const { id: route, pathParameters } = match;
      return invoke(parts, { route, pathParameters, request, target, body, requestId });
    }
  }
};

/** Answers one request, and logs what no function of a route has logged. */
const serve = async (parts: GatewayParts, request: IncomingMessage): Promise<APIGatewayProxyResult> => {
  const requestId = parts.newRequestId();
  const startedAt = parts.now();
  const target = requestTarget(request.url ?? '/');
  const match = matchRoute(parts.api, request.method ?? 'GET', target.path);
  const log = parts.logFor(match.kind === 'route' ? match.id : undefined);
  const answer = await answerOf(parts, request, { match, target, requestId }).catch((fault: unknown) => {
    log.failed(fault, { requestId });
    const { rule, message } = outcomeUnknown[parts.api];
    return apiRefusal(parts.api, rule, { message });
  });
  if ('statusCode' in answer) return answer;
  const milliseconds = Math.round(parts.now() - startedAt);
  log.answered({ ...answer.log, status: answer.status, milliseconds, requestId });
  return proxyResult(answer, requestId);
};

/** A server that is listening already: its requests wait until it is told who answers them. */
export interface OpenGateway {
  readonly server: Server;
  /** Without a path. */
  readonly origin: string;
  serve(parts: GatewayParts): void;
  /**
   * Takes no new connections, and resolves when the requests under way are answered and no connection is left; those
   * that are not answered after the grace time are cut off.
   */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * Takes a port, before anything else is started, so that nobody else gets it meanwhile.
 *
 * @throws StartRefusal when the port is taken
 */
export const openGateway = async (port: number, option: string): Promise<OpenGateway> => {
  const parts = deferred<GatewayParts>();
  const underWay = answersUnderWay();
  let stopping = false;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    underWay.add(response);
    const result = await serve(await parts.promise, request);
    if (stopping || !request.complete) response.setHeader('connection', 'close');
    send(response, result);
  };
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    void answer(request, response);
  });
  server.on('checkExpectation', (request, response) => void answer(request, response));
  answerOddities(server, parts.promise, underWay);
  const sockets = connectionsOf(server);
  return {
    server,
    origin: await listen(server, port, option),
    serve: parts.resolve,
    async close(graceMilliseconds) {
      stopping = true;
      const closed = new Promise(resolve => server.close(resolve));
      const grace = new AbortController();
      await Promise.race([
        underWay.none(),
        setTimeout(graceMilliseconds, undefined, grace).catch(() => undefined),
      ]);
      grace.abort();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
