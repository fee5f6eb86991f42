/** A compact JWS (RFC 7515 section 7.1), taken apart; nothing in it is verified yet. */
export interface CompactJws {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** The ASCII bytes that were signed. */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

/** A JSON value as a part of a JWS: the one spelling that this service writes. */
export const encodePart = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** Header and claims as the text to sign, without the signature. */
export const signingInput = (header: object, claims: object): string =>
  `${encodePart(header)}.${encodePart(claims)}`;

/** base64url without padding, in its one canonical spelling; undefined for any other text. */
export const decodePart = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
};

/** The most characters a token may have. */
const longestToken = 8192;

/** The three parts of a token's text; undefined when it has another number of parts, or is over 8 KiB. */
export const partsOf = (token: string): readonly [string, string, string] | undefined => {
  if (token.length > longestToken) return undefined;
  const [header, payload, signature, ...rest] = token.split('.');
  return header === undefined || payload === undefined || signature === undefined || rest.length > 0
    ? undefined
    : [header, payload, signature];
};

/** Undefined when the text is not a compact JWS in canonical base64url, or is over 8 KiB. */
export const parseCompactJws = (token: string): CompactJws | undefined => {
  const [header, payload, signature] = partsOf(token)?.map(decodePart) ?? [];
  if (!header || !payload || !signature) return undefined;
  const signed = token.slice(0, token.lastIndexOf('.'));
  return { header, payload, signature, signingInput: Buffer.from(signed, 'latin1') };
};
