import type { Clock } from '../contract/outside.ts';
import { type Declined, declined } from '../registry/operator.ts';
import {
  activateKey,
  addKey,
  type KeyRing,
  type KeyRings,
  type RingChange,
  type RingKey,
  retireKey,
} from './key-ring.ts';

/** What the key commands work with. */
export interface KeyPorts {
  readonly clock: Clock;
  readonly keyRings: KeyRings;
}

/** The ring after a change that was written. */
export interface RingWritten {
  readonly kind: 'written';
  readonly ring: KeyRing;
}

const write = async ({ keyRings }: KeyPorts, change: RingChange): Promise<RingWritten | Declined> => {
  if (change.kind === 'declined') return change;
  return (await keyRings.replace(change.ring))
    ? { kind: 'written', ring: change.ring }
    : declined('The keys were changed by somebody else at the same time: list them, then try again.');
};

/** Makes a key and publishes it: it may sign ten minutes later. */
export const publishNewKey = async (ports: KeyPorts): Promise<RingWritten | Declined> => {
  const ring = await ports.keyRings.find();
  const allowed = addKey(ring, placeholder, ports.clock.now());
  if (allowed.kind === 'declined') return allowed;
  const key = await ports.keyRings.create();
  const written = await write(ports, addKey(ring, key, ports.clock.now()));
  if (written.kind === 'declined') await ports.keyRings.disable(key.keyId);
  return written;
};

/** Stands for the new key while it is asked whether there may be one: nothing is made in vain. */
const placeholder: Pick<RingKey, 'kid' | 'keyId' | 'jwk'> = {
  kid: '',
  keyId: '',
  jwk: { kty: 'EC', crv: 'P-256', x: '', y: '' },
};

/** Makes the waiting key sign. */
export const activateWaitingKey = async (ports: KeyPorts, kid: string): Promise<RingWritten | Declined> =>
  write(ports, activateKey(await ports.keyRings.find(), kid, ports.clock.now()));

/** Takes a key out of the published set, and ends it in the key service. */
export const retireIdleKey = async (ports: KeyPorts, kid: string): Promise<RingWritten | Declined> => {
  const ring = await ports.keyRings.find();
  const written = await write(ports, retireKey(ring, kid, ports.clock.now()));
  const key = ring.keys.find(entry => entry.kid === kid);
  if (written.kind === 'written' && key) await ports.keyRings.disable(key.keyId);
  return written;
};
