import { createHash } from 'node:crypto';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { RawRequest } from '../../../lib/local/engines/raw-request.ts';
import type { AccessKey } from '../../../lib/local/roles.ts';
import {
  canonicalRequest,
  type SignatureProblem,
  type SigV4Key,
  type SigV4Result,
  verifyRequest,
} from '../../../lib/local/sigv4.ts';

const accessKey = {
  roleArn: 'arn:aws:iam::000000000000:role/demo',
  accessKeyId: 'ASIAAAAAAAAAAAAAAAAA',
  secretAccessKey: 'secret/with+characters',
  sessionToken: 'session+token/==',
};
const now = Date.parse('2026-05-04T09:00:00Z');
const verified = (request: RawRequest, at = now, service = 'execute-api'): SigV4Result<AccessKey> =>
  verifyRequest(request, {
    now: at,
    region: 'us-east-1',
    service,
    find: id => (id === accessKey.accessKeyId ? accessKey : undefined),
  });

interface Parts {
  readonly path?: string;
  readonly query?: Record<string, string | string[]>;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const signer = new SignatureV4({
  service: 'execute-api',
  region: 'us-east-1',
  sha256: Sha256,
  credentials: { ...accessKey },
});

const encodedQuery = (query: Parts['query'] = {}): string =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      [value].flat().map(one => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
    )
    .join('&');

/** A request as it arrives after the AWS SDK's own signer signed it. */
const signed = async ({
  path = '/v1/messages',
  query = {},
  headers = {},
  body = '{}',
}: Parts): Promise<RawRequest> => {
  const request = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: 'bus.example',
      path,
      query,
      headers: { host: 'bus.example', ...headers },
      body,
    },
    { signingDate: new Date(now) },
  );
  const search = encodedQuery(query);
  return {
    method: 'POST',
    target: search === '' ? path : `${path}?${search}`,
    headers: Object.entries(request.headers),
    body: Buffer.from(body),
  };
};

test('the canonical request of the example in the AWS documentation has its digest', () => {
  const request: RawRequest = {
    method: 'GET',
    target: '/',
    headers: [
      ['Host', 'example.amazonaws.com'],
      ['X-Amz-Date', '20150830T123600Z'],
    ],
    body: Buffer.alloc(0),
  };
  const nothing = createHash('sha256').update('').digest('hex');
  const text = canonicalRequest(request, ['host', 'x-amz-date'], nothing);
  expect(createHash('sha256').update(text).digest('hex')).toBe(
    'bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63',
  );
});

test('the path of a canonical request is never empty', () => {
  const request = { method: 'GET', target: '?b=1&a', headers: [], body: Buffer.alloc(0) };
  expect(canonicalRequest(request, [], 'hash')).toBe('GET\n/\na=&b=1\n\n\nhash');
});

describe('a request signed by the AWS SDK is verified', () => {
  test.each<[string, Parts]>([
    ['as it is', {}],
    ['with an empty body', { body: '' }],
    ['with a body in UTF-8', { body: '{"headline":"Größe €"}' }],
    ['with a path that needs encoding', { path: '/v1/tenants/w%20x%2Fy/iam/messages' }],
    ['with a query', { query: { b: '2', a: 'x y', c: '/=&+~' } }],
    ['with names that begin alike', { query: { a: '1', a2: '2', 'a-b': '3' } }],
    ['with a parameter that is repeated', { query: { a: ['2', '1'], A: '0' } }],
    ['with one that is repeated in order', { query: { b: '0', a: ['1', '2', '2'] } }],
    [
      'with characters that a form does not encode',
      { path: "/v1/a!b'c(d)e*f", query: { q: "!'()*", "*!'()": '' } },
    ],
    [
      'with spaces in a header',
      { headers: { 'content-type': '  application/json;   charset=utf-8 ' } },
    ],
    [
      'with the digest of its body',
      { headers: { 'x-amz-content-sha256': createHash('sha256').update('{}').digest('hex') } },
    ],
  ])('%s', async (_, parts) => {
    expect(verified(await signed(parts))).toEqual({ kind: 'verified', accessKey });
  });

  test('within five minutes of its signature', async () => {
    const request = await signed({});
    for (const shift of [-300_000, 300_000])
      expect(verified(request, now + shift).kind).toBe('verified');
    for (const shift of [-300_001, 300_001])
      expect(verified(request, now + shift).kind).toBe('refused');
  });
});

/** The request with one header changed. */
const withHeader =
  (name: string, change: (value: string) => string) =>
  (request: RawRequest): RawRequest => ({
    ...request,
    headers: request.headers.map(
      ([own, value]) => [own, own === name ? change(value) : value] as const,
    ),
  });

/**
 * Why a request is refused: an expression of the reason, by what was done to it after it was
 * signed.
 */
const refusals: Readonly<
  Record<string, [(request: RawRequest) => RawRequest, SignatureProblem, RegExp]>
