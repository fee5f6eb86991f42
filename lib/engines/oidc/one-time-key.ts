import { createHmac, timingSafeEqual } from 'node:crypto';

/** Lets one person of this machine sign in once. */
export interface OneTimeKey {
  readonly name: string;
  /** Epoch milliseconds: also what makes the keys of one person different. */
  readonly until: number;
}

/** 128 bits. */
const signatureBytes = 16;

const signature = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret).update(`sombus one-time key\n${payload}`).digest().subarray(0, signatureBytes);

/** The text of a key: whoever holds the secret can make one, and the issuer needs to hear of it only when it is used. */
export const writeOneTimeKey = (secret: string, { name, until }: OneTimeKey): string => {
  const payload = `${name}.${until.toString(36)}`;
  return `${payload}.${signature(secret, payload).toString('base64url')}`;
};

/** The key in a text; undefined if it was not made with the secret, or is too old. Whether it was used is not checked. */
export const readOneTimeKey = (secret: string, text: string, now: number): OneTimeKey | undefined => {
  const [, name, ends, given] = /^([a-z0-9._-]{1,64})\.([0-9a-z]{1,9})\.([\w-]{22})$/.exec(text) ?? [];
  if (name === undefined || ends === undefined || given === undefined) return undefined;
  const [expected, actual] = [signature(secret, `${name}.${ends}`), Buffer.from(given, 'base64url')];
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const until = Number.parseInt(ends, 36);
  return until > now ? { name, until } : undefined;
};

/** The client secret in a Basic header of a client (RFC 6749 section 2.3.1); undefined if there is none. */
export const basicClient = (header: string | undefined): { id: string; secret: string } | undefined => {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    return undefined;
  }
};
