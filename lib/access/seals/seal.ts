import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Ids } from '../../contract/outside.ts';

/*
 * What a client keeps for the bus and hands back, such as the facts in a receipt handle or a
 * position in a list: sealed, so that nobody else can make or change it, and it tells nothing.
 * AES-256-GCM (NIST SP 800-38D) with a key for each context, derived by HMAC-SHA-512 from the
 * environment's. The nonce is derived from the content (as in RFC 8452), so that the same content
 * in the same context is the same text, and no nonce ever serves two contents.
 */

/** What a text is sealed for, and what it belongs to: in any other context it does not open. */
export interface SealContext {
  readonly purpose: 'receipt' | 'position';
  readonly of: readonly string[];
}

export interface Sealer {
  /**
   * A text of `A-Za-z0-9_-`: the content takes four characters for three bytes, and the seal 42.
   */
  seal(context: SealContext, content: string): string;
  /**
   * The content; undefined if this environment did not seal it in this context, or the key is gone.
   */
  open(context: SealContext, text: string): string | undefined;
}

/**
 * The sealing key of an environment. Whoever changes it waits until everybody can open what the new
 * one seals.
 */
export interface Seals {
  sealer(): Promise<Sealer>;
}

export interface SealKey {
  /** Four characters of `A-Za-z0-9_-`, which every sealed text begins with. */
  readonly id: string;
  /** 32 random bytes. */
  readonly secret: Uint8Array;
  /** Epoch milliseconds: until then the key before it seals. */
  readonly sealsFrom: number;
}

/** A new key. @param sealsFrom epoch milliseconds */
export const newSealKey = ({ random }: Ids, sealsFrom: number): SealKey => ({
  id: Buffer.from(random(3)).toString('base64url'),
  secret: random(32),
  sealsFrom,
});

/** The newest key first. Texts of all of them open. */
export type SealKeys = readonly [SealKey, ...SealKey[]];

const idCharacters = 4;
const nonceBytes = 12;
const tagBytes = 16;
const cipherKeyBytes = 32;

const keysIn = (context: SealContext, { secret }: SealKey) => {
  const derived = createHmac('sha512', secret)
    .update(JSON.stringify([context.purpose, ...context.of]))
    .digest();
  return {
    cipherKey: derived.subarray(0, cipherKeyBytes),
    nonceKey: derived.subarray(cipherKeyBytes),
  };
};

const sealWith = (key: SealKey, context: SealContext, content: string): string => {
  const { cipherKey, nonceKey } = keysIn(context, key);
  const nonce = createHmac('sha256', nonceKey).update(content).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce);
  const sealed = [nonce, cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return key.id + Buffer.concat(sealed).toString('base64url');
};

const openWith = (key: SealKey, context: SealContext, body: string): string | undefined => {
  const bytes = Buffer.from(body, 'base64url');
  // Base64url has several texts for the same bytes: only the one that was sealed opens.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== body)
    return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const { cipherKey } = keysIn(context, key);
  const decipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const content = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return content.toString('utf8');
};

/**
 * Seals with the newest key whose time has come, and opens with all.
 *
 * @param now epoch milliseconds
 */
export const sealerOf = (keys: SealKeys, now: number): Sealer => {
  const sealing = keys.find(({ sealsFrom }) => sealsFrom <= now) ?? keys[0];
  return {
    seal: (context, content) => sealWith(sealing, context, content),
    open(context, text) {
      const id = text.slice(0, idCharacters);
      const key = keys.find(one => one.id === id);
      return key && openWith(key, context, text.slice(idCharacters));
    },
  };
};
