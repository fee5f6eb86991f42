import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { limits } from '../contract/limits.ts';
import { refusalHeaders } from '../contract/paths.ts';
import { portalErrors } from '../contract/portal/portal.ts';
import { outcomeUnknown, refuse } from '../contract/refusals.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import {
  type Arrival,
  matchRoute,
  proxyEvent,
  type RequestTarget,
  type RouteMatch,
  requestTarget,
} from '../platform/http/gateway-event.ts';
import type { InProcess } from '../platform/http/request.ts';
import { proxyResult, type RequestLog } from '../platform/http/respond.ts';
import {
  apiRefusal,
  errorResponse,
  type HttpResponse,
  limitedResponse,
  methodNotAllowed,
  notFound,
  preflightResponse,
  refusalResponse,
  tooLargeResponse,
} from '../platform/http/response.ts';
import type { ProxyHandler } from '../wiring/function.ts';
import type { Authorisation } from './authorise.ts';
import { foreignHost, headerPairs } from './engines/raw-request.ts';
import type { Store } from './engines/store.ts';
import type { Control } from './faults.ts';
import type { GatewayLimits } from './gateway-limits.ts';

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

const declaredBytes = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? 0);

/** How many bytes a caller may send in vain before the connection is cut. */
const droppedBytes = 2 * limits.gatewayBodyBytes;

/**
 * The body of a request; undefined as soon as it is known to have more than `max` bytes. The rest
 * is then read and dropped: many clients read no response before they have sent everything.
 *
 * @param kept of a larger body, nothing is returned, but its bytes are still counted
 */
const readBody = (request: IncomingMessage, max: number, kept = max): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => {
      chunks = [];
      resolve(undefined);
    };
    const isTooLarge = declaredBytes(request) > max;
    if (isTooLarge) refuse();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > droppedBytes) request.destroy();
      else if (bytes > max) refuse();
      else if (bytes <= kept && !isTooLarge) chunks.push(chunk);
      else chunks = [];
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.once('close', () => reject(new Error('The caller closed the connection.')));
  });

/**
 * The body that a route reads, or the refusal of a larger one: the gateway holds no more than the
 * route's limit.
 */
const routeBody = async (id: RouteId, request: IncomingMessage): Promise<Buffer | HttpResponse> => {
  const { api, bodyBytes }: Route = routes[id];
  const body = await readBody(request, bodyBytes ?? limits.gatewayBodyBytes, bodyBytes ?? 0);
  if (body) return body;
  // API Gateway refuses what is larger than its own limit before the function can.
  const isGateways = bodyBytes === undefined || declaredBytes(request) > limits.gatewayBodyBytes;
  if (isGateways) return apiRefusal(api, 'message.too_large');
  return tooLargeResponse(id);
};

export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  authorise(arrival: Arrival, body: Buffer): Promise<Authorisation>;
  logFor(route: RouteId | undefined): RequestLog;
  newRequestId(): string;
  /** Milliseconds since any fixed moment: only differences count. */
  now(): number;
  /** Resolves when everything that was changed so far is on disk: nothing is answered before. */
  saved(): Promise<void>;
  /** Whether there is room to write. Absent: always. */
  readonly disk?: Pick<Store, 'isFull' | 'onFull'>;
  /** Host names that the service responds to, besides those of the loopback addresses. */
  readonly hosts?: readonly string[];
  /** Absent: no caller is ever limited. */
  readonly limits?: Pick<GatewayLimits, 'admit' | 'charge'>;
  /** Answers what is not for a route. Absent: nobody does. */
  readonly control?: Control;
  /**
   * Whether the response to a request is lost on its way, and the connection with it. Absent: none
   * is.
   */
  loses?(requestId: string): boolean;
}

type GatewayResponse = APIGatewayProxyResult | HttpResponse;

interface Incoming {
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly requestId: string;
  readonly gone: AbortSignal;
}

const untilGone = async <T>(
  { socket }: IncomingMessage,
  task: (gone: AbortSignal) => Promise<T>,
): Promise<T> => {
  const client = new AbortController();
  const leave = () => client.abort();
  socket.once('close', leave);
  try {
    return await task(client.signal);
  } finally {
    socket.off('close', leave);
  }
};

export const respondToRequest = async (
  parts: GatewayParts,
  request: IncomingMessage,
): Promise<APIGatewayProxyResult> => {
  const startedAt = parts.now();
  const requestId = parts.newRequestId();
  const target = requestTarget(request.url ?? '/');
  const match = matchRoute(parts.api, request.method ?? 'GET', target.path);
  const log = parts.logFor(match.kind === 'route' ? match.id : undefined);
  const response = await untilGone(request, gone =>
    savedResponse(parts, match, { request, target, requestId, gone }),
  ).catch((error: unknown) => {
    log.failed(error, { requestId });
    const { rule, message } = outcomeUnknown[parts.api];
    return apiRefusal(parts.api, rule, { message });
  });
  if ('statusCode' in response) return response;
  const milliseconds = Math.round(parts.now() - startedAt);
  log.answered({ ...response.log, status: response.status, milliseconds, requestId });
  const open = match.kind === 'route' ? refusalHeaders(routes[match.id]) : {};
  return proxyResult({ ...response, headers: { ...open, ...response.headers } }, requestId);
};

/**
 * Whether the page of a request comes from the address that the request goes to, whatever the port
 * is here: it may be tunnelled.
 */
