import type { APIGatewayProxyEvent } from 'aws-lambda';
import { defined } from '../../contract/outside.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import type { Caller } from '../../contract/route.ts';

/**
 * Why ids and parameters are not read: they become keys of tables, and nothing that exists has
 * longer ones.
 */
export const tooLong = (
  entries: readonly (readonly [name: string, value: unknown])[],
  max: number,
  unit: 'bytes' | 'characters' = 'characters',
): string | undefined => {
  const sizeOf = (text: string) => (unit === 'bytes' ? Buffer.byteLength(text) : text.length);
  const [name] = entries.find(([, value]) => sizeOf(String(value)) > max) ?? [];
  if (name === undefined) return undefined;
  return `"${name}" is longer than ${max} ${unit}.`;
};

export interface HttpRequest {
  readonly requestId: string;
  /** GET for a HEAD request, too. */
  readonly method?: string;
  readonly isHead?: true;
  /**
   * Names in lower case; the values of a repeated header are joined in order (RFC 9110 section
   * 5.3).
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** If a name is repeated, the last value. */
  readonly query: Readonly<Record<string, string>>;
  /** Names that occur more than once in the query. */
  readonly repeated?: readonly string[];
  /** The exact bytes that were sent. */
  readonly body: Uint8Array;
  /** The caller that the authoriser identified; undefined on open routes. */
  readonly caller?: Caller;
  /**
   * The ARN of the request's signer, verified by the platform; undefined if the request is not
   * signed.
   */
  readonly signer?: string;
  /**
   * Aborted when the client is gone. Only a gateway in this process knows: API Gateway does not
   * tell a function.
   */
  readonly gone?: AbortSignal;
}

const present = <V>(
  record: Readonly<Record<string, V | undefined>> | null | undefined,
): [string, V][] =>
  Object.entries(record ?? {}).filter((entry): entry is [string, V] => entry[1] !== undefined);

export interface EventHeaders {
  readonly headers: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null;
}

/**
 * The headers of an event by their names in lower case, each with all its values. `headers` of an
 * event keeps one of several values, and not every component picks the same one: no decision may
 * depend on it if there are several.
 */
export const headerValues = ({
  headers,
  multiValueHeaders,
}: EventHeaders): ReadonlyMap<string, string[]> => {
  const single = present(headers).map(([name, value]): [string, string[]] => [name, [value]]);
  const several = present(multiValueHeaders);
  const found = new Map<string, string[]>();
  for (const [name, values] of several.length > 0 ? several : single) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), ...values]);
  }
  return found;
};

const joined = (headers: ReadonlyMap<string, string[]>): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, values]) => [name, values.join(', ')]));

const callerOf = (
  authorizer: APIGatewayProxyEvent['requestContext']['authorizer'],
): Caller | undefined => {
  const { connection, workspace } = authorizer ?? {};
  if (typeof connection === 'string' && typeof workspace === 'string')
    return { connection, workspace };
  return undefined;
};

/**
 * What a gateway in this process hands over with an event: AWS's events are JSON, and cannot carry
 * it.
 */
export interface InProcess {
  /** Aborted when the client closes its connection before the response. */
  readonly gone?: AbortSignal;
  /** The body, which the event then has not: base64 would take longer than reading it. */
  readonly bytes?: Buffer;
}

/**
 * An event without its caller if that one's token has ended since the gateway asked for it: the
 * gateway's cache does not know when a token ends.
 *
 * @param now epoch milliseconds
 */
export const withoutEndedCaller = <E extends APIGatewayProxyEvent>(event: E, now: number): E => {
  const { requestContext } = event;
  // API Gateway hands the number over as text.
  const validUntil: unknown = requestContext.authorizer?.['validUntil'];
  if (validUntil === undefined || now / 1000 < Number(validUntil)) return event;
  return { ...event, requestContext: { ...requestContext, authorizer: null } };
};

const bodyOf = ({ bytes, body, isBase64Encoded }: APIGatewayProxyEvent & InProcess): Buffer => {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
};

