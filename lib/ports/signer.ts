import type { RingKey } from '../domain/token/key-ring.ts';

/** A public key whose tokens verify. */
export type SigningKey = Pick<RingKey, 'kid' | 'jwk'>;

/** The token service's keys; the set may be up to `limits.registryCacheSeconds` old. */
export interface Signer {
  /** The keys whose tokens verify, the signing one first. The same array as long as they are the same. */
  keys(): Promise<readonly [SigningKey, ...SigningKey[]]>;
  /** ES256 over `input` with one of the keys: r ‖ s, 64 bytes (RFC 7518 section 3.4). */
  sign(kid: string, input: Uint8Array): Promise<Uint8Array>;
}