const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();

/**
 * Why a request is refused that a web page from elsewhere made a browser send; undefined for all
 * others.
 */
const whyForeign = (
  { api, hosts }: GatewayParts,
  match: RouteMatch,
  { headers, headersDistinct }: IncomingMessage,
): string | undefined => {
  const foreign = foreignHost({ headersDistinct }, hosts);
  if (foreign !== undefined)
    return (
      `The service does not answer at the host ${foreign}: use 127.0.0.1 or localhost, or start ` +
      'it with --allow-host.'
    );
  if (api !== 'portal' || headers.origin === undefined || isOwnOrigin(headers.origin, headers.host))
    return undefined;
  const route: Route | undefined = match.kind === 'route' ? routes[match.id] : undefined;
  if (route === undefined || route.crossOrigin) return undefined;
  return portalErrors['request.foreign'].message;
};

/** What a response says, or what it is based on, must outlast the process. */
const savedResponse = async (
  ...asked: Parameters<typeof respondToMatch>
): Promise<GatewayResponse> => {
  const response = await respondToMatch(...asked);
  await asked[0].saved();
  return response;
};

const respondToMatch = async (
  parts: GatewayParts,
  match: RouteMatch,
  incoming: Incoming,
): Promise<GatewayResponse> => {
  const { request, target } = incoming;
  const message = whyForeign(parts, match, request);
  if (message !== undefined) return apiRefusal(parts.api, 'request.blocked', { message });
  const controlled =
    match.kind === 'not_found' ? await parts.control?.(target.path, request) : undefined;
  if (controlled) return controlled;
  const isRoute = match.kind === 'route';
  const limited = parts.limits?.admit(isRoute ? match.id : undefined, {
    address: addressOf(request),
    // no path with a wrong escape has a route
    path: isRoute ? decodeURIComponent(target.path) : target.path,
  });
  if (limited) return limitedResponse(parts.api, limited);
  switch (match.kind) {
    case 'not_found':
      return notFound(parts.api, target.path);
    case 'method_not_allowed':
      return methodNotAllowed(parts.api, match.rows);
    case 'preflight':
      return preflightResponse(match.allow);
    case 'route':
      return respondToRoute(parts, match, incoming);
  }
};

/** Routes without ports read nothing that changes; health is there to tell. */
const needsDisk = (route: RouteId): boolean => route === 'health' || routes[route].ports.length > 0;

const diskFull = (route: RouteId): HttpResponse =>
  errorResponse(
    route,
    'The disk of the service is full, and nothing was accepted. Free some space there, then ' +
      'send the same request again.',
  );

const filledMeanwhile = (route: RouteId): HttpResponse => {
  const message = `The disk of the service is full. ${outcomeUnknown[routes[route].api].message}`;
  if (routes[route].api === 'portal' || route === 'token') return errorResponse(route, message);
  return apiRefusal('bus', outcomeUnknown.bus.rule, { message });
};

/**
 * The response of a function, or that of a disk that fills meanwhile: the function would try again
 * and again.
 */
const unlessDiskFills = (
  disk: GatewayParts['disk'],
  route: RouteId,
  result: Promise<APIGatewayProxyResult>,
): Promise<GatewayResponse> => {
  if (!disk || !needsDisk(route)) return result;
  let end: () => void = () => undefined;
  const filled = new Promise<HttpResponse>(resolve => {
    end = disk.onFull(isFull => {
      if (isFull) resolve(filledMeanwhile(route));
    });
  });
  return Promise.race([result, filled]).finally(end);
};

/** Body, authorisation, function: in the order of API Gateway. */
const respondToRoute = async (
  parts: GatewayParts,
  { id: route, pathParameters }: RouteMatch & { kind: 'route' },
  { request, target, requestId, gone }: Incoming,
): Promise<GatewayResponse> => {
  const body = await routeBody(route, request);
  if (!Buffer.isBuffer(body)) return body;
  if (needsDisk(route) && parts.disk?.isFull()) return diskFull(route);
  const method = request.method ?? 'GET';
  const headers = headerPairs(request);
  const arrival: Arrival = { route, method, target, pathParameters, headers, requestId };
  const authorisation = await parts.authorise(arrival, body);
  switch (authorisation.kind) {
    case 'unauthorized':
      return refusalResponse(refuse('producer.unauthenticated', authorisation.reason));
    case 'failed':
      parts.logFor(route).failed(authorisation.error, { requestId });
      return refusalResponse(refuse('registry.unavailable'));
    case 'allowed': {
      const event = proxyEvent(arrival, authorisation.caller);
      const inProcess = { ...event, bytes: body, gone };
      return respondToCaller(parts, route, { event: inProcess, address: addressOf(request) });
    }
  }
};

const respondToCaller = async (
  { handlers, limits: callerLimits, disk }: GatewayParts,
  route: RouteId,
  { event, address }: { event: Parameters<ProxyHandler>[0] & InProcess; address: string },
): Promise<GatewayResponse> => {
  const connection = event.requestContext.authorizer?.['connection'];
  const charged = await callerLimits?.charge(route, connection, address);
  const { refusal, headers } = charged ?? { headers: {} };
  if (refusal) return refusal;
  const result = await unlessDiskFills(disk, route, handlers[route](event));
  if ('status' in result) return result;
  return { ...result, headers: { ...result.headers, ...headers } };
};
