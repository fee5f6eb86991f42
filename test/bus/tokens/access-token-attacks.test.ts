import { createHmac, generateKeyPairSync, sign, verify } from 'node:crypto';
import { authenticate } from '../../../lib/bus/tokens/authenticate.ts';
import { encodePart, signingInput, withLowS } from '../../../lib/bus/tokens/jws.ts';
import {
  frozenClock,
  keySetsOf,
  oneConnection,
  registryOf,
  signerOf,
} from '../../support/identity-fakes.ts';
import {
  claims,
  connection,
  header,
  kid,
  now,
  origin,
  privateKey,
  publicKey,
  token,
} from './tokens.ts';

const connections = oneConnection();
/** Says who sends an Authorization header. */
const identifying = (...parts: Parameters<typeof authenticate>) => {
  const identify = authenticate(...parts);
  return (authorization: string | undefined) => identify({ authorization, issuers: undefined });
};
const identifyAt = (at: number, registry = registryOf(connections)) =>
  identifying(
    { clock: frozenClock(at), registry, signer: signerOf(), keySets: keySetsOf() },
    origin,
  );
const caller = { connection: claims.sub, workspace: claims.tenant, validUntil: claims.exp + 5 };
const good = token(header, claims);
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A token whose parts are these texts, properly signed. */
const signedText = (head: string, body: string): string => {
  const input = `${head}.${body}`;
  const made = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${Buffer.from(withLowS(made)).toString('base64url')}`;
};
const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const [head = '', body = '', signature = ''] = good.split('.');
const withSignature = (bytes: Uint8Array): string =>
  `${head}.${body}.${Buffer.from(bytes).toString('base64url')}`;
const raw = Buffer.from(signature, 'base64url');
/** The signature that is as valid as another one (r, s): (r, order - s). */
const mirrored = (() => {
  const s = BigInt(`0x${raw.subarray(32).toString('hex')}`);
  const other = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n - s;
  return Buffer.concat([
    raw.subarray(0, 32),
    Buffer.from(other.toString(16).padStart(64, '0'), 'hex'),
  ]);
})();
const zero = Buffer.alloc(32);
const order = Buffer.from(
  'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
  'hex',
);
const hmac = (key: Buffer | string): string => {
  const input = signingInput({ alg: 'HS256', typ: 'JWT', kid }, claims);
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
};
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const twin = (letter: string): string => alphabet.charAt(alphabet.indexOf(letter) ^ 1);
const claimed = (change: object): string => token(header, { ...claims, ...change });
const headed = (change: object): string => token({ ...header, ...change }, claims);

test.each([1, 2, 9])(
  'the token that the attacks start from is accepted after %d spaces',
  async spaces => {
    expect(await identifyAt(now)(`Bearer${' '.repeat(spaces)}${good}`)).toEqual(caller);
  },
);

describe('a forged access token is refused', () => {
  test.each<[string, string]>([
    ['alg none, without a signature', `${signingInput({ alg: 'none', typ: 'JWT', kid }, claims)}.`],
    [
      'alg none, with the signature of the real token',
      `${encodePart({ ...header, alg: 'none' })}.${body}.${signature}`,
    ],
    [
      'HS256 with the public key in PEM as the secret',
      hmac(publicKey.export({ type: 'spki', format: 'pem' })),
    ],
    ['the signature of a foreign key', token(header, claims, foreign.privateKey)],
    ['the kid of a foreign key', token({ ...header, kid: 'foreign' }, claims, foreign.privateKey)],
    [
      'its own jwk',
      token(
        { ...header, jwk: foreign.publicKey.export({ format: 'jwk' }) },
        claims,
        foreign.privateKey,
      ),
    ],
    [
      'the members of its header in another order',
      token({ typ: 'JWT', alg: 'ES256', kid }, claims),
    ],
    [
      'a header member twice',
      signedText(base64(`{"alg":"none","alg":"ES256","typ":"JWT","kid":"${kid}"}`), body),
    ],
    ['a header of 8 KB', headed({ pad: 'x'.repeat(8192) })],
    ['a payload that is no JSON', signedText(head, base64('{'))],
    ['a payload that is null', signedText(head, base64('null'))],
    [
      'a claim twice',
      signedText(head, base64(JSON.stringify(claims).replace('{', '{"tenant":"wbbbbbbbbbbbb",'))),
    ],
    [
      'a claim twice, the true one first',
      signedText(head, base64(JSON.stringify(claims).replace(/}$/, `,"sub":"${claims.sub}"}`))),
    ],
    ['a byte order mark', signedText(head, base64(`\ufeff${JSON.stringify(claims)}`))],
    ['the other environment in environment', claimed({ environment: 'production' })],
    ['the other environment as audience', claimed({ aud: 'https://preview.bus.example' })],
    ['the other environment as issuer', claimed({ iss: 'https://preview.bus.example/v1/oauth' })],
    ['another workspace', claimed({ tenant: 'wbbbbbbbbbbbb' })],
    ['another app', claimed({ app: 'abbbbbbbbbbbb' })],
    ['nbf in the future', claimed({ nbf: claims.iat + 60 })],
    ['iat six seconds in the future', claimed({ iat: claims.iat + 6 })],
    ['an exp that is a fraction', claimed({ exp: claims.exp + 0.5 })],
    ['no exp', claimed({ exp: undefined })],
    ['a sub that is an object', claimed({ sub: { toString: 'c' } })],
    ['a stale credential_version', claimed({ credential_version: 0 })],
    ['an hour and a second to live, signed by our own key', claimed({ exp: claims.iat + 3_601 })],
    ['a year to live, with a start in the past', claimed({ iat: claims.iat - 31_536_000 })],
    ['its signature in its other spelling, with the high s', withSignature(mirrored)],
    ['r = 0', withSignature(Buffer.concat([zero, raw.subarray(32)]))],
    ['s = 0', withSignature(Buffer.concat([raw.subarray(0, 32), zero]))],
    ['r = the order of the curve', withSignature(Buffer.concat([order, raw.subarray(32)]))],
    [
      'its signature in DER',
      withSignature(sign('sha256', Buffer.from(`${head}.${body}`), privateKey)),
    ],
    [
      'a signature with a zero before r and s',
      withSignature(
        Buffer.concat([Buffer.of(0), raw.subarray(0, 32), Buffer.of(0), raw.subarray(32)]),
      ),
    ],
    ['a signature that is cut off', withSignature(raw.subarray(0, 63))],
    ['no signature', `${head}.${body}.`],
    ['two parts', `${head}.${body}`],
    ['four parts', `${good}.e30`],
    ['padding after the signature', `${good}==`],
    ['padding after the header', `${head}=.${body}.${signature}`],
    ['a line break within', `${head}.${body.slice(0, 8)}\n${body.slice(8)}.${signature}`],
    ['a last letter with other unused bits', good.slice(0, -1) + twin(good.slice(-1))],
    ['an empty text', ''],
  ])('%s', async (_, forged) => {
    expect(await identifyAt(now)(`Bearer ${forged}`)).toBeUndefined();
  });

  test('the other spelling of a signature is as valid for everyone else', () => {
    const signed = Buffer.from(`${head}.${body}`);
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect([raw, mirrored].map(bytes => verify('sha256', signed, key, bytes))).toEqual([
      true,
      true,
    ]);
  });

  const headers = [
    undefined,
    '',
    'Bearer ',
    `Basic ${good}`,
    `Bearer${good}`,
    `Bearer\t${good}`,
    `Bearer ${good} `,
    `Bearer ${good} ${good}`,
    good,
  ];

  test.each(headers)('in the header %.20j', async authorization => {
    expect(await identifyAt(now)(authorization)).toBeUndefined();
  });
});

describe('an access token whose connection changed', () => {
  const changed = (change: Parameters<typeof oneConnection>[0]) => {
    const known = oneConnection();
    const identify = identifyAt(now, registryOf(known));
    return async () => {
      expect(await identify(`Bearer ${good}`)).toEqual(caller);
      known.set(claims.sub, { ...connection, ...change });
      return identify(`Bearer ${good}`);
    };
  };

  test('is refused once the secret was rotated, remembered or not', async () => {
    expect(await changed({ credentialVersion: 2 })()).toBeUndefined();
  });

  test('is refused once its connection belongs to another workspace or app', async () => {
    expect(await changed({ workspace: 'wbbbbbbbbbbbb' })()).toBeUndefined();
    expect(await changed({ app: 'abbbbbbbbbbbb' })()).toBeUndefined();
  });

  test('names a revoked or removed connection to the route, which refuses it as not registered', async () => {
    expect(await changed({ status: 'revoked' })()).toEqual(caller);
    expect(await identifyAt(now, registryOf(new Map()))(`Bearer ${good}`)).toEqual(caller);
  });

  test('is accepted when it carries a later version than a stale registry knows', async () => {
    expect(await identifyAt(now)(`Bearer ${claimed({ credential_version: 2 })}`)).toEqual(caller);
  });
});

describe('a key that leaves the set', () => {
  test('takes its tokens with it, remembered or not', async () => {
    const [mine] = await signerOf().keys();
    const { x = '', y = '' } = foreign.publicKey.export({ format: 'jwk' });
    const other = { kid: 'other', jwk: { kty: 'EC', crv: 'P-256', x, y } } as const;
    let keys: readonly [typeof mine, ...(typeof mine)[]] = [other, mine];
    const signer = { ...signerOf(), keys: async () => keys };
    const identify = identifying(
      { clock: frozenClock(), registry: registryOf(connections), signer, keySets: keySetsOf() },
      origin,
    );
    expect(await identify(`Bearer ${good}`)).toEqual(caller);
    keys = [other];
    expect(await identify(`Bearer ${good}`)).toBeUndefined();
  });
});
