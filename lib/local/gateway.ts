import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { limits } from '../contract/limits.ts';
import { outcomeUnknown, refuse } from '../contract/refusals.ts';
import { type Route, type RouteId, routes } from '../contract/routes.ts';
import { answer, apiRefusal, type HttpAnswer, preflightAnswer, refusalAnswer } from '../http/answer.ts';
import { proxyResult, type RequestLog } from '../http/respond.ts';
import type { ProxyHandler } from '../wiring/function.ts';
import type { Authorisation } from './authorise.ts';
import { type Arrival, type Caller, proxyEvent } from './gateway-event.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { matchRoute, type RequestTarget, type RouteMatch, requestTarget } from './route-match.ts';

/** What a gateway needs to answer requests. */
export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  authorise(arrival: Arrival): Promise<Authorisation>;
  /** Logs the answers that the gateway gives itself; the route is undefined when there is none. */
  logFor(route: RouteId | undefined): RequestLog;
  newRequestId(): string;
  /** Milliseconds since any fixed moment: only differences count. */
  now(): number;
  /** Absent: no caller is ever limited. */
  readonly limits?: GatewayLimits;
}

/** The answer of a function, or one of the gateway itself. */
type GatewayAnswer = APIGatewayProxyResult | HttpAnswer;

interface Incoming {
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly requestId: string;
}

/** Answers one request, and logs the answers that no function has logged. */
export const answerRequest = async (
  parts: GatewayParts,
  request: IncomingMessage,
): Promise<APIGatewayProxyResult> => {
  const startedAt = parts.now();
  const requestId = parts.newRequestId();
  const target = requestTarget(request.url ?? '/');
  const match = matchRoute(parts.api, request.method ?? 'GET', target.path);
  const log = parts.logFor(match.kind === 'route' ? match.id : undefined);
  const answer = await answerMatch(parts, match, { request, target, requestId }).catch((fault: unknown) => {
    log.failed(fault, { requestId });
    const { rule, message } = outcomeUnknown[parts.api];
    return apiRefusal(parts.api, rule, { message });
  });
  if ('statusCode' in answer) return answer;
  const milliseconds = Math.round(parts.now() - startedAt);
  log.answered({ ...answer.log, status: answer.status, milliseconds, requestId });
  return proxyResult(answer, requestId);
};

const isPortalRoot = ({ api }: GatewayParts, { request: { method = '' }, target }: Incoming): boolean =>
  api === 'portal' && target.path === '/' && ['GET', 'HEAD'].includes(method);

/** Who opens the portal's address in a browser lands on a page (RFC 9110 section 15.4.3). */
const toPortalPages = answer(302, undefined, { headers: { location: routes.docs.path } });

const answerMatch = async (
  parts: GatewayParts,
  match: RouteMatch,
  incoming: Incoming,
): Promise<GatewayAnswer> => {
  switch (match.kind) {
    case 'not_found':
      if (isPortalRoot(parts, incoming)) return toPortalPages;
      return apiRefusal(parts.api, 'route.not_found');
    case 'method_not_allowed':
      return apiRefusal(parts.api, 'route.method_not_allowed', {
        headers: { allow: match.allow.join(', ') },
      });
    case 'preflight':
      return preflightAnswer(match.allow);
    case 'route':
      return answerRoute(parts, match, incoming);
  }
};

/** Limits, body, authorisation, function: in the order of API Gateway. */
const answerRoute = async (
  parts: GatewayParts,
  { id: route, pathParameters }: RouteMatch & { kind: 'route' },
  { request, target, requestId }: Incoming,
): Promise<GatewayAnswer> => {
  const limited = parts.limits?.admit(route, {
    address: request.socket.remoteAddress ?? '',
    authorization: request.headers.authorization,
  });
  if (limited) return limited;
  const body = await readBody(request, limits.gatewayBodyBytes);
  if (!body) return apiRefusal(parts.api, 'message.too_large');
  const arrival: Arrival = { route, pathParameters, request, target, body, requestId };
  const authorisation = await parts.authorise(arrival);
  switch (authorisation.kind) {
    case 'unauthorized':
      return refusalAnswer(refuse('producer.unauthenticated', authorisation.reason));
    case 'failed':
      parts.logFor(route).failed(authorisation.fault, { requestId });
      return refusalAnswer(refuse('registry.unavailable'));
    case 'allowed':
      return answerCaller(parts, arrival, authorisation.caller);
  }
};

/** Runs the route's function for a verified caller, within its quota. */
const answerCaller = async (
  { handlers, limits: callerLimits }: GatewayParts,
  arrival: Arrival,
  caller: Caller,
): Promise<GatewayAnswer> => {
  const { refusal, headers } = (await callerLimits?.charge(arrival.route, caller)) ?? { headers: {} };
  if (refusal) return refusal;
  const result = await handlers[arrival.route](proxyEvent(arrival, caller));
  return { ...result, headers: { ...result.headers, ...headers } };
};

/** The body of a request; undefined as soon as it is larger than `max` bytes. */
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