/** The request in a proxy event (AWS: "Lambda proxy integrations in API Gateway", format 1.0). */
export const httpRequest = (event: APIGatewayProxyEvent & InProcess): HttpRequest => {
  const { requestId, identity, authorizer } = event.requestContext;
  const several = present(event.multiValueQueryStringParameters);
  const repeated = several.filter(([, values]) => values.length > 1);
  const isHead = event.httpMethod === 'HEAD';
  return {
    requestId,
    method: isHead ? 'GET' : event.httpMethod,
    ...(isHead && { isHead }),
    headers: joined(headerValues(event)),
    pathParameters: Object.fromEntries(present(event.pathParameters)),
    query: Object.fromEntries(present(event.queryStringParameters)),
    repeated: repeated.map(([name]) => name),
    body: bodyOf(event),
    ...defined({ caller: callerOf(authorizer), signer: identity?.userArn || undefined }),
    ...(event.gone instanceof AbortSignal && { gone: event.gone }),
  };
};

/** The type and subtype of a Content-Type header, in lower case, without its parameters. */
export const mediaType = (contentType: string | undefined): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * How much a request wants a media type: the q of the most specific range that it is in; 0 if it is
 * in none.
 */
const weightOf = (type: string, ranges: readonly string[]): number => {
  const [main = ''] = type.split('/');
  for (const wanted of [type, `${main}/*`, '*/*']) {
    const range = ranges.find(one => mediaType(one) === wanted);
    if (range !== undefined) return Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
  }
  return 0;
};

/**
 * The type that an Accept header wants most (RFC 9110 section 12.5.1); of equals, the first that is
 * offered. If it wants none of them, the first: a response in another form is of more use than
 * none.
 */
export const preferredType = (
  accept: string | undefined,
  [first, ...others]: readonly [string, ...string[]],
): string => {
  const ranges = (accept ?? '*/*').split(',');
  let best = first;
  for (const type of others) {
    if (weightOf(type, ranges) > weightOf(best, ranges)) best = type;
  }
  return best;
};

/**
 * Whether a browser accepts brotli (RFC 9110 section 12.5.3); no browser sends it with a weight
 * of 0.
 */
export const takesBrotli = (acceptEncoding: string | undefined): boolean =>
  /\bbr\b/.test(acceptEncoding ?? '');

const traceparentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The trace that a request belongs to, as its `traceparent` header names it (W3C Trace Context,
 * version 00). Undefined for anything else, several headers too: who reads the header must ignore
 * what is not exactly one.
 */
export const traceparentOf = ({ headers }: Pick<HttpRequest, 'headers'>): string | undefined =>
  traceparentForm.exec(headers['traceparent'] ?? '')?.[0];

/** A browser that goes to an address, not a program that calls one. */
export const isNavigation = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  (headers['accept'] ?? '').includes('text/html');

/**
 * Whether an If-None-Match header names an entity tag, compared weakly (RFC 9110 section 13.1.2).
 */
export const matchesEtag = (ifNoneMatch = '', etag: string): boolean => {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)];
  return tags.some(([, opaque]) => opaque === etag);
};

/**
 * Why a body is not read: the request does not declare it as JSON, or as compressed; undefined if
 * it may be read.
 */
export const unreadableJson = ({ headers }: Pick<HttpRequest, 'headers'>): Refusal | undefined => {
  const type = mediaType(headers['content-type']);
  if (type !== 'application/json') {
    const found =
      type === '' ? 'There is no Content-Type' : `The Content-Type is ${type.slice(0, 80)}`;
    return refuse('message.unsupported_media_type', `${found}; send application/json.`);
  }
  const coding = headers['content-encoding']?.trim() ?? '';
  if (coding === '' || coding.toLowerCase() === 'identity') return undefined;
  const words = `The body is compressed (Content-Encoding: ${coding.slice(0, 40)}); send it uncompressed.`;
  return refuse('message.unsupported_media_type', words);
};
