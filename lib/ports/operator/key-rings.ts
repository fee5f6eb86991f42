import type { KeyRing, RingKey } from '../../domain/token/key-ring.ts';

/** The ring of the token service's keys, as the operator changes it. Reads are fresh. */
export interface KeyRings {
  find(): Promise<KeyRing>;
  /** False when somebody else changed the ring since version `ring.version - 1`. */
  replace(ring: KeyRing): Promise<boolean>;
  /** Makes a key that nobody knows yet. */
  create(): Promise<Pick<RingKey, 'kid' | 'keyId' | 'jwk'>>;
  /** Ends a key for good. */
  disable(keyId: string): Promise<void>;
}
