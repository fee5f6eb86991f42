import crypto from 'node:crypto';
import {
  type Connection,
  type Credential,
  hashSecret,
} from '../../../lib/access/registry/connection.ts';
import { accessTokenVerifier } from '../../../lib/bus/tokens/access-token.ts';
import type { TokenRequests } from '../../../lib/bus/tokens/issue-token.ts';
import { oauthMetadataEdge } from '../../../lib/bus/tokens/token.http.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { credentialsOf, frozenClock, signerOf, uncounted } from '../../support/identity-fakes.ts';
import { tokenService } from './token-service.ts';
import { connection, keys, now, origin } from './tokens.ts';

const secret = 'sbs_current';
const oldSecret = 'sbs_previous';
const issuedAt = '2026-05-04T08:00:00.000Z';
const credential: Credential = {
  version: 2,
  current: { hash: hashSecret(secret), issuedAt },
  previous: { hash: hashSecret(oldSecret), until: now + 60_000 },
};
const entry = (changes: Partial<Connection> = {}, secrets = credential) => ({
  connection: { ...connection, credentialVersion: secrets.version, ...changes },
  credential: secrets,
});
const id = connection.id;
const revoked = 'cbbbbbbbbbbbb';
const secretless = 'ccccccccccccc';
const [oddId, odd] = ['ceeeeeeeeeeee', 'a:b c+d%é€'];

interface Outside {
  readonly clock?: ReturnType<typeof frozenClock>;
  readonly fails?: 'registry' | 'kms' | 'note';
  readonly tokenRequests?: TokenRequests;
}

const failure = async (): Promise<never> => {
  throw new Error('The engine is gone.');
};

const service = ({ clock = frozenClock(), fails, tokenRequests = uncounted }: Outside = {}) => {
  const credentials = credentialsOf(
    entry(),
    entry({ id: revoked, status: 'revoked' }),
    entry({ id: secretless }, { version: 3 }),
    entry({ id: oddId }, { version: 1, current: { hash: hashSecret(odd), issuedAt } }),
  );
  const reads = jest.fn(credentials.find);
  const told = recorderInMemory();
  const request = tokenService({
    clock,
    recorder: told.port,
    credentials: {
      ...credentials,
      find: fails === 'registry' ? failure : reads,
      ...(fails === 'note' ? { noteUse: failure } : {}),
    },
    tokenRequests,
    signer: { ...signerOf(), ...(fails === 'kms' ? { sign: failure } : {}) },
  });
  return { request, reads, uses: credentials.uses, told: told.recorded };
};

const grant = 'grant_type=client_credentials';
const encoded = (text: string): string => encodeURIComponent(text);
const basicOf = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const basic = (client: string, password: string): { authorization: string } => ({
  authorization: basicOf(`${encoded(client)}:${encoded(password)}`),
});
const inBody = (client: string, password: string): string =>
  `${grant}&client_id=${encoded(client)}&client_secret=${encoded(password)}`;

describe('a token request is answered with a token', () => {
  test.each<[string, string, Record<string, string>]>([
    ['for Basic', grant, basic(id, secret)],
    [
      'for Basic in other letters',
      grant,
      { authorization: basic(id, secret).authorization.replace('Basic', 'bASIC') },
    ],
    ['for client_id and client_secret in the body', inBody(id, secret), {}],
    [
      'for Basic with the same client_id in the body',
      `${grant}&client_id=${id}`,
      basic(id, secret),
    ],
    ['for the previous secret in its overlap', grant, basic(id, oldSecret)],
    ['with a scope, which is ignored', `${grant}&scope=publish%20admin`, basic(id, secret)],
    // RFC 6749 section 3.2: a parameter without a value is treated as absent.
    ['for Basic beside an empty client_secret', `${grant}&client_secret=`, basic(id, secret)],
    [
      'for Basic beside an empty client_id, twice',
      `${grant}&client_id=&client_secret=&client_id=`,
      basic(id, secret),
    ],
    [
      'with an empty parameter beside the same with a value',
      `grant_type=&${grant}`,
      basic(id, secret),
    ],
    // RFC 8707 section 2.
    [
      'with several resources, which are ignored',
      `${grant}&resource=https://a.example&resource=https://b.example`,
      basic(id, secret),
    ],
    [
      'for a form that names its character set',
      grant,
      { ...basic(id, secret), 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    ],
    [
      'for parts of which every character is percent-encoded',
      grant,
      {
        authorization: basicOf(
          `${id}:${[...secret].map(c => `%${c.charCodeAt(0).toString(16)}`).join('')}`,
        ),
      },
    ],
  ])('%s', async (_, body, headers) => {
    const response = await service().request(body, headers);
    expect(response).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3600 },
    });
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-request-id': 'request-1',
    });
    expect(Object.keys(response.body)).toEqual(['access_token', 'token_type', 'expires_in']);
    const claims = accessTokenVerifier({ keys, origin })(response.body.access_token, now);
    expect(claims).toMatchObject({
      sub: id,
      credential_version: 2,
      iat: now / 1000,
      exp: now / 1000 + 3600,
    });
  });
});

