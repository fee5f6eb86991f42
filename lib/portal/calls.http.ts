import { type ChangeName, noteForAll } from '../access/people/noting.ts';
import { type Declined, isDeclined } from '../access/registry/declined.ts';
import { type Positions, positionsOf } from '../access/seals/positions.ts';
import { limits } from '../contract/limits.ts';
import { defined, type Entries, fitting, iso, type Part, partOf } from '../contract/outside.ts';
import {
  mayCall,
  type PortalCall,
  type PortalCallId,
  portalCallIds,
  portalCalls,
} from '../contract/portal/portal.ts';
import type { ResponseOf } from '../contract/portal/portal-responses.ts';
import type { NotRecorded } from '../contract/portal/work-responses.ts';
import { type HttpRequest, tooLong } from '../platform/http/request.ts';
import type { EdgeSettings, RouteHandler } from '../platform/http/respond.ts';
import type { HttpResponse } from '../platform/http/response.ts';
import { millisecondsIn } from '../platform/json/formats.ts';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';
import {
  cookieValue,
  declinedReply,
  isFromPortal,
  portalRefusal,
  portalResponse,
  type Reply,
} from './browser.http.ts';
import type { PortalPorts } from './ports.ts';
import { postedBody } from './posted-body.ts';
import { type Person, sessionHash } from './session.ts';
import { noSubject, nowhere, type Place, placeOf, type Subject } from './standing.ts';

/** A call as its handler sees it: checked, and allowed. */
export interface Call extends Place {
  readonly request: HttpRequest;
  readonly query: HttpRequest['query'];
  readonly settings: EdgeSettings;
  /** Absent only from calls that anybody may make. */
  readonly person: Person | undefined;
  readonly subject: Subject;
  /** The members of a POST, each of its form; empty otherwise. */
  readonly body: JsonObject;
  /** What else than `next` a list tells as a position of its own. */
  readonly seal: Positions['seal'];
}

/**
 * What is answered; why it was declined; undefined if there is nothing; or a response with headers
 * or a status of its own.
 */
export type Outcome<Body> = Body | Declined | Reply<Body> | undefined;

export type Handler<Body> = (ports: PortalPorts, call: Call) => Promise<Outcome<Body>>;

export type CallHandler<Id extends PortalCallId> = Handler<ResponseOf<Id>>;

/** The handlers of a group of calls, such as `queue`. */
export type CallHandlers<Group extends string> = {
  readonly [Id in Extract<PortalCallId, `${Group}.${string}`>]: CallHandler<Id>;
};

interface Found {
  readonly id: PortalCallId;
  readonly row: PortalCall;
  readonly subject: Subject;
}

/** The values of a path's names; undefined if the path has another form. */
const subjectOf = (pattern: string, path: string): Subject | undefined => {
  const [parts, segments] = [pattern.split('/'), path.split('/')];
  if (parts.length !== segments.length || segments.includes('')) return undefined;
  const named = parts.map((part, at) => [part, segments[at] ?? ''] as const);
  if (named.some(([part, segment]) => !part.startsWith('{') && part !== segment)) return undefined;
  // A name is one letter in braces.
  const names = named
    .filter(([part]) => part.startsWith('{'))
    .map(([part, segment]) => [part[1], segment]);
  return { ...noSubject, ...Object.fromEntries(names) };
};

/** The call at a path; of two that fit, the one with fewer names in it. */
const callAt = (path: string, method: string): Found | undefined =>
  portalCallIds
    .flatMap((id): Found[] => {
      const row: PortalCall = portalCalls[id];
      const subject = subjectOf(row.path, path);
      return subject ? [{ id, row, subject }] : [];
    })
    .sort((a, b) => a.row.path.split('{').length - b.row.path.split('{').length)
    .find(({ row }) => row.method === method);

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

/** Why a caller may not make a call: who has no standing there does not learn that it exists. */
const refusalTo = (person: Person | undefined, { standing }: Place, { access }: PortalCall) => {
  if (!person) return portalRefusal('session.required');
  const isStranger =
    typeof access === 'string' || !access.own || Object.keys(standing).length === 0;
  return portalRefusal(isStranger ? 'portal.not_found' : 'access.denied');
};

/** The call, if its caller may make it; otherwise why not. */
const admitted = async (
  ports: PortalPorts,
  { row, subject }: Found,
  { request, settings }: Pick<Call, 'request' | 'settings'>,
): Promise<Omit<Call, 'seal'> | HttpResponse> => {
  const { query } = request;
  // Navigations of the browser come from elsewhere, and carry their own proof.
  const isNavigation = row.access === 'anybody' && row.method === 'GET';
  if (!isNavigation && !isFromPortal(request, settings, row.method))
    return portalRefusal('request.foreign');

  const long =
    tooLong(Object.entries(subject), limits.idCharacters) ??
    tooLong(Object.entries(query), limits.queryBytes, 'bytes');
  if (long) return portalRefusal('request.invalid', long);

  const person = await callerOf(ports, request, settings);
  if (person === 'busy')
    return portalRefusal('session.busy', undefined, { headers: { 'retry-after': '1' } });

  // Calls about nothing but the person do not depend on the registry: a session can always be
  // ended.
  const place =
    person && typeof row.access !== 'string' ? await placeOf(ports, person, subject) : nowhere;
  if (!mayCall(row.access, person && place.standing)) return refusalTo(person, place, row);

  const posted = row.method === 'GET' ? { body: {} } : postedBody(request.body);
  if ('problem' in posted) return portalRefusal('request.invalid', posted.problem);
  return { ...place, request, query, settings, person, subject, body: posted.body };
};

