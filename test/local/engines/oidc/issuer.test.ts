import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { readArrived } from '../../../../lib/local/engines/machine.ts';
import { Issuer, writeOneTimeKey } from '../../../../lib/local/engines/oidc/issuer.ts';
import { startIssuer } from '../../../../lib/local/engines/oidc/server.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import { closed, rawConnection } from '../../../support/raw-connection.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

const clock = new FrozenClock();
const client = { id: 'portal', secret: 'the secret of the portal' };
const keySecret = 'what one-time keys are made with';
const redirectUri = 'http://portal.test/signed-in';
const verifier = 'v'.repeat(43);
const right = createHash('sha256').update(verifier).digest('base64url');

const issuerWith = (store = openStore()) => {
  let ids = 0;
  return new Issuer(store, {
    clock,
    newId: () => `id-${++ids}`,
    client,
    keySecret,
    isRedirectUri: uri => uri === redirectUri,
  });
};

/** What the portal sends a browser with, for somebody who has a key. */
const requestWith = (
  change: Readonly<Record<string, string>> = {},
  until = clock.now() + 60_000,
) => ({
  client_id: client.id,
  redirect_uri: redirectUri,
  response_type: 'code',
  state: 's',
  nonce: 'n',
  code_challenge: right,
  code_challenge_method: 'S256',
  login_hint: writeOneTimeKey(keySecret, { name: 'ana', until }),
  ...change,
});

const codeFrom = (issuer: Issuer, challenge = right): string => {
  const authorization = issuer.authorize(requestWith({ code_challenge: challenge }));
  if (authorization.kind !== 'granted') throw new Error(JSON.stringify(authorization));
  return new URL(authorization.location).searchParams.get('code') ?? '';
};

