import type { Declined } from '../access/registry/declined.ts';
import { type PortalError, portalErrors } from '../contract/portal/portal.ts';
import type { PortalErrorBody } from '../contract/portal/portal-responses.ts';
import { type HttpRequest, mediaType } from '../platform/http/request.ts';
import type { EdgeSettings } from '../platform/http/respond.ts';
import { type HttpResponse, response } from '../platform/http/response.ts';

/**
 * No response of the portal may be kept or framed, and no page learns the URL that it came from.
 */
const guarded = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

interface Extra {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

export type Reply<Body> = HttpResponse & { readonly body: Body | PortalErrorBody | undefined };

const replied = <Body>(
  given: HttpResponse,
  body: Body,
  cookies: Extra['cookies'],
): HttpResponse & { body: Body } => (cookies ? { ...given, body, cookies } : { ...given, body });

export const portalResponse = <Body>(body: Body, { cookies }: Extra = {}): Reply<Body> =>
  replied(response(200, body, { headers: guarded }), body, cookies);

/** An error for a page of the portal; `message` is for the person in front of it. */
export const portalRefusal = (
  code: PortalError,
  message: string = portalErrors[code].message,
  { headers, cookies }: Extra = {},
): HttpResponse & { readonly body: PortalErrorBody } => {
  const { status } = portalErrors[code];
  const body = { code, message };
  return replied(
    response(status, body, { headers: { ...guarded, ...headers }, log: { rule: code } }),
    body,
    cookies,
  );
};

/**
 * Why something that a person wanted was declined; who decided on something that is no more so is
 * told that.
 */
export const declinedReply = ({ reason, isChanged, isLimit }: Declined) => {
  if (isLimit) return portalRefusal('limit.reached', reason);
  return portalRefusal(isChanged ? 'portal.changed' : 'portal.declined', reason);
};

export const invalidRequest = portalRefusal('request.invalid');

export const notYours = portalRefusal(
  'access.denied',
  'This connection belongs to a vendor. The house can pause, resume and revoke it; the vendor ' +
    'does everything else.',
);

/** Sends the browser elsewhere, always with GET (RFC 9110 section 15.4.4). */
export const redirect = (
  location: string,
  cookies?: readonly string[],
): HttpResponse & { readonly body: undefined } =>
  replied(response(303, undefined, { headers: { ...guarded, location } }), undefined, cookies);

/** The origin of the URL that the browser asked: the gateways answer at their own hosts only. */
const ownOrigin = ({ headers }: HttpRequest, { isLocal }: EdgeSettings): string =>
  `${isLocal ? 'http' : 'https'}://${(headers['host'] ?? '').toLowerCase()}`;

/**
 * The URL of the portal, without a slash at its end: its stage is in it if the portal has no domain
 * of its own.
 */
export const ownUrl = (request: HttpRequest, settings: EdgeSettings): string =>
  ownOrigin(request, settings) + (settings.portalPath ?? '');

/** A header that forms and images cannot send: its name is what counts. */
const portalHeader = 'x-sombus-portal';

/** An older browser does not say from which site a call comes. */
const ownSite: readonly (string | undefined)[] = ['same-origin', undefined];

/**
 * Whether a call comes from a page of the portal itself (RFC 10017, "Cross-Site Request Forgery";
 * W3C Fetch Metadata).
 */
export const isFromPortal = (
  request: HttpRequest,
  settings: EdgeSettings,
  method: 'GET' | 'POST',
): boolean => {
  const { headers } = request;
  const { origin } = headers;
  const own = ownOrigin(request, settings);
  if (!ownSite.includes(headers['sec-fetch-site'])) return false;
  if (method === 'GET') return origin === undefined || origin === own;
  return (
    origin === own &&
    headers[portalHeader] !== undefined &&
    mediaType(headers['content-type']) === 'application/json'
  );
};

/**
 * The cookies of the portal. On https their names bind them to this host (RFC 6265bis section
 * 4.1.3.2).
 */
const cookieNames = { session: 'sombus-session', attempt: 'sombus-sign-in' } as const;

type CookieName = keyof typeof cookieNames;

const nameOf = (cookie: CookieName, { isLocal }: EdgeSettings): string =>
  `${isLocal ? '' : '__Host-'}${cookieNames[cookie]}`;

/** The attempt has to come back with a redirect from another site, the session never. */
const sameSite = { session: 'Strict', attempt: 'Lax' } as const;

/** A Set-Cookie value; 0 seconds ends the cookie. */
export const cookie = (
  name: CookieName,
  { value, seconds }: { value: string; seconds: number },
  settings: EdgeSettings,
): string =>
  [
    `${nameOf(name, settings)}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    ...(settings.isLocal ? [] : ['Secure']),
    `SameSite=${sameSite[name]}`,
  ].join('; ');

/**
 * The value of a cookie; undefined if there is none, or several: then it is not known who set
 * which.
 */
export const cookieValue = (
  name: CookieName,
  { headers }: HttpRequest,
  settings: EdgeSettings,
): string | undefined => {
  const wanted = `${nameOf(name, settings)}=`;
  // HTTP/2 may split the header; its parts were joined with commas.
  const pairs = (headers['cookie'] ?? '').split(/[;,] */).filter(pair => pair.startsWith(wanted));
  return pairs.length === 1 ? pairs[0]?.slice(wanted.length) : undefined;
};
