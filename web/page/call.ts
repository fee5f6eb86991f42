import {
  type PortalCall,
  type PortalCallId,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { isJsonObject, textOf } from '../../lib/platform/json/value.ts';
import { cell } from './cell.ts';
import { urlBelow } from './location.ts';

/** Why a call brought nothing; `message` is for the reader. */
export type Failure =
  /** The call was understood and refused. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'signed out'; readonly message: string }
  /** Nothing is lost: try again, after so many seconds if the service says. */
  | { readonly kind: 'busy'; readonly message: string; readonly seconds: number | undefined }
  | { readonly kind: 'offline'; readonly message: string };

/** What a call of the portal's API came to. Every page shows each of these in words. */
export type Reply<T> = { readonly kind: 'ok'; readonly value: T } | Failure;

/**
 * When a call that the service had no time for is worth another try, in milliseconds; undefined if
 * it says nothing.
 */
export const againAfter = (reply: Reply<unknown>): number | undefined =>
  reply.kind === 'busy' && reply.seconds !== undefined ? reply.seconds * 1000 : undefined;

/** Whether the service has said that nobody is signed in here (any more). */
export const isSignedOut = cell(false);

/** Whether a change was made that could not be recorded. */
export const isNotRecorded = cell(false);

const busyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const bodyOf = async (response: Response): Promise<unknown> => {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
};

const failureOf = ({ status, headers }: Response, body: unknown): Failure => {
  const message = textOf(body, 'message') || `The service responded with status ${status}.`;
  const code = textOf(body, 'code') || `status.${status}`;
  if (code === 'session.required') return { kind: 'signed out', message };
  if (!busyStatuses.has(status)) return { kind: 'refused', code, message };
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  return { kind: 'busy', message, seconds };
};

const offline: Failure = {
  kind: 'offline',
  message: 'The service cannot be reached. Check that it is running and that your network is up.',
};

/** What a call is about and carries. */
export interface CallParameters {
  /** The names in the path of the call: `o`, `w`, `m`. */
  readonly names?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The URL of a call. */
const callUrl = ({ path }: PortalCall, { names = {}, query = {} }: CallParameters): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(names[name] ?? ''),
  );
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return urlBelow(`/api/${filled}${search}`);
};

const requestOf = ({ method }: PortalCall, { body = {} }: CallParameters): RequestInit => {
  if (method === 'GET') return {};
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sombus-portal': '1' },
    body: JSON.stringify(body),
  };
};

/** Makes a call of the portal's API. Never throws for what a service or a network does. */
export const call = async <Id extends PortalCallId>(
  id: Id,
  asked: CallParameters = {},
): Promise<Reply<ResponseOf<Id>>> => {
  const row: PortalCall = portalCalls[id];
  let response: Response;
  try {
    response = await fetch(callUrl(row, asked), requestOf(row, asked));
  } catch {
    return offline;
  }

  const body = await bodyOf(response);
  if (response.ok) {
    isNotRecorded.value ||= isJsonObject(body) && 'not_recorded' in body;
    // `ResponseOf` types the responses of the functions, too: what differs does not compile.
    return { kind: 'ok', value: body as ResponseOf<Id> };
  }

  const failure = failureOf(response, body);
  isSignedOut.value ||= failure.kind === 'signed out';
  return failure;
};

/** Pages that a page of the portal follows by itself. */
const followedPages = 10;

/**
 * A list with the newest first is followed until so many are shown: its pages may be days without
 * any.
 */
const wantedEntries = 10;

const eachOnce = (items: readonly unknown[]): readonly unknown[] => {
  const byText = new Map(items.map(item => [JSON.stringify(item), item]));
  return [...byText.values()];
};

/** Two pages of a list as one; what comes with each page, once. */
export const joined = <T extends object>(one: T, other: T): T => {
  const members = Object.entries(other).map(([name, value]) => {
    const before: unknown = Reflect.get(one, name);
    const areLists = Array.isArray(before) && Array.isArray(value);
    return [name, areLists ? eachOnce([...before, ...value]) : value];
  });
  return Object.fromEntries(members) as T; // with the members of the other
};

const isLong = (value: object): boolean =>
  Object.values(value).some(list => Array.isArray(list) && list.length >= wantedEntries);

/** Makes a call; of a list that goes on after its page, with the next ones. */
export const callThrough = async <Id extends PortalCallId>(
  id: Id,
  asked: CallParameters = {},
): Promise<Reply<ResponseOf<Id>>> => {
  const { page }: PortalCall = portalCalls[id];
  let reply: Reply<ResponseOf<Id>> = await call(id, asked);
  if (page === undefined || asked.query?.[page] !== undefined) return reply;

  for (let pages = 1; pages < followedPages && reply.kind === 'ok'; pages += 1) {
    const { value }: { readonly value: ResponseOf<Id> } = reply;
    const next = textOf(value, 'next');
    if (next === '' || typeof value !== 'object') break;
    const isNewestFirst = page === 'before';
    if (isNewestFirst && isLong(value)) break;

    const query = { ...asked.query, [page]: next };
    const more: Reply<ResponseOf<Id>> = await call(id, { ...asked, query });
    if (more.kind !== 'ok' || typeof more.value !== 'object') return more;
    reply = { kind: 'ok', value: joined(value, more.value) };
  }
  return reply;
};
