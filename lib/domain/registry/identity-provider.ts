import type { Scope } from './principal.ts';

/** The claim that names the client of a token. */
export const clientClaims = ['azp', 'client_id', 'sub'] as const;

export type ClientClaim = (typeof clientClaims)[number];

/** An issuer of tokens outside the bus whose clients may act for connections. */
export interface IdentityProvider {
  readonly scope: Scope;
  /** Exactly as its tokens' `iss`. */
  readonly issuer: string;
  readonly jwksUri: string;
  /** What its tokens' `aud` must name. */
  readonly audience: string;
  readonly clientClaim: ClientClaim;
  /** Its keys may be fetched over http and from this machine; the local service alone honours it. */
  readonly insecureLocal: boolean;
  readonly createdAt: string;
}

/** A client of an identity provider that acts for a connection. */
export interface ClientBinding {
  readonly scope: Scope;
  readonly issuer: string;
  readonly client: string;
  readonly connection: string;
  readonly createdAt: string;
}

const longest = 512;

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isSafe = (url: URL, insecureLocal: boolean): boolean =>
  url.protocol === 'https:' || (insecureLocal && url.protocol === 'http:');

/**
 * What is wrong with an identity provider, as a sentence; undefined when nothing is.
 *
 * @param busIssuer the bus's own issuer, which nobody else can be
 */
export const problemWithProvider = (
  { issuer, jwksUri, audience, insecureLocal }: Omit<IdentityProvider, 'scope' | 'createdAt'>,
  busIssuer: string,
): string | undefined => {
  if ([issuer, jwksUri, audience].some(text => text === '' || text.length > longest))
    return `Issuer, key set address and audience must have 1 to ${longest} characters.`;
  const issuerUrl = urlOf(issuer);
  const keysUrl = urlOf(jwksUri);
  if (!issuerUrl || !isSafe(issuerUrl, insecureLocal)) return `The issuer "${issuer}" is no https address.`;
  if (!keysUrl || !isSafe(keysUrl, insecureLocal))
    return `The key set address "${jwksUri}" is no https address.`;
  if (keysUrl.username !== '' || keysUrl.password !== '')
    return 'The key set address must not hold a user name or password.';
  return issuer.replace(/\/+$/, '') === busIssuer
    ? 'The bus itself is the issuer of that name: it cannot be registered.'
    : undefined;
};
