import { isUtf8 } from 'node:buffer';
import { limits } from '../../contract/limits.ts';
import { routes } from '../../contract/routes.ts';
import { type HttpRequest, mediaType } from '../../platform/http/request.ts';
import type { Edge } from '../../platform/http/respond.ts';
import {
  type HttpResponse,
  limitedResponse,
  oauthError,
  response,
  uncached,
} from '../../platform/http/response.ts';
import { utf8Text } from '../../platform/json/value.ts';
import { issuerOf } from './access-token.ts';
import {
  type ClientCredentials,
  countTokenRequest,
  issueToken,
  type TokenPorts,
} from './issue-token.ts';
import type { Signer, SigningKey } from './key-ring.ts';

const scheme = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

const formDecoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, '');

/** Each part is form-encoded before they are joined (RFC 6749 section 2.3.1). */
const basicCredentials = (authorization: string): ClientCredentials | undefined => {
  const encoded = scheme.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;

  const bytes = Buffer.from(encoded, 'base64');
  const isCanonical = withoutPadding(bytes.toString('base64')) === withoutPadding(encoded);
  if (!isCanonical || !isUtf8(bytes)) return undefined;

  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  const clientId = formDecoded(text.slice(0, colon));
  const clientSecret = formDecoded(text.slice(colon + 1));
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret, counted: true };
};

const invalidRequest = (description: string): HttpResponse =>
  oauthError('invalid_request', description);

const invalidClient = (
  authorization: string | undefined,
  description = 'The client is unknown, or its credentials are not valid here.',
): HttpResponse => {
  const challenge = { 'www-authenticate': 'Basic realm="som-bus", charset="UTF-8"' };
  return oauthError('invalid_client', description, authorization === undefined ? {} : challenge);
};

type Form = ReadonlyMap<string, string>;

/** A name that is none of these may be a secret in the wrong place: no refusal repeats it. */
const parameterNames: readonly string[] = ['grant_type', 'client_id', 'client_secret', 'scope'];

const repeated = (name: string): HttpResponse => {
  const which = parameterNames.includes(name) ? `The parameter ${name}` : 'A parameter';
  return invalidRequest(`${which} comes twice.`);
};

/** The parameters of a body. Those without a value are treated as absent (RFC 6749 section 3.2). */
const formBody = (body: Uint8Array): Form | HttpResponse => {
  const text = utf8Text(body);
  if (text === undefined) return invalidRequest('The body is not a form in UTF-8.');

  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === '') continue;
    // Ignored, as scope is; but only `resource` may come more than once (RFC 8707 section 2).
    if (form.has(name) && name !== 'resource') return repeated(name);
    form.set(name, value);
  }
  return form;
};

const formOf = ({ headers, body }: HttpRequest): Form | HttpResponse => {
  const type = mediaType(headers['content-type']);
  if (type !== 'application/x-www-form-urlencoded') {
    const found = type === '' ? 'and has no Content-Type' : `not ${type.slice(0, 80)}`;
    return invalidRequest(`The body must be application/x-www-form-urlencoded, ${found}.`);
  }

  const form = formBody(body);
  if ('status' in form) return form;

  const grantType = form.get('grant_type');
  if (grantType === undefined) return invalidRequest('The parameter grant_type is missing.');
  if (grantType === 'client_credentials') return form;
  return oauthError('unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
};

const oneWay = 'send one of them only.';

const byBody = (form: Form): ClientCredentials | HttpResponse => {
  const clientId = form.get('client_id');
  const clientSecret = form.get('client_secret');
  if (clientId === undefined || clientSecret === undefined) return invalidClient(undefined);
  return { clientId, clientSecret, counted: false };
};

const byHeader = (authorization: string, form: Form): ClientCredentials | HttpResponse => {
  const clientId = form.get('client_id');
  const isInBody = form.has('client_secret');
  if (!/^Basic(?: |$)/i.test(authorization)) {
    const judged =
      'The Authorization header was judged, not the credentials in the body, and it is not ' +
      `Basic: ${oneWay}`;
    return invalidClient(authorization, isInBody ? judged : undefined);
  }
  if (isInBody)
    return invalidRequest(
      `The client must authenticate in the Authorization header or in the body, not in both: ${oneWay}`,
    );

  const basic = basicCredentials(authorization);
  if (!basic)
    return invalidRequest(
      'The Basic credentials are malformed: base64 of client_id:client_secret, each form-encoded.',
    );
  if (clientId !== undefined && clientId !== basic.clientId)
    return invalidRequest('client_id in the body names another client than the header.');
  return basic;
};

/** The client of a request: by header or by body, never both. */
const clientOf = (
  authorization: string | undefined,
  form: Form,
): ClientCredentials | HttpResponse =>
  authorization === undefined ? byBody(form) : byHeader(authorization, form);

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
      if (waitMilliseconds === undefined) return client;
      return tooMany(waitMilliseconds);
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

export const jwksEdge: Edge<{ signer: Pick<Signer, 'keys'> }> = ({ signer }) =>
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