const basic = (secret: string): string =>
  `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(secret)}`).toString('base64')}`;

const formOf = (code: string, change: Readonly<Record<string, string>> = {}): URLSearchParams =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...change,
  });

test.each([
  ['that fits', right, { tokens: expect.objectContaining({ token_type: 'Bearer' }) }],
  ['of the same length', `${right.slice(0, -1)}_`, { error: 'invalid_grant' }],
  ['that is shorter', right.slice(1), { error: 'invalid_grant' }],
  ['with the letters of another alphabet', `${right.slice(0, -1)}é`, { error: 'invalid_grant' }],
])(
  'a code is exchanged with the verifier of its challenge: one %s',
  async (_, challenge, wanted) => {
    const issuer = issuerWith();
    const form = formOf(codeFrom(issuer, challenge));
    const authorization = basic(client.secret);
    expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual(wanted);
  },
);

test.each([
  ['shorter', client.secret.slice(1)],
  ['as long', client.secret.replace('p', 'q')],
  ['as long, in more bytes', client.secret.replace('e', 'é')],
])('another secret, %s, is no client', async (_, secret) => {
  const issuer = issuerWith();
  const form = formOf(codeFrom(issuer, right));
  const authorization = basic(secret);
  expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual({
    error: 'invalid_client',
  });
});

test.each([
  ['another', 'other', client.secret],
  ['one whose secret is none', client.id, ''],
])('a client that is %s gets no token', async (_, id, secret) => {
  const issuer = issuerWith();
  const form = formOf(codeFrom(issuer));
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual({
    error: 'invalid_client',
  });
});

test.each([undefined, 'Bearer abc', `Basic ${Buffer.from(`${client.id}:%`).toString('base64')}`])(
  'a caller that says %j is no client',
  async authorization => {
    const issuer = issuerWith();
    const form = formOf(codeFrom(issuer));
    expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual({
      error: 'invalid_client',
    });
  },
);

describe('a request for a code', () => {
  test('is granted with its state, to the URL that asked', () => {
    const granted = issuerWith().authorize(requestWith());
    expect(granted).toEqual({ kind: 'granted', location: `${redirectUri}?code=id-1&state=s` });
  });

  test.each([
    ['another client', { client_id: 'other' }, 'The client is not known here.'],
    ['a URL elsewhere', { redirect_uri: 'http://elsewhere.test' }, 'not a URL of this service'],
    ['another flow', { response_type: 'token' }, 'Only the authorization code flow'],
    ['no state', { state: '' }, 'state and nonce are required.'],
    ['no nonce', { nonce: '' }, 'state and nonce are required.'],
    ['no challenge', { code_challenge: '' }, 'A code_challenge with the method S256'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'with the method S256'],
  ])('with %s is wrong', (_what, change, reason) => {
    expect(issuerWith().authorize(requestWith(change))).toEqual({
      kind: 'wrong',
      reason: expect.stringContaining(reason),
    });
  });

  test.each([
    ['none', '', false],
    ['one that ends now', writeOneTimeKey(keySecret, { name: 'ana', until: clock.now() }), true],
    ['one made elsewhere', writeOneTimeKey('x', { name: 'ana', until: clock.now() + 1 }), true],
  ])('needs a key, and has %s', (_what, login_hint, wasGiven) => {
    const asked = issuerWith().authorize(requestWith({ login_hint }));
    expect(asked).toEqual({ kind: 'key needed', wasGiven });
  });

  test('needs a key that nobody used', () => {
    const store = openStore();
    const request = requestWith({}, clock.now() + 1);
    expect(issuerWith(store).authorize(request)).toMatchObject({ kind: 'granted' });
    // After a restart too.
    const again = issuerWith(store).authorize(request);
    expect(again).toEqual({ kind: 'key needed', wasGiven: true });
  });

  test('keeps no keys that are too old anyway', () => {
    const store = openStore();
    const issuer = issuerWith(store);
    const used = () => store.sql<{ until: number }>('SELECT until FROM oidc_used_keys').all();
    issuer.authorize(requestWith({}, clock.now() + 1));
    issuer.authorize(requestWith({}, clock.now() + 2));
    clock.advance(1);
    issuer.authorize(requestWith({}, clock.now() + 5));
    expect(used().map(({ until }) => until - clock.now())).toEqual([1, 5]);
  });
});

describe('a code', () => {
  const issued = async (
    change: Readonly<Record<string, string>> = {},
    waited = 0,
    issuer = issuerWith(),
  ) => {
    const form = formOf(codeFrom(issuer), change);
    clock.advance(waited);
    return issuer.token('http://issuer.test', { authorization: basic(client.secret), form });
  };
  const invalid = { error: 'invalid_grant' };

  test.each([
    ['that nobody has', { code: 'made-up' }],
    ['for another URL', { redirect_uri: `${redirectUri}/` }],
    ['as another grant', { grant_type: 'refresh_token' }],
  ])('%s is worth nothing', async (_what, change) => {
    expect(await issued(change)).toEqual(invalid);
  });

  test('is worth something for less than a minute, and once', async () => {
    expect(await issued({}, 59_999)).toHaveProperty('tokens');
    expect(await issued({}, 60_000)).toEqual(invalid);
    const issuer = issuerWith();
    const form = formOf(codeFrom(issuer));
    const exchange = (secret: string) =>
      issuer.token('http://issuer.test', { authorization: basic(secret), form });
    expect(await exchange('another')).toEqual({ error: 'invalid_client' });
    expect(await exchange(client.secret)).toHaveProperty('tokens');
    expect(await exchange(client.secret)).toEqual(invalid);
  });

  test('is worth an hour of a person, as Cognito tells of her', async () => {
    const result = await issued();
    const { tokens } = result as { tokens: Readonly<Record<string, string>> };
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const now = Math.floor(clock.now() / 1000);
    const common = { iss: 'http://issuer.test', sub: 'ana', iat: now, exp: now + 3600 };
    expect(decodeJwt(tokens['id_token'] ?? '')).toEqual({
      ...common,
      aud: client.id,
      jti: expect.any(String),
      token_use: 'id',
      nonce: 'n',
      name: 'ana',
      'cognito:username': 'ana',
      email: 'ana@sombus.localhost',
      email_verified: true,
    });
    expect(decodeJwt(tokens['access_token'] ?? '')).toEqual({
      ...common,
      jti: expect.any(String),
      token_use: 'access',
      client_id: client.id,
      scope: 'openid email profile',
    });
  });
});

/** What a server says to a request for / of a host that it may not know. */
const rawGet = async ({ port, host }: { port: number; host: string }) => {
  const request = get({ host: '127.0.0.1', port, path: '/', headers: { host } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(parts).toString()) };
};

describe('over http', () => {
  const started = async (issuer = issuerWith(), hosts: readonly string[] = []) => {
    const server = await startIssuer(issuer, {
      port: 0,
      hosts,
      beforeResponse: async () => undefined,
      onError: error => {
        throw error;
      },
    });
    const token = (body: string | URLSearchParams, secret = client.secret) =>
      fetch(`${server.origin}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: basic(secret) },
        body,
      });
    const page = async (path: string) => {
      const response = await fetch(server.origin + path, { redirect: 'manual' });
      return { response, text: await response.text() };
    };
    return { server, token, page };
  };

  test('it describes itself, and its tokens can be checked with its keys', async () => {
    const issuer = issuerWith();
    const { server, token } = await started(issuer);
    const { origin } = server;
    const metadata = await fetch(`${origin}/.well-known/openid-configuration`);
    expect(metadata.headers.get('cache-control')).toBe('no-store');
    expect(metadata.headers.get('content-type')).toBe('application/json');
    const text = await metadata.text();
    expect(metadata.headers.get('content-length')).toBe(String(text.length));
    expect(JSON.parse(text)).toEqual({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth2/authorize`,
      token_endpoint: `${origin}/oauth2/token`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
      end_session_endpoint: `${origin}/logout`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      scopes_supported: ['openid', 'email', 'profile'],
    });
    const response = await token(formOf(codeFrom(issuer)));
    const { id_token } = (await response.json()) as { id_token: string };
    const keys = createRemoteJWKSet(new URL(`${origin}/.well-known/jwks.json`));
    const currentDate = new Date(clock.now());
    const verified = await jwtVerify(id_token, keys, { issuer: origin, currentDate });
    expect([response.status, verified.payload.sub]).toEqual([200, 'ana']);
    const { keys: told } = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as {
      keys: readonly object[];
    };
    expect(told).toEqual([
      {
        kty: 'RSA',
        n: expect.any(String),
        e: 'AQAB',
        kid: verified.protectedHeader.kid,
        alg: 'RS256',
        use: 'sig',
      },
    ]);
    await server.close();
  });

  test('its key is kept, with what is private', async () => {
    const store = openStore();
    const first = await issuerWith(store).keySet();
    // 2048 bits, as Cognito's.
    expect(Buffer.from(first.keys[0]?.n ?? '', 'base64url')).toHaveLength(256);
    expect(await issuerWith(store).keySet()).toEqual(first);
    expect(Object.keys(first.keys[0] ?? {})).not.toContain('d');
  });

  test('a key that could not be read is asked for again', async () => {
    const store = openStore();
    await issuerWith(store).keySet();
    const issuer = issuerWith(store);
    store.define('ALTER TABLE oidc_key RENAME TO gone');
    await expect(issuer.keySet()).rejects.toThrow('no such table');
    store.define('ALTER TABLE gone RENAME TO oidc_key');
    expect((await issuer.keySet()).keys).toHaveLength(1);
  });

  test('who is slow to ask does not hold up a close', async () => {
    const { server } = await started();
    const slow = await rawConnection(server.origin);
    await new Promise(resolve => slow.write('GET / HTTP/1.1\r\n', resolve));
    await readArrived();
    await Promise.all([server.close(), closed(slow)]);
    await expect(fetch(server.origin)).rejects.toThrow('fetch failed');
  });

  test('a token that is not issued has a reason, and a status', async () => {
    const { server, token } = await started();
    const answers = await Promise.all([
      token(formOf('made-up')),
      token(formOf('made-up'), 'another'),
      token('x'.repeat(16 * 1024)),
      token('x'.repeat(16 * 1024 + 1)),
    ]);
    const told = answers.map(async answer => [answer.status, await answer.json()]);
    expect(await Promise.all(told)).toEqual([
      [400, { error: 'invalid_grant' }],
      [401, { error: 'invalid_client' }],
      [400, { error: 'invalid_grant' }],
      [400, { error: 'invalid_request' }],
    ]);
    await server.close();
  });

  test('a browser is sent back with its code, or is told why not', async () => {
    const { server, page } = await started();
    const at = (change: Readonly<Record<string, string>>) =>
      page(`/oauth2/authorize?${new URLSearchParams(requestWith(change))}`);
    const { response: granted } = await at({});
    expect([granted.status, granted.headers.get('location')]).toEqual([
      303,
      `${redirectUri}?code=id-1&state=s`,
    ]);
    const { response: wrong, text } = await at({ state: '' });
    expect([wrong.status, text]).toEqual([
      400,
      expect.stringContaining('<p role="alert">state and nonce are required.</p>'),
    ]);
    for (const { headers } of [granted, wrong]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
    await server.close();
  });

  test('a browser without a key gets a form for it, which keeps the rest of what was asked', async () => {
    const { server, page } = await started();
    const at = (login_hint: string) =>
      page(`/oauth2/authorize?${new URLSearchParams(requestWith({ login_hint, state: '"<s>' }))}`);
    const [fresh, used] = [await at(''), await at('used')];
    expect([fresh.response.status, used.response.status]).toEqual([200, 403]);
    expect(fresh.text).not.toContain('alert');
    expect(used.text).toContain('<p role="alert">This key was used before, or is too old.</p>');
    const fields = [...fresh.text.matchAll(/<input type="hidden" name="(.*?)" value="(.*?)">/g)];
    const { login_hint: _, ...kept } = requestWith({ state: '&#34;&#60;s&#62;' });
    expect(fields.map(([, name, value]) => [name, value])).toEqual(Object.entries(kept));
    expect(fresh.response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(fresh.response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    await server.close();
  });

  test('who signs out is sent to the portal, and nowhere else', async () => {
    const { server, page } = await started();
    const out = async (to: string) => {
      const { response } = await page(`/logout?logout_uri=${encodeURIComponent(to)}`);
      return [response.status, response.headers.get('location')];
    };
    expect(await out(redirectUri)).toEqual([303, redirectUri]);
    expect(await out('http://elsewhere.test')).toEqual([400, null]);
    const { response, text } = await page('/oauth2/nothing');
    expect([response.status, text]).toEqual([404, '{"error":"not_found"}']);
    await server.close();
  });

  test('a port that is taken is an error', async () => {
    const { server } = await started();
    const port = Number(new URL(server.origin).port);
    const options = { hosts: [], beforeResponse: async () => undefined, onError: () => undefined };
    const again = startIssuer(issuerWith(), { ...options, port });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await server.close();
  });

  test('a name that is not this machine’s is not answered', async () => {
    const named = async (hosts: readonly string[]) => {
      const { server } = await started(issuerWith(), hosts);
      const at = new URL(server.origin);
      const told = await rawGet({ port: Number(at.port), host: 'portal.example' });
      await server.close();
      return told;
    };
    expect([await named([]), await named(['portal.example'])]).toEqual([
      { status: 421, body: { error: 'misdirected_request' } },
      { status: 404, body: { error: 'not_found' } },
    ]);
  });
});

test('an error is told as one that may pass, and reported', async () => {
  const errors: unknown[] = [];
  const server = await startIssuer(issuerWith(), {
    port: 0,
    hosts: [],
    beforeResponse: () => Promise.reject(new Error('the disk is full')),
    onError: error => errors.push(error),
  });
  const response = await fetch(`${server.origin}/.well-known/openid-configuration`);
  await server.close();
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'temporarily_unavailable' },
  ]);
  expect(errors).toEqual([new Error('the disk is full')]);
});
