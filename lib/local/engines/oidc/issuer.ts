import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { EngineClock } from '../machine.ts';
import type { Store } from '../store.ts';

/** Lets one person of this machine sign in once. */
interface OneTimeKey {
  readonly name: string;
  /** Epoch milliseconds: also what makes the keys of one person different. */
  readonly until: number;
}

/** 128 bits. */
const signatureBytes = 16;

const signature = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret)
    .update(`sombus one-time key\n${payload}`)
    .digest()
    .subarray(0, signatureBytes);

/**
 * The text of a key: whoever holds the secret can make one, and the issuer needs to hear of it only
 * when it is used.
 */
export const writeOneTimeKey = (secret: string, { name, until }: OneTimeKey): string => {
  const payload = `${name}.${until.toString(36)}`;
  return `${payload}.${signature(secret, payload).toString('base64url')}`;
};

/**
 * The key in a text; undefined if it was not made with the secret, or is too old. Whether it was
 * used is not checked.
 */
export const readOneTimeKey = (
  secret: string,
  text: string,
  now: number,
): OneTimeKey | undefined => {
  const [, name, ends, given] =
    /^([a-z0-9._-]{1,64})\.([0-9a-z]{1,9})\.([\w-]{22})$/.exec(text) ?? [];
  if (name === undefined || ends === undefined || given === undefined) return undefined;
  const expected = signature(secret, `${name}.${ends}`);
  // Of the same length: 22 characters are 16 bytes.
  const actual = Buffer.from(given, 'base64url');
  if (!timingSafeEqual(actual, expected)) return undefined;
  const until = Number.parseInt(ends, 36);
  if (until > now) return { name, until };
  return undefined;
};

/**
 * The client secret in a Basic header of a client (RFC 6749 section 2.3.1); undefined if there is
 * none.
 */
const basicClient = (header: string | undefined): { id: string; secret: string } | undefined => {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    return undefined;
  }
};

interface IssuerSettings {
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly keySecret: string;
  isRedirectUri(uri: string): boolean;
}

interface Grant {
  readonly name: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly until: number;
}

export type AuthorizationRequest = Readonly<Record<string, string>>;

/** What the browser is told: where to go, what is wrong, or that a key is needed. */
export type Authorization =
  | { readonly kind: 'granted'; readonly location: string }
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'key needed'; readonly wasGiven: boolean };

const codeMilliseconds = 60_000;
const tokenSeconds = 3_600;
const alg = 'RS256';

const tables = `
  CREATE TABLE IF NOT EXISTS oidc_key (
    id INTEGER PRIMARY KEY CHECK (id = 1), jwk TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS oidc_used_keys (
    name TEXT, until INTEGER, PRIMARY KEY (name, until)
  ) WITHOUT ROWID, STRICT;
`;

const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/**
 * An identity provider for one machine, in the shape of Amazon Cognito: authorization code with
 * PKCE for one confidential client. Its people are names; who holds a one-time key for a name signs
 * in as that name.
 */
export class Issuer {
  readonly #store: Store;
  readonly #settings: IssuerSettings;
  readonly #grants = new Map<string, Grant>();
  #key: Promise<JWK> | undefined;

  constructor(store: Store, settings: IssuerSettings) {
    this.#store = store;
    this.#settings = settings;
    store.define(tables);
  }