test('a secret with a colon and UTF-8 is decoded before it is compared', async () => {
  const authorization = basicOf(
    `${new URLSearchParams({ oddId, odd })}`.replace(/^oddId=([^&]+)&odd=/, '$1:'),
  );
  expect(await service().request(grant, { authorization })).toMatchObject({ status: 200 });
});

describe('invalid_request (400) answers', () => {
  test.each<[string, string | Uint8Array, Record<string, string>]>([
    [
      'a body that is declared as JSON',
      JSON.stringify({ grant_type: 'client_credentials' }),
      { ...basic(id, secret), 'content-type': 'application/json' },
    ],
    ['a body without a declared type', grant, { ...basic(id, secret), 'content-type': '' }],
    ['no grant_type', `client_id=${id}`, basic(id, secret)],
    ['an empty grant_type', `grant_type=&client_id=${id}`, basic(id, secret)],
    ['a scope that comes twice', `${grant}&scope=a&scope=b`, basic(id, secret)],
    [
      'a body that is not UTF-8',
      Uint8Array.of(...Buffer.from(`${grant}&x=`), 0xff),
      basic(id, secret),
    ],
    ['a parameter that comes twice', `${grant}&${grant}`, basic(id, secret)],
    ['a body over 16 KB', `${grant}&x=${'y'.repeat(limits.tokenRequestBytes)}`, basic(id, secret)],
    ['two authentication methods', inBody(id, secret), basic(id, secret)],
    ['a client_secret beside Basic', `${grant}&client_secret=${secret}`, basic(id, secret)],
    ['another client_id beside Basic', `${grant}&client_id=${revoked}`, basic(id, secret)],
    ['Basic without a value', grant, { authorization: 'Basic' }],
    ['Basic that is no base64', grant, { authorization: 'Basic §§§' }],
    ['Basic without a colon', grant, { authorization: basicOf(id) }],
    [
      'Basic that is not UTF-8',
      grant,
      { authorization: `Basic ${Buffer.of(0xff, 0x3a, 0xff).toString('base64')}` },
    ],
    ['Basic with a broken percent-encoding', grant, { authorization: basicOf(`${id}:%zz`) }],
    [
      'Basic with a percent-encoding that is not UTF-8',
      grant,
      { authorization: basicOf(`${id}:%ff`) },
    ],
  ])('%s', async (_, body, headers) => {
    const response = await service().request(body, headers);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(Object.keys(response.body)).toEqual(['error', 'error_description']);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
  });
});

