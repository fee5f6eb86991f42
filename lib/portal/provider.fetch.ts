import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  calculatePKCECodeChallenge,
  discoveryRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  ResponseBodyError,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { isName } from '../access/registry/permissions.ts';
import { defined } from '../contract/outside.ts';
import type { Person, SignInAttempt, SignInProvider } from './session.ts';

interface ProviderSettings {
  readonly issuer: string;
  /** What memberships call the issuer: a local one has another port after each start. */
  readonly name: string;
  readonly client: { readonly id: string; secret(): Promise<string> };
  /** Allows plain http, for an issuer on this machine. */
  readonly insecure?: boolean;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * The person that the claims of an ID token name. Cognito marks its ID tokens; an access token is
 * no proof of a sign-in.
 */
const personIn = (claims: IDToken, issuer: string): Person | undefined => {
  const use = claims['token_use'];
  if (use !== undefined && use !== 'id') return undefined;
  const email =
    claims['email_verified'] === true || claims['email_verified'] === 'true'
      ? text(claims['email'])
      : undefined;
  // Cognito's user names are random where people sign in with their addresses.
  const names = [claims['name'], email, claims['cognito:username']].map(text);
  // People choose their names at the provider.
  const name = names.find(one => one !== undefined && isName(one)) ?? claims.sub;
  return { issuer, subject: claims.sub, name, ...defined({ email }) };
};

const urlWith = (base: string, parameters: Readonly<Record<string, string>>): string => {
  const url = new URL(base);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

interface Asking {
  readonly settings: ProviderSettings;
  readonly client: Client;
  readonly options: { readonly [allowInsecureRequests]?: boolean };
}

/** The claims of the ID token that the provider gives for a code. */
const claimsOf = async (
  server: AuthorizationServer,
  { settings, client, options }: Asking,
  {
    state,
    nonce,
    verifier,
    redirectUri,
    answered,
  }: SignInAttempt & { redirectUri: string; answered: URL },
): Promise<IDToken | undefined> => {
  const code = validateAuthResponse(server, client, answered, state);
  const secret = ClientSecretBasic(await settings.client.secret());
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    secret,
    code,
    redirectUri,
    verifier,
    options,
  );
  // With a nonce to expect, an ID token is required.
  const expected = { expectedNonce: nonce };
  const tokens = await processAuthorizationCodeResponse(server, client, response, expected);
  await validateApplicationLevelSignature(server, response, options);
  return getValidatedIdTokenClaims(tokens);
};

/**
 * Whether the library refused a response; anything else is an error, such as a provider that cannot
 * be reached.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof OperationProcessingError ||
  error instanceof AuthorizationResponseError ||
  error instanceof ResponseBodyError;

/**
 * One provider; its metadata is read once. Every check of OpenID Connect Core section 3.1.3.7 is
 * the library's.
 */
export const signInProvider = (settings: ProviderSettings): SignInProvider => {
  const client: Client = { client_id: settings.client.id };
  const options = settings.insecure ? { [allowInsecureRequests]: true } : {};
  const discovered = async () => {
    const issuer = new URL(settings.issuer);
    return processDiscoveryResponse(issuer, await discoveryRequest(issuer, options));
  };
  let metadata: Promise<AuthorizationServer> | undefined;
  const server = (): Promise<AuthorizationServer> => {
    metadata ??= discovered().catch((error: unknown) => {
      metadata = undefined;
      throw error;
    });
    return metadata;
  };
  return {
    async authorizationUrl({ state, nonce, verifier }, { redirectUri, loginHint }) {
      const { authorization_endpoint } = await server();
      return urlWith(authorization_endpoint ?? '', {
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...defined({ login_hint: loginHint }),
      });
    },

    async personOf(attempt, answer) {
      const from = await server();
      try {
        const claims = await claimsOf(
          from,
          { settings, client, options },
          { ...attempt, ...answer },
        );
        return claims && personIn(claims, settings.name);
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },

    /**
     * Cognito has names of its own for the parameters (AWS docs, "Logout endpoint"); others ignore
     * these.
     */
    async endSessionUrl({ returnTo }) {
      const { end_session_endpoint: url } = await server();
      const parameters = { logout_uri: returnTo, post_logout_redirect_uri: returnTo };
      return url === undefined
        ? undefined
        : urlWith(url, { client_id: client.client_id, ...parameters });
    },
  };
};
