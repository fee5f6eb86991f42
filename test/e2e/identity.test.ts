import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { bearer, call, post, requestToken, statusAndRule } from '../support/http-client.ts';
import { linkCommitted, sentBy } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { newProducer } from '../support/running-registry.ts';

const bus = serviceHere();
const { run } = bus;
const origin = () => new URL(bus.base).origin;

/** Verifies a token as a stranger would: with the published keys and nothing else. */
const verified = async (token: string) => {
  const keys = createRemoteJWKSet(new URL(`${bus.base}/oauth/jwks`));
  const options = { issuer: `${origin()}/v1/oauth`, audience: origin(), algorithms: ['ES256'] };
  return (await jwtVerify(token, keys, options)).payload;
};

describe('a real OAuth client', () => {
  const issuer = () => new URL(`${origin()}/v1/oauth`);

  test.each([
    ['Basic', openid.ClientSecretBasic, openid.WWWAuthenticateChallengeError],
    ['the body', openid.ClientSecretPost, openid.ResponseBodyError],
  ])('openid-client gets a token by discovery, authenticated by %s', async (_, authenticate, refusal) => {
    const { client_id, client_secret } = bus.ready.producer;
    const configured = (secret: string) =>
      openid.discovery(issuer(), client_id, {}, authenticate(secret), {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
    const tokens = await openid.clientCredentialsGrant(await configured(client_secret), { scope: 'ignored' });
    expect(tokens.expires_in).toBe(3600);
    expect(await verified(tokens.access_token)).toMatchObject({
      sub: client_id,
      tenant: bus.ready.workspace,
      environment: 'sandbox',
    });
    const published = await post(`${bus.tenant}/messages`, `Bearer ${tokens.access_token}`, linkCommitted());
    expect(published.status).toBe(202);
    const wrong = openid.clientCredentialsGrant(await configured('sbs_wrong'));
    await expect(wrong).rejects.toBeInstanceOf(refusal);
  });
});

test('an owner sees when each secret was last used, and can revoke it', async () => {
  const client = await newProducer(bus.registry, bus.ready.workspace, 'rotating');
  const id = client.client_id;
  const shown = async () => (await run('connection', 'show', id)).record;
  expect(await shown()).toMatchObject({ secret_last_used_at: null });
  const before = new Date().toISOString();
  const token = await bearer(bus.base, client);
  const first = (await shown()).secret_last_used_at;
  expect([before, first, new Date().toISOString()].sort()[1]).toBe(first);
  await requestToken(bus.base, client);
  expect((await shown()).secret_last_used_at).toBe(first);
  const { client_secret } = (await run('connection', 'secret', id, '--rotate', '--overlap', '1h')).record;
  expect(await shown()).toMatchObject({
    credential_version: 2,
    secret_last_used_at: null,
    previous_secret_last_used_at: first,
    previous_secret_until: expect.any(String),
  });
  expect((await run('connection', 'secret', id, '--revoke', 'previous')).record).toMatchObject({
    credential_version: 3,
  });
  expect((await requestToken(bus.base, client)).status).toBe(401);
  expect((await requestToken(bus.base, { client_id: id, client_secret })).status).toBe(200);
  expect(await shown()).not.toHaveProperty('previous_secret_until');
  const again = await run('connection', 'secret', id, '--revoke', 'previous');
  expect([again.code, again.stderr]).toEqual([1, `refused: The connection ${id} has no such secret.\n`]);
  await run('connection', 'secret', id, '--revoke', 'all');
  expect((await requestToken(bus.base, { client_id: id, client_secret })).status).toBe(401);
  const refused = await post(`${bus.tenant}/messages`, token, sentBy('rotating'));
  expect(statusAndRule(refused)).toEqual([401, 'producer.unauthenticated']);
});

test('keys are listed and added, and cannot be activated or retired in the wrong order', async () => {
  const [active] = (await run('keys', 'list')).record;
  expect(active).toMatchObject({ state: 'active', activate_from: null, retire_from: null });
  const added = (await run('keys', 'add')).record;
  const next = added[1];
  expect(next).toMatchObject({ state: 'next' });
  expect(Date.parse(next.activate_from) - Date.parse(next.published_at)).toBe(600_000);
  const refusals = [
    await run('keys', 'add'),
    await run('keys', 'activate', next.kid),
    await run('keys', 'retire', active.kid),
  ];
  expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(refusals[1]?.stderr).toMatch(
    /^refused: The key \S+ must be published for 10 minutes before it signs/,
  );
  expect((await run('keys', 'retire', next.kid)).record).toMatchObject([
    { kid: active.kid, state: 'active' },
  ]);
});

describe("an owner's identity provider on this machine", () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const provider: { server?: Server; issuer: string; requests: number } = { issuer: '', requests: 0 };

  beforeAll(async () => {
    const jwk = { ...(await exportJWK(publicKey)), kid: 'idp-1', alg: 'EdDSA', use: 'sig' };
    const server = createServer((_, response) => {
      provider.requests += 1;
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    provider.server = server;
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => provider.server?.close());

  const tokenFor = async (client: string, issuer = provider.issuer) => {
    const token = await new SignJWT({ client_id: client })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'idp-1' })
      .setIssuer(issuer)
      .setAudience('som-bus')
      // Two tokens of one second would else be the same text, which the gateway remembers for ten seconds.
      .setJti(randomUUID())
      .setExpirationTime('5m')
      .sign(privateKey);
    return `Bearer ${token}`;
  };

  const add = (...more: string[]) =>
    run(
      ...['idp', 'add', '--issuer', provider.issuer, '--jwks-uri', `${provider.issuer}/jwks`],
      ...['--audience', 'som-bus', '--client-claim', 'client_id', ...more],
    );

  test('serves bound clients, only on messages and validate, until it is removed', async () => {
    const where = ['--workspace', bus.ready.workspace];
    const { client_id: connection } = await newProducer(bus.registry, bus.ready.workspace, 'idp-app');
    expect((await add(...where, '--allow-insecure-local')).code).toBe(0);
    const token = await tokenFor('robot');
    const unbound = await post(`${bus.tenant}/messages`, token, sentBy('idp-app'));
    expect(statusAndRule(unbound)).toEqual([401, 'producer.unauthenticated']);
    const bind = ['idp', 'bind', ...where, '--issuer', provider.issuer, '--client', 'robot'];
    expect((await run(...bind, '--connection', connection)).code).toBe(0);
    expect((await post(`${bus.tenant}/messages`, token, sentBy('idp-app'))).status).toBe(202);
    expect((await post(`${bus.tenant}/validate`, token, sentBy('idp-app'))).status).toBe(202);
    const foreignSystem = await post(`${bus.tenant}/messages`, token, linkCommitted());
    expect(statusAndRule(foreignSystem)).toEqual([403, 'producer.system_id_not_allowed']);
    const operators = await post(`${bus.base}/jwt/messages`, token, sentBy('idp-app'));
    const queue = `${bus.tenant}/consumers/${bus.ready.consumer.client_id}/messages`;
    const pulled = await call(queue, { headers: { authorization: token } });
    expect([operators, pulled].map(statusAndRule)).toEqual([
      [401, 'producer.unauthenticated'],
      [401, 'producer.unauthenticated'],
    ]);
    expect(provider.requests).toBe(1);
    expect((await run('idp', 'list', ...where)).record).toMatchObject([
      { issuer: provider.issuer, clients: [`robot=${connection}`] },
    ]);
    await run('idp', 'remove', ...where, '--issuer', provider.issuer);
    const late = await post(`${bus.tenant}/messages`, await tokenFor('robot'), sentBy('idp-app'));
    expect(statusAndRule(late)).toEqual([401, 'producer.unauthenticated']);
  });

  test("serves the operator's clients only on /v1/jwt/messages", async () => {
    const { client_id: connection } = await newProducer(bus.registry, bus.ready.workspace, 'op-app');
    await add('--operator', '--allow-insecure-local');
    const common = ['--operator', '--issuer', provider.issuer];
    await run('idp', 'bind', ...common, '--client', 'op', '--connection', connection);
    const token = await tokenFor('op');
    expect((await post(`${bus.base}/jwt/messages`, token, sentBy('op-app'))).status).toBe(202);
    const workspaceRoute = await post(`${bus.tenant}/messages`, token, sentBy('op-app'));
    expect(statusAndRule(workspaceRoute)).toEqual([401, 'producer.unauthenticated']);
  });
});
