import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign, exportJWK } from 'jose';
import type { IdentityProvider, Registry } from '../../../lib/access/registry/registry.ts';
import { operatorScope } from '../../../lib/access/trust/principals.ts';
import { issuerOf } from '../../../lib/bus/tokens/access-token.ts';
import { authenticate } from '../../../lib/bus/tokens/authenticate.ts';
import {
  type ForeignTokenProblem,
  type ForeignTokenRefusal,
  type KeySets,
  readableKeySets,
  type TellRefusal,
} from '../../../lib/bus/tokens/foreign-token.ts';
import { encodePart, signingInput } from '../../../lib/bus/tokens/jws.ts';
import type { JsonObject } from '../../../lib/platform/json/value.ts';
import {
  frozenClock,
  keySetsOf,
  oneConnection,
  registryOf,
  signerOf,
} from '../../support/identity-fakes.ts';
import {
  connection,
  now,
  origin,
  claims as ownClaims,
  header as ownHeader,
  token as ownToken,
  provider,
} from './tokens.ts';

const { issuer } = provider;
const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
type Algorithm = keyof typeof pairs;
const algorithms = Object.keys(pairs) as Algorithm[];
const keySet = async (): Promise<JsonObject[]> =>
  Promise.all(
    algorithms.map(async alg => ({
      ...(await exportJWK(pairs[alg].publicKey)),
      kid: alg,
      alg,
      use: 'sig',
    })),
  );
const seconds = now / 1000;
const good = { iss: issuer, aud: provider.audience, azp: 'client-1', exp: seconds + 300 };

/** Signs any claims, also those that no issuer should write. */
const sign = (
  claims: object,
  header: object = {},
  key: KeyObject = pairs.RS256.privateKey,
): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'RS256', kid: 'RS256', ...header })
    .sign(key);

const unreachable: KeySets = {
  keysOf: async () => {
    throw new Error('The key set was not fetched.');
  },
};

interface World {
  readonly keys?: readonly JsonObject[];
  readonly keySets?: KeySets;
  readonly provider?: IdentityProvider;
  readonly issuers?: string | undefined;
  readonly tell?: TellRefusal;
}

const identify = async (text: string, world: World = {}) => {
  const known = world.provider ?? provider;
  const registry: Registry = {
    ...registryOf(oneConnection()),
    provider: async (scope, name) =>
      scope === known.scope && name === known.issuer ? known : undefined,
    boundConnection: async (_, client) => (client === 'client-1' ? connection.id : undefined),
  };
  const keySets = world.keySets ?? keySetsOf(world.keys ?? (await keySet()));
  const authenticated = authenticate(
    { clock: frozenClock(), registry, signer: signerOf(), keySets },
    origin,
  );
  const issuers = 'issuers' in world ? world.issuers : provider.scope;
  const tell = world.tell ?? (() => undefined);
  return authenticated({ authorization: `Bearer ${text}`, issuers, tell });
};
const caller = { connection: connection.id, workspace: connection.workspace };

describe("a token of the owner's identity provider is accepted", () => {
  test.each(algorithms)('in %s', async alg => {
    expect(
      await identify(await sign(good, { alg, kid: alg }, pairs[alg].privateKey)),
    ).toMatchObject(caller);
  });

  test.each(['azp', 'client_id', 'sub'] as const)('with its client in %s', async clientClaim => {
    const { azp: _, ...rest } = good;
    const text = await sign({ ...rest, [clientClaim]: 'client-1' });
    expect(await identify(text, { provider: { ...provider, clientClaim } })).toMatchObject(caller);
  });

  test('with the audience among others, a different typ and further claims', async () => {
    const text = await sign(
      { ...good, aud: ['other', provider.audience], scope: 'x' },
      { typ: 'at+jwt' },
    );
    expect(await identify(text)).toMatchObject(caller);
  });

  test('without a kid where the set has one key that fits', async () => {
    const [key = {}] = await keySet();
    expect(await identify(await sign(good, { kid: undefined }), { keys: [key] })).toMatchObject(
      caller,
    );
  });

  test('up to the leeway of five seconds', async () => {
    const late = await identify(await sign({ ...good, exp: seconds - 4 }));
    expect(late).toEqual({ ...caller, validUntil: seconds + 1 });
    expect(await identify(await sign({ ...good, nbf: seconds + 5 }))).toMatchObject(caller);
  });

  test("on the operator's route when the operator registered the issuer", async () => {
    const operators = { ...provider, scope: operatorScope };
    expect(
      await identify(await sign(good), { provider: operators, issuers: operatorScope }),
    ).toMatchObject(caller);
    expect(await identify(await sign(good), { provider: operators })).toBeUndefined();
  });
});

