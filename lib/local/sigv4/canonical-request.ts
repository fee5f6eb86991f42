/** A request as it arrived: nothing decoded, nothing rearranged. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** In the order they came; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

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

/** Every service but S3 signs the path as it is sent, encoded once more. */
const canonicalPath = (path: string): string => path.split('/').map(encoded).join('/') || '/';

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const [name = '', ...rest] = pair.split('=');
      return `${encoded(decoded(name))}=${encoded(decoded(rest.join('=')))}`;
    })
    .sort(byText)
    .join('&');

/** The values of a header, joined; undefined when the request has none of this name. */
export const headerOf = ({ headers }: RawRequest, name: string): string | undefined => {
  const values = headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
  return values.length > 0 ? values.map(value => value.trim().replace(/ +/g, ' ')).join(',') : undefined;
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