/** Whether a text is a time in the form that positions begin with. */
const isTime = (text: string): boolean => {
  const time = millisecondsIn(text);
  return time !== undefined && iso(time) === text;
};

export const badPosition =
  '"before" and "after" are positions that an earlier page gave, or times: as 2026-05-04T09:00:00.000Z.';

const otherPosition = '"after" is a position that an earlier page of this list gave as "next".';

const noPositions: Positions = {
  seal: () => {
    throw new Error('The table of calls says that this list has no pages.');
  },
  open: text => text,
};

/** What pages of a list tell and take as positions: sealed, whichever list it is. */
const pagesOf = async ({ seals }: PortalPorts, { id, row, subject }: Found): Promise<Positions> =>
  row.page === undefined
    ? noPositions
    : positionsOf(await seals.sealer(), [id, ...Object.values(subject)]);

/**
 * A query with its positions open; undefined if one is none of this list. What happened is also
 * found by a time.
 */
const openQuery = (
  query: HttpRequest['query'],
  { page }: PortalCall,
  { open }: Positions,
): HttpRequest['query'] | undefined => {
  const opened = new Map(Object.entries(query));
  for (const name of ['after', 'before']) {
    const given = opened.get(name);
    if (page === undefined || given === undefined) continue;
    if (page === 'before' && isTime(given)) continue;
    const position = open(given);
    if (position === undefined) return undefined;
    opened.set(name, position);
  }
  return Object.fromEntries(opened);
};

/** A page of a list, whose `next` only the bus can read. */
const withSealedNext = (response: HttpResponse, { seal }: Positions): HttpResponse => {
  const { body } = response;
  if (!isJsonObject(body) || typeof body['next'] !== 'string') return response;
  return { ...response, body: { ...body, next: seal(body['next']) } };
};

const isResponse = (outcome: object): outcome is HttpResponse =>
  'headers' in outcome && 'log' in outcome;

const responseTo = (outcome: object | undefined): HttpResponse => {
  if (!outcome) return portalRefusal('portal.not_found');
  if (isDeclined(outcome)) return declinedReply(outcome);
  return isResponse(outcome) ? outcome : portalResponse(outcome);
};

/** What went wrong beside a call that worked, for the log. */
const problemIn = (body: unknown, id: PortalCallId): { readonly error?: string } => {
  if (!isJsonObject(body)) return {};
  if (body['not_recorded'] === true) return { error: `${id} not recorded` };
  if (body['account'] === 'failed') return { error: `${id} made no account: ${body['problem']}` };
  return {};
};

/**
 * Serves the portal's calls: each is checked against the table of `lib/contract/portal/portal.ts`
 * before its handler runs.
 */
export const serveCalls = (
  ports: PortalPorts,
  handlers: { readonly [Id in PortalCallId]: CallHandler<Id> },
  settings: EdgeSettings,
): RouteHandler =>
  async function serveCall(request) {
    const found = callAt(request.pathParameters['proxy'] ?? '', request.method ?? 'GET');
    if (!found) return portalRefusal('portal.not_found');
    const call = await admitted(ports, found, { request, settings });
    if (isResponse(call)) return call;

    const pages = await pagesOf(ports, found);
    const query = openQuery(call.query, found.row, pages);
    if (!query) {
      return portalRefusal(
        'request.invalid',
        found.row.page === 'before' ? badPosition : otherPosition,
      );
    }

    const outcome = await handlers[found.id](ports, { ...call, query, seal: pages.seal });
    const response = withSealedNext(responseTo(outcome), pages);
    const error = problemIn(response.body, found.id);
    return {
      ...response,
      log: { ...response.log, ...error, ...(call.person && { person: call.person.subject }) },
    };
  };

/**
 * Records what a person changed, where the owner of its subject sees it and where the house of the
 * workspace does. What comes back belongs in the response.
 */
export const note = async (
  ports: PortalPorts,
  { person, owner, host, subject: { w, c } }: Call,
  {
    what,
    facts,
    organisations = [owner, host],
  }: {
    readonly what: ChangeName;
    readonly facts?: Readonly<Record<string, string>>;
    readonly organisations?: readonly string[];
  },
): Promise<NotRecorded> => {
  const about = { ...(w !== '' && { workspace: w }), ...(c !== '' && { connection: c }) };
  return noteForAll(ports, person, { organisations, what, facts: { ...about, ...facts } });
};

/**
 * Up to fifty of the texts that `postedBody` let through, each once; `wrong` if there are more,
 * undefined if the member is absent.
 */
export const listIn = (body: JsonObject, name: string): readonly string[] | 'wrong' | undefined => {
  const value = body[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > 50) return 'wrong';
  return [...new Set<string>(value)];
};

export const partIn = ({ query }: Call, max: number = limits.listPage): Part => ({
  after: query['after'],
  max,
});

/** The page that a call asks for, of a list that is read as a whole. */
export const pageIn = <T>(all: readonly T[], part: Part, idOf: (one: T) => string): Entries<T> =>
  fitting(partOf(all, part, idOf), idOf);

export const nextOf = ({ next }: { readonly next?: string }) => defined({ next });
