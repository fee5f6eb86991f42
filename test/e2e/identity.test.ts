import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { call, post, statusAndRule } from '../support/http-client.ts';
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
  ])(
    'openid-client gets a token by discovery, authenticated by %s',
    async (_, authenticate, refusal) => {
      const { client_id, client_secret } = bus.ready.producer;
      const configured = (secret: string) =>
        openid.discovery(issuer(), client_id, {}, authenticate(secret), {
          algorithm: 'oauth2',
          execute: [openid.allowInsecureRequests],
        });
      const tokens = await openid.clientCredentialsGrant(await configured(client_secret), {
        scope: 'ignored',
      });
      expect(tokens.expires_in).toBe(3600);
      expect(await verified(tokens.access_token)).toMatchObject({
        sub: client_id,
        tenant: bus.ready.workspace,
        environment: 'sandbox',
      });
      const published = await post(
        `${bus.tenant}/messages`,
        `Bearer ${tokens.access_token}`,
        linkCommitted(),
      );
      expect(published.status).toBe(202);
      const wrong = openid.clientCredentialsGrant(await configured('sbs_wrong'));
      await expect(wrong).rejects.toBeInstanceOf(refusal);
    },
  );
});

describe("an owner's identity provider on this machine", () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const provider: { server?: Server; issuer: string; requests: number } = {
    issuer: '',
    requests: 0,
  };

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
      // Two tokens of one second would else be the same text, which the gateway remembers for ten
      // seconds.
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
    const { client_id: connection } = await newProducer(
      bus.registry,
      bus.ready.workspace,
      'idp-app',
    );
    expect((await add(...where, '--allow-insecure-local')).code).toBe(0);
    const token = await tokenFor('robot');
    const unbound = await post(`${bus.tenant}/messages`, token, sentBy('idp-app'));
    expect(statusAndRule(unbound)).toEqual([401, 'producer.unauthenticated']);
    expect(unbound.body).toMatchObject({
      violations: [
        { message: expect.stringContaining('Its client is not bound to a connection.') },
      ],
    });
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
    const { client_id: connection } = await newProducer(
      bus.registry,
      bus.ready.workspace,
      'op-app',
    );
    await add('--operator', '--allow-insecure-local');
    const common = ['--operator', '--issuer', provider.issuer];
    await run('idp', 'bind', ...common, '--client', 'op', '--connection', connection);
    const token = await tokenFor('op');
    expect((await post(`${bus.base}/jwt/messages`, token, sentBy('op-app'))).status).toBe(202);
    const workspaceRoute = await post(`${bus.tenant}/messages`, token, sentBy('op-app'));
    expect(statusAndRule(workspaceRoute)).toEqual([401, 'producer.unauthenticated']);
  });
});
