import { type Sealer, type SealKey, type Seals, sealerOf } from '../../../lib/access/seals/seal.ts';

/** A key that is as good as any other. */
export const sealKey = (id: string, sealsFrom = 0): SealKey => ({
  id,
  secret: Buffer.alloc(32, id),
  sealsFrom,
});

/** What seals with one key that never changes. */
export const sealer: Sealer = sealerOf([sealKey('key1')], 0);

export const sealsInMemory: Seals = { sealer: async () => sealer };