  /** Decides on an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
  authorize(request: AuthorizationRequest): Authorization {
    const reason = this.#problemWith(request);
    if (reason !== undefined) return { kind: 'wrong', reason };
    const given = request['login_hint'] ?? '';
    const key = readOneTimeKey(this.#settings.keySecret, given, this.#settings.clock.now());
    if (!key || !this.#takeKey(key)) return { kind: 'key needed', wasGiven: given !== '' };
    const code = this.#settings.newId();
    const redirectUri = request['redirect_uri'] ?? '';
    this.#grants.set(code, {
      name: key.name,
      redirectUri,
      challenge: request['code_challenge'] ?? '',
      nonce: request['nonce'] ?? '',
      until: this.#settings.clock.now() + codeMilliseconds,
    });
    const location = new URL(redirectUri);
    location.searchParams.set('code', code);
    location.searchParams.set('state', request['state'] ?? '');
    return { kind: 'granted', location: location.href };
  }

  isOwnUrl(uri: string): boolean {
    return this.#settings.isRedirectUri(uri);
  }

  #problemWith(request: AuthorizationRequest): string | undefined {
    if (request['client_id'] !== this.#settings.client.id) return 'The client is not known here.';
    if (!this.#settings.isRedirectUri(request['redirect_uri'] ?? ''))
      return 'The redirect_uri is not a URL of this service: open the link that sombus portal prints.';
    if (request['response_type'] !== 'code') return 'Only the authorization code flow is offered.';
    if (!request['state'] || !request['nonce']) return 'state and nonce are required.';
    if (request['code_challenge'] && request['code_challenge_method'] === 'S256') return undefined;
    return 'A code_challenge with the method S256 is required.';
  }

  #takeKey({ name, until }: OneTimeKey): boolean {
    this.#store.sql('DELETE FROM oidc_used_keys WHERE until <= ?').run(this.#settings.clock.now());
    return (
      this.#store.sql('INSERT OR IGNORE INTO oidc_used_keys VALUES (?, ?)').run(name, until) === 1
    );
  }

  /**
   * Exchanges a code for tokens (RFC 6749 section 4.1.3); an error code otherwise. A code works
   * once, whatever the outcome.
   *
   * @param issuer the URL under which this issuer is known
   */
  async token(
    issuer: string,
    { authorization, form }: { authorization: string | undefined; form: URLSearchParams },
  ): Promise<{ tokens: object } | { error: 'invalid_client' | 'invalid_grant' }> {
    const { client, clock } = this.#settings;
    const caller = basicClient(authorization);
    if (caller?.id !== client.id || !isSame(caller.secret, client.secret))
      return { error: 'invalid_client' };
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      form.get('grant_type') === 'authorization_code' &&
      grant !== undefined &&
      grant.until > clock.now() &&
      grant.redirectUri === form.get('redirect_uri') &&
      isSame(grant.challenge, challenge);
    if (!fits) return { error: 'invalid_grant' };
    const common = { issuer, name: grant.name };
    const id_token = await this.#signed({ ...common, audience: client.id }, idClaims(grant));
    const access_token = await this.#signed(common, {
      token_use: 'access',
      client_id: client.id,
      scope: 'openid email profile',
    });
    return { tokens: { id_token, access_token, token_type: 'Bearer', expires_in: tokenSeconds } };
  }

  async #signed(
    { issuer, name, audience }: { issuer: string; name: string; audience?: string },
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const jwk = await this.#signingKey();
    const now = Math.floor(this.#settings.clock.now() / 1000);
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg, kid: jwk.kid ?? '' })
      .setIssuer(issuer)
      .setSubject(name)
      .setIssuedAt(now)
      .setExpirationTime(now + tokenSeconds)
      .setJti(this.#settings.newId());
    if (audience !== undefined) token.setAudience(audience);
    return token.sign(await importJWK(jwk, alg));
  }

  async keySet(): Promise<{ keys: readonly JWK[] }> {
    const { kty, n, e, kid } = await this.#signingKey();
    return { keys: [{ kty, n, e, kid, alg, use: 'sig' } as JWK] };
  }

  /** Made on first use, because it takes up to half a second, and kept. */
  #signingKey(): Promise<JWK> {
    this.#key ??= this.#storedKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #storedKey(): Promise<JWK> {
    const row = this.#store.sql<{ jwk: string }>('SELECT jwk FROM oidc_key').get();
    if (row) return JSON.parse(row.jwk);
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: this.#settings.newId() };
    this.#store.sql('INSERT INTO oidc_key VALUES (1, ?)').run(JSON.stringify(jwk));
    return jwk;
  }
}

const idClaims = ({ name, nonce }: Grant) => ({
  token_use: 'id',
  nonce,
  name,
  'cognito:username': name,
  email: `${name}@sombus.localhost`,
  email_verified: true,
});
