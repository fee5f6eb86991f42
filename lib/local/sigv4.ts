import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { signatureRequired } from '../contract/refusals.ts';
import type { RawRequest } from './engines/raw-request.ts';

type RequestHead = Omit<RawRequest, 'body'>;

export interface SigV4Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Temporary credentials only: sent with every request. */
  readonly sessionToken?: string;
}

interface SigV4Authorization {
  readonly accessKeyId: string;
  readonly scope: { readonly date: string; readonly region: string; readonly service: string };
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const form =
  /^AWS4-HMAC-SHA256 +Credential=(\w{1,128})\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, *SignedHeaders=([a-z0-9;_-]+), *Signature=([0-9a-f]{64})$/;

/**
 * Undefined when the header is not of Signature Version 4 (AWS: "Create a signed AWS API request").
 */
const parseAuthorization = (header: string): SigV4Authorization | undefined => {
  const found = form.exec(header);
  if (!found) return undefined;
  const [, accessKeyId = '', date = '', region = '', service = '', signed = '', signature = ''] =
    found;
  return {
    accessKeyId,
    scope: { date, region, service },
    signedHeaders: signed.split(';'),
    signature,
  };
};

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Every service except S3 signs the path encoded once more, without empty segments (AWS: "Create a
 * signed AWS API request").
 */
const canonicalPath = (path: string): string =>
  path
    .split('/')
    .map(encoded)
    .join('/')
    .replace(/\/{2,}/g, '/') || '/';

const byText = (one: string, other: string): number => Number(one > other) - Number(one < other);

const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const [name = '', ...rest] = pair.split('=');
      return { name: encoded(decoded(name)), value: encoded(decoded(rest.join('='))) };
    })
    // By name, then by value: the sign between them must not count.
    .sort((one, other) => byText(one.name, other.name) || byText(one.value, other.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');

const headerOf = ({ headers }: RequestHead, name: string): string | undefined => {
  const values = headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
  if (values.length > 0) return values.map(value => value.trim().replace(/ +/g, ' ')).join(',');
  return undefined;
};

/**
 * The text whose digest is signed (AWS: "Create a canonical request").
 *
 * @param payloadHash SHA-256 of the body, hexadecimal
 */
export const canonicalRequest = (
  request: RawRequest,
  signedHeaders: readonly string[],
  payloadHash: string,
): string => {
  const [path = '', ...query] = request.target.split('?');
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(query.join('?')),
    ...signedHeaders.map(name => `${name}:${headerOf(request, name) ?? ''}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
};

export const signedService = 'execute-api';

interface SignatureScope {
  readonly region: string;
  /** By its name in Signature Version 4: `execute-api`, `sqs`. */
  readonly service: string;
}

const toleranceMilliseconds = 5 * 60_000;

const sha256 = (data: Uint8Array | string): string =>
  createHash('sha256').update(data).digest('hex');
const hmac = (key: Uint8Array | string, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** The signature that the holder of the key would have created (AWS: "Calculate the signature"). */
const expectedSignature = (
  secret: string,
  { scope, signedHeaders }: SigV4Authorization,
  facts: { request: RawRequest; date: string; payloadHash: string },
): Buffer => {
  const { date, region, service } = scope;
  const digest = sha256(canonicalRequest(facts.request, signedHeaders, facts.payloadHash));
  const toSign = [
    'AWS4-HMAC-SHA256',
    facts.date,
    `${date}/${region}/${service}/aws4_request`,
    digest,
  ];
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, date));
  return hmac(key, toSign.join('\n'));
};

/** `20260504T090000Z` in epoch milliseconds; NaN for other texts that begin with eight digits. */
const instantOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const unsignedHeader = (
  request: RequestHead,
  signedHeaders: readonly string[],
): string | undefined =>
  [
    'host',
    ...request.headers
      .map(([name]) => name.toLowerCase())
      .filter(name => name.startsWith('x-amz-')),
  ].find(name => !signedHeaders.includes(name));

/**
 * Why a signature is refused: there is none, it cannot be read, it is too old, nobody holds its
 * key, or it is another request's.
 */
export type SignatureProblem = 'missing' | 'malformed' | 'expired' | 'unknown_key' | 'mismatch';

interface RefusedSignature {
  readonly kind: 'refused';
  readonly problem: SignatureProblem;
  readonly reason: string;
}

export type SigV4Result<Key extends SigV4Key> =
  | { readonly kind: 'verified'; readonly accessKey: Key }
  | RefusedSignature;

const refused = (problem: SignatureProblem, reason: string): RefusedSignature => ({
  kind: 'refused',
  problem,
  reason,
});

const authorizationOf = (request: RequestHead): SigV4Authorization | RefusedSignature => {
  const header = headerOf(request, 'authorization');
  if (header === undefined && /[?&]X-Amz-Signature=/i.test(request.target))
    return refused(
      'malformed',
      'Presigned addresses are not supported: sign in the Authorization header.',
    );
  if (header === undefined) return refused('missing', signatureRequired);
  return parseAuthorization(header) ?? refused('malformed', signatureRequired);
};

const problemOf = (
  request: RequestHead,
  { scope, signedHeaders }: SigV4Authorization,
  facts: SignatureScope & { now: number },
): RefusedSignature | undefined => {
  const { date, region, service } = scope;
  if (service !== facts.service)
    return refused(
      'mismatch',
      `It is signed for the service "${service}": sign for "${facts.service}".`,
    );
  if (region !== facts.region)
    return refused(
      'mismatch',
      `It is signed for the region "${region}": sign for "${facts.region}".`,
    );
  const sent = headerOf(request, 'x-amz-date') ?? '';
  const at = instantOf(sent);
  if (!sent.startsWith(date) || Number.isNaN(at))
    return refused(
      'malformed',
      'The header x-amz-date must be the time of the signature, like 20260504T090000Z.',
    );
  if (Math.abs(facts.now - at) > toleranceMilliseconds)
    return refused(
      'expired',
      'It was signed more than five minutes ago, or in the future: check the clock.',
    );
  const missing = unsignedHeader(request, signedHeaders);
  if (missing) return refused('mismatch', `The header ${missing} must be signed.`);
  return undefined;
};

/** Whether two texts are the same, in a time that does not depend on them. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(one).digest(),
    createHash('sha256').update(other).digest(),
  );

/**
 * What signatures are verified with: `now` in epoch milliseconds; `find` gives the key of an access
 * key id.
 */
interface SignatureFacts<Key extends SigV4Key> extends SignatureScope {
  readonly now: number;
  find(accessKeyId: string): Key | undefined;
}

/**
 * Verifies a signature of AWS Signature Version 4 in the Authorization header, as AWS's services
 * do, but for a tolerance of five minutes.
 */
export const verifyRequest = <Key extends SigV4Key>(
  request: RawRequest,
  facts: SignatureFacts<Key>,
): SigV4Result<Key> => {
  const authorization = authorizationOf(request);
  if ('kind' in authorization) return authorization;
  const wrong = problemOf(request, authorization, facts);
  if (wrong) return wrong;
  const accessKey = facts.find(authorization.accessKeyId);
  const token = headerOf(request, 'x-amz-security-token') ?? '';
  if (!accessKey || !isSame(token, accessKey.sessionToken ?? ''))
    return refused('unknown_key', 'The access key or its session token is unknown.');
  const payloadHash = sha256(request.body);
  if ((headerOf(request, 'x-amz-content-sha256') ?? payloadHash) !== payloadHash)
    return refused('mismatch', 'The header x-amz-content-sha256 is not the digest of the body.');
  const signed = { request, date: headerOf(request, 'x-amz-date') ?? '', payloadHash };
  const expected = expectedSignature(accessKey.secretAccessKey, authorization, signed);
  if (timingSafeEqual(expected, Buffer.from(authorization.signature, 'hex')))
    return { kind: 'verified', accessKey };
  return refused('mismatch', 'The signature does not match the request and the key.');
};
