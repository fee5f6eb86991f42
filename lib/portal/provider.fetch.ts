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
import { isName } from '../registry/permissions.ts';
import type { Attempt, Person, SignInProvider } from './session.ts';

export interface ProviderSettings {
  readonly issuer: string;
  /** What memberships call the issuer: a local one has another port after each start. */
  readonly name: string;
  readonly client: { readonly id: string; secret(): Promise<string> };
  /** Allows plain http, for an issuer on this machine. */
  readonly insecure?: boolean;
}

const scope = 'openid email profile';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The person that the claims of an ID token name. Cognito marks its ID tokens; an access token is no proof of a sign-in. */
const personIn = (claims: IDToken, issuer: string): Person | undefined => {
  const use = claims['token_use'];
  if (use !== undefined && use !== 'id') return undefined;
  const email =
    claims['email_verified'] === true || claims['email_verified'] === 'true'
      ? text(claims['email'])
      : undefined;
  const names = [claims['name'], claims['cognito:username'], email].map(text);
  // People choose their names at the provider.
  const name = names.find(one => one !== undefined && isName(one)) ?? claims.sub;
  return { issuer, subject: claims.sub, name, ...(email === undefined ? {} : { email }) };
};

/** One provider; its metadata is read once. Every check of OpenID Connect Core section 3.1.3.7 is the library's. */
class Provider implements SignInProvider {
  readonly #settings: ProviderSettings;
  readonly #client: Client;
  readonly #options: { readonly [allowInsecureRequests]?: boolean };
  #metadata: Promise<AuthorizationServer> | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
    this.#client = { client_id: settings.client.id };
    this.#options = settings.insecure ? { [allowInsecureRequests]: true } : {};
  }

  async authorizationUrl(
    { state, nonce, verifier }: Attempt,
    { redirectUri, loginHint }: { redirectUri: string; loginHint?: string },
  ): Promise<string> {
    const { authorization_endpoint } = await this.#server();
    const url = new URL(authorization_endpoint ?? '');
    const parameters = {
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  async personOf(
    { state, nonce, verifier }: Attempt,
    { redirectUri, answered }: { redirectUri: string; answered: URL },
  ): Promise<Person | undefined> {
    const server = await this.#server();
    try {
      const code = validateAuthResponse(server, this.#client, answered, state);
      const authentication = ClientSecretBasic(await this.#settings.client.secret());
      const response = await authorizationCodeGrantRequest(
        server,
        this.#client,
        authentication,
        code,
        redirectUri,
        verifier,
        this.#options,
      );
      // With a nonce to expect, an ID token is required.
      const expected = { expectedNonce: nonce };
      const tokens = await processAuthorizationCodeResponse(server, this.#client, response, expected);
      await validateApplicationLevelSignature(server, response, this.#options);
      const claims = getValidatedIdTokenClaims(tokens);
      return claims && personIn(claims, this.#settings.name);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Cognito has names of its own for the parameters (AWS docs, "Logout endpoint"); others ignore these. */
  async endSessionUrl({ returnTo }: { returnTo: string }): Promise<string | undefined> {
    const { end_session_endpoint } = await this.#server();
    if (end_session_endpoint === undefined) return undefined;
    const url = new URL(end_session_endpoint);
    url.searchParams.set('client_id', this.#client.client_id);
    url.searchParams.set('logout_uri', returnTo);
    url.searchParams.set('post_logout_redirect_uri', returnTo);
    return url.href;
  }

  #server(): Promise<AuthorizationServer> {
    this.#metadata ??= this.#discovered().catch((error: unknown) => {
      this.#metadata = undefined;
      throw error;
    });
    return this.#metadata;
  }

  async #discovered(): Promise<AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    return processDiscoveryResponse(issuer, await discoveryRequest(issuer, this.#options));
  }
}

/** Whether the library refused a response; anything else is an error, such as a provider that cannot be reached. */
const isRefusal = (error: unknown): boolean =>
  error instanceof OperationProcessingError ||
  error instanceof AuthorizationResponseError ||
  error instanceof ResponseBodyError;

export const signInProvider = (settings: ProviderSettings): SignInProvider => new Provider(settings);
