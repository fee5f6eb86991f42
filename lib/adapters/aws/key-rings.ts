import { firstRing } from '../../domain/token/key-ring.ts';
import type { KeyRings } from '../../ports/operator/key-rings.ts';
import { readKeyRing, writeKeyRing } from './key-ring-item.ts';
import { createKmsKey, disableKmsKey, kmsKey } from './kms-keys.ts';
import type { KeyHome } from './signer.ts';

/** The operator's view of the token service's keys: the ring in the registry, the keys in KMS. */
export const awsKeyRings = ({ kms, table, firstKey }: KeyHome, environment: string): KeyRings => ({
  find: async () => (await readKeyRing(table)) ?? firstRing(await kmsKey(kms, firstKey)),
  replace: ring => writeKeyRing(table, ring),
  create: () => createKmsKey(kms, environment),
  disable: keyId => disableKmsKey(kms, keyId),
});
