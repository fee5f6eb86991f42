import { limits } from '../contract/limits.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import { isJsonObject, jsonIn, textOf } from '../json/value.ts';
import type { Person } from './session.ts';

/** What a browser keeps while its person signs in (RFC 7636, OpenID Connect Core section 3.1.2.1). */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page that the person wanted to see: a path of the portal. */
  readonly to: string;
  /** The session that the browser has already, by its hash: the provider's redirect comes from another site, without its cookie. */
  readonly replaces?: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** The identity provider that people sign in with: authorization code with PKCE, as a confidential client. */
export interface SignInProvider {
  /** Where to send the browser. */
  authorizationUrl(attempt: Attempt, facts: { redirectUri: string; loginHint?: string }): Promise<string>;
  /** Who came back with this URL; undefined if the response or its token is not valid for the attempt. */
  personOf(attempt: Attempt, facts: { redirectUri: string; answered: URL }): Promise<Person | undefined>;
  /** Where the browser ends its session at the provider; undefined if the provider has no such URL. */
  endSessionUrl(facts: { returnTo: string }): Promise<string | undefined>;
}

const randomText = (ids: Ids): string => Buffer.from(ids.random(32)).toString('base64url');

/** A path with what may follow it. What starts with two slashes, or a backslash, would be a URL elsewhere. */
const pagePath = /^\/(?![/\\])[!-~]{0,1000}$/;

/** Where to go after the sign-in: a page of the portal, whatever a link says. */
const pageOf = (to: string): string => (pagePath.test(to) && !to.startsWith('/api/') ? to : '/');

/** A new attempt, with 256 random bits for each purpose. */
export const newAttempt = (
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  { to, replaces }: { readonly to: string; readonly replaces?: string | undefined },
): Attempt => ({
  state: randomText(ids),
  nonce: randomText(ids),
  verifier: randomText(ids),
  to: pageOf(to),
  ...(replaces === undefined ? {} : { replaces }),
  startedAt: clock.now(),
});

export const attemptText = (attempt: Attempt): string =>
  Buffer.from(JSON.stringify(attempt)).toString('base64url');

/** The attempt in a cookie; undefined if it has another form, or is too old. */
export const readAttempt = (text: string, now: number): Attempt | undefined => {
  const value = jsonIn(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(value)) return undefined;
  const [state, nonce, verifier] = ['state', 'nonce', 'verifier'].map(name => textOf(value, name));
  const startedAt = value['startedAt'];
  if (!state || !nonce || !verifier || typeof startedAt !== 'number') return undefined;
  const isFresh = startedAt <= now && startedAt > now - limits.signInSeconds * 1000;
  const replaces = textOf(value, 'replaces');
  return isFresh
    ? {
        state,
        nonce,
        verifier,
        to: pageOf(textOf(value, 'to')),
        ...(replaces === '' ? {} : { replaces }),
        startedAt,
      }
    : undefined;
};