describe('several Authorization headers identify no client: no token, even if one of them would get one', () => {
  const right = basic(id, secret).authorization;

  test.each([
    ['the same one twice', [right, right]],
    ['a wrong secret after it', [right, basic(id, 'sbs_wrong').authorization]],
    ['a wrong secret before it', [basic(id, 'sbs_wrong').authorization, right]],
    ['another scheme after it', [right, 'Bearer x']],
    ['an empty one after it', [right, '']],
  ])('invalid_request (400) answers %s', async (_, authorization) => {
    const [last = ''] = authorization.slice(-1);
    const response = await service().request(grant, { authorization: last }, { authorization });
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('invalid_client (401) answers another scheme before it', async () => {
    const several = { authorization: ['Bearer x', right] };
    const response = await service().request(grant, { authorization: right }, several);
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

test.each(['password', 'CLIENT_CREDENTIALS'])(
  'unsupported_grant_type (400) answers %s',
  async type => {
    const response = await service().request(`grant_type=${type}`, basic(id, secret));
    expect(response).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
  },
);

test('rate.limited (429): a request by Basic counts, whatever is wrong with its form', async () => {
  const bodies = ['grant_type=password', 'x=y', `${grant}&client_secret=x`, grant];
  const responses = [];
  const clients: string[] = [];
  const count = async ({ clientId }: { readonly clientId: string }) =>
    clients.push(clientId) > 3 ? 1_500 : undefined;
  const { request } = service({ tokenRequests: { count } });
  for (const body of [...bodies, 'grant_type=password'])
    responses.push((await request(body, basic(id, secret))).status);
  expect(responses).toEqual([400, 400, 400, 429, 429]);
  expect(clients).toEqual(Array(5).fill(id));
});

describe('invalid_client (401) answers', () => {
  const later = frozenClock(now + 60_000);
  const causes: [string, string, string, Outside][] = [
    ['an unknown client', 'cddddddddddda', secret, {}],
    ['a client id of no possible form', 'admin', secret, {}],
    ['a wrong secret', id, 'sbs_wrong', {}],
    ['a previous secret after its overlap window', id, oldSecret, { clock: later }],
    ['a revoked connection', revoked, secret, {}],
    ['a connection whose secrets were revoked', secretless, secret, {}],
    ['a secret in UTF-8', id, 'sbs_Grüße €', {}],
  ];

  test.each(causes)(
    '%s, by Basic and in the body, and does not tell the cause',
    async (_, client, password, outside) => {
      const byHeader = await service(outside).request(grant, basic(client, password));
      const byBody = await service(outside).request(inBody(client, password));
      expect([byHeader.status, byBody.status]).toEqual([401, 401]);
      expect(byHeader.body).toEqual({
        error: 'invalid_client',
        error_description: 'The client is unknown, or its credentials are not valid here.',
      });
      expect(byBody.body).toEqual(byHeader.body);
      expect(byHeader.headers).toMatchObject({
        'www-authenticate': 'Basic realm="som-bus", charset="UTF-8"',
        'cache-control': 'no-store',
      });
      expect(byBody.headers).not.toHaveProperty('www-authenticate');
    },
  );

  test('no client authentication at all', async () => {
    expect(await service().request(grant)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('a scheme other than Basic', async () => {
    const response = await service().request(grant, { authorization: 'Bearer x' });
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(response.headers).toHaveProperty('www-authenticate');
  });

  test('an empty client_secret in the body like none', async () => {
    const body = `${grant}&client_id=${id}&client_secret=`;
    expect(await service().request(body)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });
});

describe('of several ways to authenticate, the refusal says which one was judged', () => {
  test('the Authorization header, before right credentials in the body', async () => {
    const { status, body } = await service().request(inBody(id, secret), {
      authorization: 'Bearer old',
    });
    expect({ status, body }).toEqual({
      status: 401,
      body: {
        error: 'invalid_client',
        error_description:
          'The Authorization header was judged, not the credentials in the body, and it is not Basic: send one of them only.',
      },
    });
  });

  test('neither, if both could be meant', async () => {
    const { body } = await service().request(inBody(id, secret), basic(id, secret));
    expect(body.error_description).toBe(
      'The client must authenticate in the Authorization header or in the body, not in both: send one of them only.',
    );
  });
});

test('the parameter that comes twice is named, but no name that the bus does not know', async () => {
  const known = await service().request(`${grant}&scope=a&scope=b`, basic(id, secret));
  expect(known.body.error_description).toBe('The parameter scope comes twice.');
  const unknown = await service().request(`${grant}&sbs_x=a&sbs_x=b`, basic(id, secret));
  expect(unknown.body.error_description).toBe('A parameter comes twice.');
});

describe('a refused request is recorded for the owner of its connection', () => {
  test.each([
    ['with a wrong secret', id, 'sbs_wrong', 'wrong_secret'],
    ['of a revoked connection', revoked, secret, 'not_registered'],
  ])('%s', async (_what, client, password, reason) => {
    const { request, told } = service();
    await request(grant, basic(client, password));
    const { workspace } = connection;
    expect(told).toEqual([
      { kind: 'token_refused', connection: client, workspace, at: now, reason },
    ]);
    expect(JSON.stringify(told)).not.toContain(password);
  });

  test('of an unknown client, in a place that nobody sees: it takes as long as the others', async () => {
    const { request, told } = service();
    await request(grant, basic('cddddddddddd2', secret));
    expect(told).toMatchObject([{ workspace: 'w000000000000', connection: 'c000000000000' }]);
  });

  test('that came too often, whatever its secret', async () => {
    const tokenRequests = { count: async () => 90_000 };
    const { request, told } = service({ tokenRequests });
    expect((await request(grant, basic(id, secret))).status).toBe(429);
    const { workspace } = connection;
    expect(told).toEqual([
      { kind: 'token_refused', connection: id, workspace, at: now, reason: 'too_many' },
    ]);
  });

  test('but an issued token is not', async () => {
    const { request, told } = service();
    expect((await request(grant, basic(id, secret))).status).toBe(200);
    expect(told).toEqual([]);
  });
});

describe('temporarily_unavailable (503) answers', () => {
  test.each(['registry', 'kms'] as const)('when the %s fails', async fails => {
    const response = await service({ fails }).request(grant, basic(id, secret));
    expect(response).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(Object.keys(response.body)).toEqual(['error', 'error_description']);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
  });

  test('not when only the use of the secret could not be noted', async () => {
    expect((await service({ fails: 'note' }).request(grant, basic(id, secret))).status).toBe(200);
  });
});

describe('the use of a secret', () => {
  test('is noted for the secret that was used', async () => {
    const { request, uses } = service();
    await request(grant, basic(id, oldSecret));
    await request(grant, basic(id, secret));
    expect(uses.map(({ slot }) => slot)).toEqual(['previous', 'current']);
  });

  test('is not noted when the client was refused', async () => {
    const { request, uses } = service();
    await request(grant, basic(id, 'sbs_wrong'));
    await request(grant, basic(revoked, secret));
    expect(uses).toEqual([]);
  });
});

test('an unknown client takes the same work as a wrong secret, and no comparison reveals how much of it was right', async () => {
  const { request, reads } = service();
  const hash = jest.spyOn(crypto, 'createHash');
  const compare = jest.spyOn(crypto, 'timingSafeEqual');
  const work = async (headers: Record<string, string>) => {
    for (const spy of [reads, hash, compare]) spy.mockClear();
    await request(grant, headers);
    return [reads, hash, compare].map(({ mock }) => mock.calls.length);
  };
  const attempts = {
    unknown: basic('cddddddddddda', secret),
    malformed: basic('admin', secret),
    wrong: basic(id, `${secret.slice(0, -1)}X`),
    empty: basic(id, ''),
    current: basic(id, secret),
    previous: basic(id, oldSecret),
  };
  for (const headers of Object.values(attempts)) {
    // One read, one hash of what was sent, and a comparison in constant time with each of two
    // secrets.
    expect(await work(headers)).toEqual([1, 1, 2]);
    for (const [ours, theirs] of compare.mock.calls)
      expect(ours.byteLength).toBe(theirs.byteLength);
  }
  jest.restoreAllMocks();
});

test('the metadata says where tokens are issued, and how a client authenticates (RFC 8414)', async () => {
  const settings = { origin: 'https://bus.example', isLocal: false, region: 'eu-west-1' };
  const request = { requestId: 'r', method: 'GET', pathParameters: {}, query: {}, headers: {} };
  const { body } = await oauthMetadataEdge({}, settings)({ ...request, body: new Uint8Array() });
  expect(body).toEqual({
    issuer: 'https://bus.example/v1/oauth',
    token_endpoint: 'https://bus.example/v1/oauth/token',
    jwks_uri: 'https://bus.example/v1/oauth/jwks',
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    response_types_supported: [],
  });
});
