import { createHash } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import { type Clock, defined, type Ids } from '../contract/outside.ts';
import { isJsonObject, jsonIn, textOf } from '../platform/json/value.ts';

/**
 * Somebody whom an identity provider knows. Everything that a person may do hangs on issuer and
 * subject.
 */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** For people; may change. */
  readonly name: string;
  /** Only if the issuer has verified it. */
  readonly email?: string;
}

export interface PortalSession {
  readonly person: Person;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; it may end earlier, without use. */
  readonly endsAt: number;
}

/** The sessions. They are known by the hashes of their ids only. */
export interface Sessions {
  create(hash: string, session: PortalSession): Promise<void>;
  /**
   * Counts one request of a session. Undefined: there is none, or it has ended; `busy`: it makes
   * too many requests.
   */
  use(hash: string, now: number): Promise<PortalSession | 'busy' | undefined>;
  end(hash: string): Promise<void>;
  /**
   * Counts a publish of a connection by a person in the portal; false: there were too many in a
   * short time.
   */
  countPublish(connection: string, now: number): Promise<boolean>;
}

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** 256 random bits. */
const randomText = (ids: Ids): string => Buffer.from(ids.random(32)).toString('base64url');

/** A session's id, or its hash. */
const bits256 = /^[\w-]{43}$/;

/**
 * The name under which a session is stored: its id has 256 random bits, so a slow hash would only
 * add cost.
 */
export const sessionHash = (id: string): string | undefined =>
  bits256.test(id) ? createHash('sha256').update(id).digest('base64url') : undefined;

/** Starts a session of so many seconds, always under a new id; returns the only copy of the id. */
export const startSession = async (
  { clock, ids, sessions }: Outside & { sessions: Pick<Sessions, 'create'> },
  person: Person,
  seconds: number,
): Promise<string> => {
  const id = randomText(ids);
  const createdAt = clock.now();
  await sessions.create(sessionHash(id) ?? '', {
    person,
    createdAt,
    endsAt: createdAt + seconds * 1000,
  });
  return id;
};

/** The earliest time at which a session that is still valid was last used; epoch milliseconds. */
export const usedAfter = (now: number): number => now - limits.sessionIdleSeconds * 1000;

/**
 * What a browser keeps while its person signs in (RFC 7636, OpenID Connect Core section 3.1.2.1).
 */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page that the person wanted to see: a path of the portal. */
  readonly to: string;
  /**
   * The session that the browser has already, by its hash: the provider's redirect comes from
   * another site, without its cookie.
   */
  readonly replaces?: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/**
 * The identity provider that people sign in with: authorization code with PKCE, as a confidential
 * client.
 */
export interface SignInProvider {
  /** Where to send the browser. */
  authorizationUrl(
    attempt: SignInAttempt,
    facts: { redirectUri: string; loginHint?: string },
  ): Promise<string>;
  /**
   * Who came back with this URL; undefined if the response or its token is not valid for the
   * attempt.
   */
  personOf(
    attempt: SignInAttempt,
    facts: { redirectUri: string; answered: URL },
  ): Promise<Person | undefined>;
  /**
   * Where the browser ends its session at the provider; undefined if the provider has no such URL.
   */
  endSessionUrl(facts: { returnTo: string }): Promise<string | undefined>;
}

/**
 * A path with what may follow it. What starts with two slashes, or a backslash, would be a URL
 * elsewhere.
 */
const pagePath = /^\/(?![/\\])[!-~]{0,1000}$/;

/** Where to go after the sign-in: a page of the portal, whatever a link says. */
const pageOf = (to: string): string => (pagePath.test(to) && !to.startsWith('/api/') ? to : '/');

/** A new attempt, with 256 random bits for each purpose. */
export const newAttempt = (
  { clock, ids }: Outside,
  { to, replaces }: { to: string; replaces?: string | undefined },
): SignInAttempt => ({
  state: randomText(ids),
  nonce: randomText(ids),
  verifier: randomText(ids),
  to: pageOf(to),
  ...defined({ replaces }),
  startedAt: clock.now(),
});

export const attemptText = (attempt: SignInAttempt): string =>
  Buffer.from(JSON.stringify(attempt)).toString('base64url');

/** The attempt in a cookie; undefined if it has another form, is too old, or is from the future. */
export const readAttempt = (text: string, now: number): SignInAttempt | undefined => {
  const value = jsonIn(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(value)) return undefined;
  const [state, nonce, verifier] = ['state', 'nonce', 'verifier'].map(name => textOf(value, name));
  const startedAt = value['startedAt'];
  if (!state || !nonce || !verifier || typeof startedAt !== 'number') return undefined;
  if (startedAt > now || startedAt <= now - limits.signInSeconds * 1000) return undefined;

  const replaces = textOf(value, 'replaces');
  return {
    state,
    nonce,
    verifier,
    to: pageOf(textOf(value, 'to')),
    // The browser hands it back: nothing else that is stored may be named here.
    ...(bits256.test(replaces) && { replaces }),
    startedAt,
  };
};
