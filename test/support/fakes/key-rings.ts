import { firstRing, type KeyRing, type KeyRings, type RingKey } from '../../../lib/tokens/key-ring.ts';

const keyNamed = (name: string): Pick<RingKey, 'kid' | 'keyId' | 'jwk'> => ({
  kid: `kid-of-${name}`,
  keyId: name,
  jwk: { kty: 'EC', crv: 'P-256', x: name, y: name },
});

/** The ring of a token service whose first key is called `first`. */
export const keyRingsInMemory = () => {
  let ring: KeyRing = firstRing(keyNamed('first'));
  let made = 0;
  const disabled: string[] = [];
  const port: KeyRings = {
    find: async () => ring,
    async replace(next) {
      if (next.version !== ring.version + 1) return false;
      ring = next;
      return true;
    },
    async create() {
      made += 1;
      return keyNamed(`key-${made}`);
    },
    disable: async keyId => void disabled.push(keyId),
  };
  return { port, disabled };
};
