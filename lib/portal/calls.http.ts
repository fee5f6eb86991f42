import { limits } from '../contract/limits.ts';
import {
  type Access,
  mayCall,
  type PortalCall,
  type PortalCallId,
  type PortalGroup,
  portalCallIds,
  portalCalls,
  type Standing,
} from '../contract/portal.ts';
import type { ResponseOf } from '../contract/portal-responses.ts';
import { type HttpRequest, tooLong } from '../http/request.ts';
import type { EdgeSettings, RouteHandler } from '../http/respond.ts';
import type { HttpResponse } from '../http/response.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../json/value.ts';
import { cookieValue, isFromPortal, portalRefusal, type Reply } from './browser.http.ts';
import type { PortalPorts } from './ports.ts';
import { type Person, sessionHash } from './session.ts';

export type CallsOf<G extends PortalGroup> = Extract<PortalCallId, `${G}.${string}`>;

export type Subject = Readonly<Record<string, string>>;

/** A call as its handler sees it: checked, and allowed. */
export interface Call {
  readonly request: HttpRequest;
  readonly settings: EdgeSettings;
  readonly person: Person | undefined;
  readonly standing: Standing;
  readonly subject: Subject;
  /** The JSON object of a POST; empty otherwise. */
  readonly body: JsonObject;
}

export type CallHandler<Id extends PortalCallId> = (
  ports: PortalPorts,
  call: Call,
) => Promise<Reply<ResponseOf<Id>>>;

/** The values of a path's names; undefined if the path has another form. */
const subjectOf = (pattern: string, path: string): Subject | undefined => {
  const [parts, segments] = [pattern.split('/'), path.split('/')];
  if (parts.length !== segments.length) return undefined;
  const subject: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith('{')) subject[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return subject;
};

interface Found {
  readonly id: PortalCallId;
  readonly row: PortalCall;
  readonly subject: Subject;
}

const callsAt = (path: string): readonly Found[] =>
  portalCallIds
    .flatMap(id => {
      const row: PortalCall = portalCalls[id];
      const subject = subjectOf(row.path, path);
      return subject ? [{ id, row, subject }] : [];
    })
    .sort((a, b) => Object.keys(a.subject).length - Object.keys(b.subject).length);

const bodyOf = ({ method }: PortalCall, { body }: HttpRequest): JsonObject | undefined => {
  if (method === 'GET') return {};
  const value = jsonIn(Buffer.from(body).toString('utf8'));
  return isJsonObject(value) ? value : undefined;
};

export const listIn = (body: JsonObject, name: string): readonly string[] | 'wrong' | undefined => {
  const value = body[name];
  if (value === undefined) return undefined;
  return Array.isArray(value) && value.length <= 50 && value.every(text => typeof text === 'string')
    ? [...new Set<string>(value)]
    : 'wrong';
};

/** Who calls: a person, nobody, or a session that asks too often. */
const callerOf = async (
  { sessions, clock }: PortalPorts,
  request: HttpRequest,
  settings: EdgeSettings,
): Promise<Person | 'busy' | undefined> => {
  const hash = sessionHash(cookieValue('session', request, settings) ?? '');
  if (hash === undefined) return undefined;
  const session = await sessions.use(hash, clock.now());
  return session === 'busy' ? session : session?.person;
};

/** Navigations of the browser: they come from elsewhere, and carry their own proof. */
const isNavigation = (access: Access): boolean => access === 'anybody';

const hidden = (standing: Standing): boolean => Object.keys(standing).length === 0;

export interface CallService<G extends PortalGroup> {
  readonly handlers: { readonly [Id in CallsOf<G>]: CallHandler<Id> };
  /** Absent for a group whose calls are about nothing but the person. */
  readonly standingOf?: (ports: PortalPorts, person: Person, subject: Subject) => Promise<Standing>;
}

interface AnyService {
  readonly handlers: Readonly<Record<string, (ports: PortalPorts, call: Call) => Promise<HttpResponse>>>;
  readonly standingOf?: (ports: PortalPorts, person: Person, subject: Subject) => Promise<Standing>;
}

const isId = ([name]: readonly [string, unknown]): boolean => name.endsWith('_id');

const respondToCall = async (
  ports: PortalPorts,
  { handlers, standingOf }: AnyService,
  { found, request, settings }: { found: Found; request: HttpRequest; settings: EdgeSettings },
): Promise<HttpResponse> => {
  const { id, row, subject } = found;
  const handler = handlers[id];
  if (!handler) throw new Error(`Nobody handles the call ${id}.`);
  if (!isNavigation(row.access) && !isFromPortal(request, settings, row.method))
    return portalRefusal('request.foreign');
  const long =
    tooLong(Object.entries(subject), limits.idCharacters) ??
    tooLong(Object.entries(request.query), limits.queryBytes, 'bytes');
  if (long) return portalRefusal('request.invalid', long);
  const person = await callerOf(ports, request, settings);
  if (person === 'busy') return portalRefusal('session.busy', undefined, { headers: { 'retry-after': '1' } });
  const standing = person && ((await standingOf?.(ports, person, subject)) ?? {});
  if (!mayCall(row.access, standing)) {
    if (standing === undefined) return portalRefusal('session.required');
    return portalRefusal(hidden(standing) ? 'portal.not_found' : 'access.denied');
  }
  const body = bodyOf(row, request);
  if (!body) return portalRefusal('request.invalid');
  const longId = tooLong(Object.entries(body).filter(isId), limits.idCharacters);
  if (longId) return portalRefusal('request.invalid', longId);
  const done = await handler(ports, { request, settings, person, standing: standing ?? {}, subject, body });
  const isUnrecorded = isJsonObject(done.body) && done.body['not_recorded'] === true;
  const error = isUnrecorded ? { error: `${id} not recorded` } : {};
  return { ...done, log: { ...done.log, ...error, ...(person ? { person: person.subject } : {}) } };
};

export type CallServices = { readonly [G in PortalGroup]: CallService<G> };

const groupOf = (id: PortalCallId) => id.split('.')[0] as PortalGroup; // as the type is made

/** Serves the portal's calls: each is checked against the table of `lib/contract/portal.ts` before its handler runs. */
export const serveCalls = (
  ports: PortalPorts,
  services: CallServices,
  settings: EdgeSettings,
): RouteHandler =>
  async function serveCall(request) {
    const calls = callsAt(request.pathParameters['proxy'] ?? '');
    const found = calls.find(({ row }) => row.method === (request.method ?? 'GET'));
    return found
      ? respondToCall(ports, services[groupOf(found.id)], { found, request, settings })
      : portalRefusal('portal.not_found');
  };