> = {
  'another method': [request => ({ ...request, method: 'PUT' }), 'mismatch', /does not match/],
  'another path': [request => ({ ...request, target: '/v1/jwt' }), 'mismatch', /does not match/],
  'a query': [
    request => ({ ...request, target: `${request.target}?a` }),
    'mismatch',
    /does not match/,
  ],
  'a parameter of presigned addresses': [
    request => ({ ...request, target: `${request.target}?X-Amz-Signature=0` }),
    'mismatch',
    /does not match/,
  ],
  'another body': [
    request => ({ ...request, body: Buffer.from('{ }') }),
    'mismatch',
    /digest|does not match/,
  ],
  'another host': [withHeader('host', () => 'other.example'), 'mismatch', /does not match/],
  'another session token': [
    withHeader('x-amz-security-token', () => 'x'),
    'unknown_key',
    /is unknown/,
  ],
  'an x-amz header more': [
    request => ({ ...request, headers: [...request.headers, ['X-Amz-Extra', '1']] }),
    'mismatch',
    /x-amz-extra must be signed/,
  ],
  'another access key': [
    withHeader('authorization', value => value.replace('/ASIA', '/AKIA').replace('=ASIA', '=AKIA')),
    'unknown_key',
    /is unknown/,
  ],
  'another region': [
    withHeader('authorization', value => value.replace('/us-east-1/', '/eu-west-1/')),
    'mismatch',
    /^It is signed for the region "eu-west-1": sign for "us-east-1"\.$/,
  ],
  'a day without a time': [
    withHeader('x-amz-date', value => `${value.slice(0, 8)}Tnoon`),
    'malformed',
    /x-amz-date must be/,
  ],
  'another signature': [
    withHeader('authorization', value => value.replace(/.$/, last => (last === '0' ? '1' : '0'))),
    'mismatch',
    /does not match/,
  ],
  'a signature in capitals': [
    withHeader('authorization', value => value.replace(/Signature=.*/, text => text.toUpperCase())),
    'malformed',
    /must be signed/,
  ],
  'another algorithm': [
    withHeader('authorization', value => value.replace('HMAC', 'ECDSA')),
    'malformed',
    /must be signed/,
  ],
  'no host among what is signed': [
    withHeader('authorization', value => value.replace('host;', '')),
    'mismatch',
    /host must be signed/,
  ],
  'another date in its scope': [
    withHeader('authorization', value => value.replace('/20260504/', '/20260503/')),
    'malformed',
    /x-amz-date must be/,
  ],
  'two Authorization headers': [
    request => ({ ...request, headers: [...request.headers, ['Authorization', 'Bearer x']] }),
    'malformed',
    /must be signed with AWS Signature/,
  ],
  'an access key id that is a path': [
    withHeader('authorization', value => value.replace(accessKey.accessKeyId, '../../credentials')),
    'malformed',
    /must be signed with AWS Signature/,
  ],
  'no header': [request => ({ ...request, headers: [] }), 'missing', /must be signed/],
  'a presigned address': [
    request => ({
      ...request,
      target: '/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0',
      headers: [],
    }),
    'malformed',
    /Presigned/,
  ],
};

test.each(Object.entries(refusals))(
  'a request is refused with %s',
  async (_, [change, problem, reason]) => {
    const result = verified(change(await signed({})));
    expect(result).toEqual({ kind: 'refused', problem, reason: expect.stringMatching(reason) });
  },
);

test('a request is refused with a digest that is signed, but not of its body', async () => {
  expect(verified(await signed({ headers: { 'x-amz-content-sha256': '0'.repeat(64) } }))).toEqual({
    kind: 'refused',
    problem: 'mismatch',
    reason: 'The header x-amz-content-sha256 is not the digest of the body.',
  });
});

describe('a signature for another service or of another kind', () => {
  const lasting = { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'secret' };
  const target = { 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
  const signedWith = async (service: string, credentials: SigV4Key): Promise<RawRequest> => {
    const own = new SignatureV4({ service, region: 'us-east-1', sha256: Sha256, credentials });
    const headers = { host: 'localhost', ...target };
    const request = {
      method: 'POST',
      protocol: 'http:',
      hostname: 'localhost',
      path: '/',
      headers,
      body: '{}',
    };
    const { headers: sent } = await own.sign(request, { signingDate: new Date(now) });
    return { method: 'POST', target: '/', headers: Object.entries(sent), body: Buffer.from('{}') };
  };
  const check = (request: RawRequest, service: string) =>
    verifyRequest<SigV4Key>(request, {
      now,
      region: 'us-east-1',
      service,
      find: id => [accessKey, lasting].find(({ accessKeyId }) => accessKeyId === id),
    });

  test.each(['sqs', 'dynamodb', 'kms', 'execute-api'])('is verified for %s only', async service => {
    const request = await signedWith(service, accessKey);
    expect(check(request, service)).toEqual({ kind: 'verified', accessKey });
    expect(check(request, 'sns')).toMatchObject({
      problem: 'mismatch',
      reason: expect.stringMatching(/"sns"/),
    });
  });

  test('needs no session token for a key that has none, and may have none', async () => {
    const request = await signedWith('sqs', lasting);
    expect(check(request, 'sqs')).toEqual({ kind: 'verified', accessKey: lasting });
    const more = await signedWith('sqs', { ...lasting, sessionToken: 'x' });
    expect(check(more, 'sqs')).toMatchObject({ problem: 'unknown_key' });
  });

  test('needs the session token of a key that has one', async () => {
    const { sessionToken, ...withoutToken } = accessKey;
    expect(sessionToken).not.toBe('');
    expect(check(await signedWith('sqs', withoutToken), 'sqs')).toMatchObject({
      problem: 'unknown_key',
    });
  });
});
