import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import { type HttpRequest, mediaType } from '../http/request.ts';
import type { Edge } from '../http/respond.ts';
import { type HttpResponse, limitedResponse, oauthError, response, uncached } from '../http/response.ts';
import { utf8Text } from '../json/value.ts';
import { issuerOf } from './access-token.ts';
import { type ClientCredentials, countTokenRequest, issueToken, type TokenPorts } from './issue-token.ts';
import type { Signer, SigningKey } from './key-ring.ts';

const scheme = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

const formDecoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/** Each part is form-encoded before they are joined (RFC 6749 section 2.3.1). */
const basicCredentials = (authorization: string): ClientCredentials | undefined => {
  const encoded = scheme.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  const canonical = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (colon === -1 || !canonical || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  const clientId = formDecoded(text.slice(0, colon));
  const clientSecret = formDecoded(text.slice(colon + 1));
  return clientId === undefined || clientSecret === undefined
    ? undefined
    : { clientId, clientSecret, counted: true };
};

/** Undefined when it is not UTF-8 or names a parameter twice (RFC 6749 section 3.2). */
const formBody = (body: Uint8Array): ReadonlyMap<string, string> | undefined => {
  const text = utf8Text(body);
  if (text === undefined) return undefined;
  const pairs = [...new URLSearchParams(text)];
  const form = new Map(pairs);
  return form.size === pairs.length ? form : undefined;
};

const invalidRequest = (description: string): HttpResponse => oauthError('invalid_request', description);

const invalidClient = (authorization: string | undefined): HttpResponse =>
  oauthError(
    'invalid_client',
    'The client is unknown, or its credentials are not valid here.',
    authorization === undefined ? {} : { 'www-authenticate': 'Basic realm="som-bus", charset="UTF-8"' },
  );

/** The client of a request: by header or by body, never both. */
const clientOf = (
  authorization: string | undefined,
  form: ReadonlyMap<string, string>,
): ClientCredentials | HttpResponse => {
  const clientId = form.get('client_id');
  const clientSecret = form.get('client_secret');
  if (authorization === undefined) {
    return clientId === undefined || clientSecret === undefined
      ? invalidClient(undefined)
      : { clientId, clientSecret, counted: false };
  }
  if (!/^Basic(?: |$)/i.test(authorization)) return invalidClient(authorization);
  if (clientSecret !== undefined)
    return invalidRequest('The client must authenticate in the header or in the body, not in both.');
  const basic = basicCredentials(authorization);
  if (!basic)
    return invalidRequest(
      'The Basic credentials are malformed: base64 of client_id:client_secret, each form-encoded.',
    );
  const same = clientId === undefined || clientId === basic.clientId;
  return same ? basic : invalidRequest('client_id in the body names another client than the header.');
};

const formOf = ({ headers, body }: HttpRequest): ReadonlyMap<string, string> | HttpResponse => {
  if (mediaType(headers['content-type']) !== 'application/x-www-form-urlencoded') {
    return invalidRequest('The body must be application/x-www-form-urlencoded.');
  }
  const form = formBody(body);
  if (!form) return invalidRequest('The body is not a form, or names a parameter twice.');
  if (!form.get('grant_type')) return invalidRequest('The parameter grant_type is missing.');
  return form.get('grant_type') === 'client_credentials'
    ? form
    : oauthError('unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
};

const tooMany = (waitMilliseconds: number): HttpResponse =>
  limitedResponse('bus', { rule: 'rate.limited', waitMilliseconds });

export const tokenEdge: Edge<TokenPorts> = (ports, { origin }) =>
  async function tokenRoute(request) {
    const { authorization } = request.headers;
    const form = formOf(request);
    const client = 'status' in form ? form : clientOf(authorization, form);
    if ('status' in client) {
      // As the firewall does: whatever is wrong with the form, the request counts.
      const basic = basicCredentials(authorization ?? '');
      const { waitMilliseconds } = basic ? await countTokenRequest(ports, basic) : {};
      return waitMilliseconds === undefined ? client : tooMany(waitMilliseconds);
    }
    const result = await issueToken(ports, origin)(client);
    if (result.kind === 'invalid_client') return invalidClient(authorization);
    if (result.kind === 'limited') return tooMany(result.waitMilliseconds);
    const body = {
      access_token: result.accessToken,
      token_type: 'Bearer',
      expires_in: result.expiresInSeconds,
    };
    return response(200, body, { headers: uncached, log: { connection: result.client } });
  };

const cached = { 'cache-control': `public, max-age=${limits.jwksCacheSeconds}` };

const jwk = ({ kid, jwk: { kty, crv, x, y } }: SigningKey) => ({
  kty,
  crv,
  x,
  y,
  kid,
  alg: 'ES256',
  use: 'sig',
});

export const jwksEdge: Edge<{ readonly signer: Pick<Signer, 'keys'> }> = ({ signer }) =>
  async function jwksRoute() {
    return response(200, { keys: (await signer.keys()).map(jwk) }, { headers: cached });
  };

/** Authorization server metadata (RFC 8414 section 2). */
export const oauthMetadataEdge: Edge<object> = (_ports, { origin }) =>
  async function oauthMetadataRoute() {
    const metadata = {
      issuer: issuerOf(origin),
      token_endpoint: origin + routes.token.path,
      jwks_uri: origin + routes.jwks.path,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      response_types_supported: [],
    };
    return response(200, metadata, { headers: cached });
  };
