/** A compact JWS (RFC 7515 section 7.1), taken apart; nothing in it is verified yet. */
export interface CompactJws {
  readonly header: unknown;
  readonly payload: unknown;
  /** The ASCII bytes that were signed. */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Header and claims as the bytes to sign, without the signature. */
export const signingInput = (header: object, claims: object): string => `${encode(header)}.${encode(claims)}`;

/** base64url without padding, in its one canonical spelling; undefined for any other text. */
const decode = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
};

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
};

const longest = 8192;

/** Undefined when the text is not a compact JWS in canonical base64url, or is over 8 KiB. */
export const parseCompactJws = (token: string): CompactJws | undefined => {
  if (token.length > longest) return undefined;
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return undefined;
  const parts = [header, payload, signature].map(decode);
  const [headerBytes, payloadBytes, signatureBytes] = parts;
  if (!headerBytes || !payloadBytes || !signatureBytes) return undefined;
  return {
    header: parseJson(headerBytes),
    payload: parseJson(payloadBytes),
    signingInput: Buffer.from(`${header}.${payload}`, 'latin1'),
    signature: signatureBytes,
  };
};
