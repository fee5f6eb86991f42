import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { loopback } from '../machine.ts';
import { foreignHost } from '../raw-request.ts';
import type { AuthorizationRequest, Issuer } from './issuer.ts';

interface RunningIssuer {
  readonly origin: string;
  close(): Promise<void>;
}

const maxFormBytes = 16 * 1024;

const paths = {
  metadata: '/.well-known/openid-configuration',
  keys: '/.well-known/jwks.json',
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  logout: '/logout',
} as const;

const metadataOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: origin + paths.authorize,
  token_endpoint: origin + paths.token,
  jwks_uri: origin + paths.keys,
  end_session_endpoint: origin + paths.logout,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
  scopes_supported: ['openid', 'email', 'profile'],
});

interface Page {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = (status: number, value: object): Page => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

const to = (location: string): Page => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
});

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

const htmlPage = (status: number, content: string): Page => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  },
  body:
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" ' +
    'content="width=device-width"><title>Sign in to som-bus</title><main><h1>Sign in to ' +
    `som-bus</h1>${content}</main></html>`,
});

const keyForm = (request: AuthorizationRequest, wasGiven: boolean): Page => {
  const { login_hint: _used, ...rest } = request;
  const fields = Object.entries(rest).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const why = wasGiven ? '<p role="alert">This key was used before, or is too old.</p>' : '';
  return htmlPage(
    wasGiven ? 403 : 200,
    `${why}<p>Run <code>sombus portal</code> in a terminal for a ` +
      `key.</p><form>${fields.join('')}<label>Key from the terminal <input name="login_hint" ` +
      'required autocomplete="off" autofocus></label> <button>Sign in</button></form>',
  );
};

const formOf = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > maxFormBytes) return undefined;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
};

const authorizePage = (issuer: Issuer, url: URL): Page => {
  const request = Object.fromEntries(url.searchParams);
  const authorization = issuer.authorize(request);
  switch (authorization.kind) {
    case 'granted':
      return to(authorization.location);
    case 'wrong':
      return htmlPage(400, `<p role="alert">${escaped(authorization.reason)}</p>`);
    case 'key needed':
      return keyForm(request, authorization.wasGiven);
  }
};

const tokenPage = async (
  issuer: Issuer,
  origin: string,
  request: IncomingMessage,
): Promise<Page> => {
  const form = await formOf(request);
  if (!form) return json(400, { error: 'invalid_request' });
  const result = await issuer.token(origin, { authorization: request.headers.authorization, form });
  if ('tokens' in result) return json(200, result.tokens);
  return json(result.error === 'invalid_client' ? 401 : 400, { error: result.error });
};

const pageOf = async (issuer: Issuer, origin: string, request: IncomingMessage): Promise<Page> => {
  const url = new URL(request.url ?? '/', origin);
  switch (`${request.method} ${url.pathname}`) {
    case `GET ${paths.metadata}`:
      return json(200, metadataOf(origin));
    case `GET ${paths.keys}`:
      return json(200, await issuer.keySet());
    case `GET ${paths.authorize}`:
      return authorizePage(issuer, url);
    case `POST ${paths.token}`:
      return tokenPage(issuer, origin, request);
    case `GET ${paths.logout}`: {
      const returnTo = url.searchParams.get('logout_uri') ?? '';
      if (issuer.isOwnUrl(returnTo)) return to(returnTo);
      return json(400, { error: 'invalid_request' });
    }
    default:
      return json(404, { error: 'not_found' });
  }
};

const send = (response: ServerResponse, { status, headers = {}, body = '' }: Page): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
};

interface IssuerServerOptions {
  readonly port: number;
  readonly hosts: readonly string[];
  beforeResponse(): Promise<void>;
  onError(error: unknown): void;
}

export const startIssuer = (issuer: Issuer, options: IssuerServerOptions): Promise<RunningIssuer> =>
  new Promise((resolve, reject) => {
    let origin = '';
    const reply = async (request: IncomingMessage): Promise<Page> => {
      if (foreignHost(request, options.hosts) !== undefined)
        return json(421, { error: 'misdirected_request' });
      const page = await pageOf(issuer, origin, request);
      await options.beforeResponse();
      return page;
    };
    const server = createServer((request, response) => {
      void reply(request)
        .catch((error: unknown) => {
          options.onError(error);
          return json(503, { error: 'temporarily_unavailable' });
        })
        .then(page => send(response, page));
    });
    server.once('error', reject);
    server.listen(options.port, loopback, () => {
      const address = server.address();
      origin = `http://${loopback}:${typeof address === 'object' && address ? address.port : 0}`;
      const close = () =>
        new Promise<void>(closed => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ origin, close });
    });
  });
