import type { KMSClient } from '@aws-sdk/client-kms';
import { limits } from '../../contract/limits.ts';
import { firstRing, published, type RingKey } from '../../domain/token/key-ring.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Signer } from '../../ports/signer.ts';
import { readKeyRing } from './key-ring-item.ts';
import { kmsKey, signWithKms } from './kms-keys.ts';
import type { Table } from './table.ts';

/** Where the token service's keys are. */
export interface KeyHome {
  readonly kms: KMSClient;
  /** Holds the ring. */
  readonly table: Table;
  /** The key that the deployment made: it signs until the first rotation. */
  readonly firstKey: string;
}

type Published = readonly [RingKey, ...RingKey[]];

/** The token service's keys: the ring in the registry says which key of KMS signs. */
export const awsSigner = ({ kms, table, firstKey }: KeyHome, clock: Clock): Signer => {
  let known: { readonly version: number; readonly keys: Published; readonly until: number } | undefined;

  const latest = async (): Promise<{ readonly version: number; readonly keys: Published }> => {
    const stored = await readKeyRing(table);
    if (known && known.version === (stored?.version ?? 0)) return known;
    const ring = stored ?? firstRing(await kmsKey(kms, firstKey));
    const [first, ...rest] = published(ring);
    if (!first) throw new Error('The stored key ring has no key.');
    return { version: ring.version, keys: [first, ...rest] };
  };

  const refresh = async (): Promise<Published> => {
    const until = clock.now() + limits.registryCacheSeconds * 1000;
    const { version, keys } = await latest();
    known = { version, keys, until };
    return keys;
  };

  const keys = async (): Promise<Published> => (known && clock.now() < known.until ? known.keys : refresh());

  return {
    keys,
    async sign(kid, input) {
      const key = (await keys()).find(candidate => candidate.kid === kid);
      if (!key) throw new Error(`The key ${kid} left the ring while it was to sign.`);
      return signWithKms(kms, key.keyId, input);
    },
  };
};