describe('the owner can be told why a token is refused', () => {
  test.each<[ForeignTokenProblem, () => Promise<string>]>([
    ['unknown_issuer', () => sign({ ...good, iss: 'https://other.example/' })],
    ['wrong_audience', () => sign({ ...good, aud: 'https://other.example' })],
    ['unbound_client', () => sign({ ...good, azp: 'client-2' })],
    ['no_client', () => sign({ ...good, azp: undefined })],
    ['expired', () => sign({ ...good, exp: seconds - 5 })],
    ['too_long', () => sign({ ...good, exp: seconds + 3_606 })],
    ['no_key', () => sign(good, { kid: 'unknown' })],
    ['other', () => sign({ ...good, nbf: seconds + 6 })],
    [
      'bad_signature',
      () => sign(good, {}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
  ])('%s', async (problem, make) => {
    const told: ForeignTokenRefusal[] = [];
    expect(await identify(await make(), { tell: found => told.push(found) })).toBeUndefined();
    const issuer = problem === 'unknown_issuer' ? {} : { issuer: provider.issuer };
    const client = problem === 'unbound_client' ? { client: 'client-2' } : {};
    expect(told).toEqual([{ problem, ...issuer, ...client }]);
  });

  test('but nothing about one that is accepted', async () => {
    const tell = jest.fn();
    expect(await identify(await sign(good), { tell })).toMatchObject(caller);
    expect(tell).not.toHaveBeenCalled();
  });
});

describe("a token of the owner's identity provider is refused", () => {
  const hmacWith = async (secret: Buffer | string) => {
    const input = signingInput({ alg: 'HS256', kid: 'RS256' }, good);
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };

  test.each<[string, () => Promise<string>]>([
    ['of another issuer', () => sign({ ...good, iss: 'https://other.example/' })],
    ['of its issuer in another spelling', () => sign({ ...good, iss: 'https://idp.example' })],
    ["with the bus's own issuer", () => sign({ ...good, iss: issuerOf(origin) })],
    ['for another audience', () => sign({ ...good, aud: 'https://other.example' })],
    ['without an audience', () => sign({ ...good, aud: undefined })],
    ['without an end', () => sign({ ...good, exp: undefined })],
    ['with an end that is text', () => sign({ ...good, exp: String(good.exp) })],
    [
      'that lasts longer than an hour',
      () => sign({ ...good, iat: seconds - 3_400, exp: seconds + 201 }),
    ],
    ['that ends after more than an hour', () => sign({ ...good, exp: seconds + 3_606 })],
    ['that ended five seconds ago', () => sign({ ...good, exp: seconds - 5 })],
    ['that begins in six seconds', () => sign({ ...good, nbf: seconds + 6 })],
    ['of a client that is not bound', () => sign({ ...good, azp: 'client-2' })],
    ['without a client', () => sign({ ...good, azp: undefined })],
    ['with a client that is no text', () => sign({ ...good, azp: ['client-1'] })],
    [
      'with its client in another claim than the registered one',
      () => sign({ ...good, azp: undefined, sub: 'client-1' }),
    ],
    [
      'signed by a key of somebody else',
      () => sign(good, {}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
    ['with an unknown kid', () => sign(good, { kid: 'unknown' })],
    ['without a kid where several keys fit', () => sign(good, { kid: undefined, alg: 'RS256' })],
    ['with a kid that is no text', () => sign(good, { kid: ['RS256'] })],
    ['in PS256 under a key for RS256', () => sign(good, { alg: 'PS256', kid: 'RS256' })],
    ['in RS384', () => sign(good, { alg: 'RS384' })],
    [
      'in HS256 with the public key as the secret',
      () => hmacWith(pairs.RS256.publicKey.export({ type: 'spki', format: 'pem' })),
    ],
    ['without a signature', async () => (await sign(good)).replace(/[^.]+$/, '')],
    ['with padding', async () => `${await sign(good)}==`],
    ['over 8 KiB', () => sign({ ...good, pad: 'x'.repeat(8192) })],
    [
      'with alg none',
      async () => `${encodePart({ alg: 'none', kid: 'RS256' })}.${encodePart(good)}.`,
    ],
    [
      'with a critical extension',
      () =>
        new CompactSign(Buffer.from(JSON.stringify(good)))
          .setProtectedHeader({ alg: 'RS256', kid: 'RS256', crit: ['x'], x: 1 })
          .sign(pairs.RS256.privateKey, { crit: { x: true } }),
    ],
    [
      'with a claim named twice',
      async () => {
        const body = JSON.stringify(good).replace('{', '{"azp":"client-2",');
        const input = `${encodePart({ alg: 'RS256', kid: 'RS256' })}.${Buffer.from(body).toString('base64url')}`;
        return `${input}.${createSign('sha256').update(input).sign(pairs.RS256.privateKey, 'base64url')}`;
      },
    ],
    ['that is encrypted (five parts)', async () => `${await sign(good)}.x.y`],
  ])('%s', async (_, make) => {
    const keys = [...(await keySet()), { ...(await keySet())[0], kid: 'twin' }];
    expect(await identify(await make(), { keys })).toBeUndefined();
  });

  test('with its own jku, jwk or x5u, whatever their content', async () => {
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = await exportJWK(own.publicKey);
    for (const header of [
      { jwk },
      { jku: 'https://attacker.example' },
      { x5u: 'https://attacker.example' },
    ])
      expect(await identify(await sign(good, header, own.privateKey))).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ['for encryption', { use: 'enc' }],
    ['with operations other than verify', { key_ops: ['encrypt'] }],
    ['without any operation', { key_ops: [] }],
    ['for an algorithm outside the four', { alg: 'RS512' }],
    ['that is broken', { n: '!' }],
    ['with a modulus that is too short', {}],
  ])('under a key %s', async (_, change) => {
    const [key = {}] = await keySet();
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const weak = Object.keys(change).length === 0 ? await exportJWK(short.publicKey) : {};
    const signed = await sign(good);
    expect(await identify(signed, { keys: [{ ...key, ...weak, ...change }] })).toBeUndefined();
  });

  test('on a route that takes none', async () => {
    expect(await identify(await sign(good), { issuers: undefined })).toBeUndefined();
  });

  test('in another workspace, without asking for keys', async () => {
    expect(
      await identify(await sign(good), { issuers: 'wbbbbbbbbbbbb', keySets: unreachable }),
    ).toBeUndefined();
  });
});

test.each<[string, JsonObject]>([
  ['to verify', { key_ops: ['verify'] }],
  ['to verify signatures', { use: 'sig', key_ops: ['verify'] }],
])('a token under a key that is published %s is accepted', async (_, change) => {
  const [key = {}] = await keySet();
  expect(await identify(await sign(good), { keys: [{ ...key, ...change }] })).toMatchObject(caller);
});

test('producer.unauthenticated: a provider whose keys cannot be fetched is a refusal, and the operator’s log says why', async () => {
  const heard: unknown[] = [];
  const unreadable = ({ issuer: of }: IdentityProvider, reason: unknown) =>
    heard.push([of, String(reason)]);
  expect(
    await identify(await sign(good), { keySets: readableKeySets(unreachable, unreadable) }),
  ).toBeUndefined();
  expect(heard).toEqual([[issuer, 'Error: The key set was not fetched.']]);
});

test("the bus's own tokens are never looked up at a provider", async () => {
  expect(await identify(ownToken(ownHeader, ownClaims), { keySets: unreachable })).toMatchObject(
    caller,
  );
});
