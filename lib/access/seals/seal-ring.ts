import { limits } from '../../contract/limits.ts';
import { type Clock, type Ids, iso } from '../../contract/outside.ts';
import { type Declined, declined } from '../registry/declined.ts';
import { newSealKey, type SealKey, type SealKeys } from './seal.ts';

/** The sealing keys of an environment as they are stored: at most two. */
export interface SealRing {
  readonly version: number;
  readonly keys: SealKeys;
}

export interface SealRings {
  /** Fresh. The first key is made when it is first needed. */
  find(): Promise<SealRing>;
  /** False if the ring has been changed since version `ring.version - 1`. */
  replace(ring: SealRing): Promise<boolean>;
}

const milliseconds = (seconds: number): number => seconds * 1000;

/** Epoch milliseconds: then every process has read the ring that a key was added to. */
const knownFrom = (now: number): number =>
  now + milliseconds(2 * limits.sealCacheSeconds + limits.clockLeewaySeconds);

/**
 * Epoch milliseconds: nobody needs what the key before this one sealed, not even to repeat an ack.
 */
export const soleFrom = ({ sealsFrom }: SealKey): number =>
  sealsFrom + milliseconds(limits.pullVisibilitySeconds.max + limits.receiptsKeptSeconds);

/** What a rotation makes of a ring; declined while both keys are needed. */
export const rotated = (
  { version, keys }: SealRing,
  { key, now }: { key: SealKey; now: number },
): SealRing | Declined => {
  const [newest, older] = keys;
  const until = soleFrom(newest);
  if (older && now < until)
    return declined(
      `What the key ${older.id} sealed is valid until ${iso(until)}: ` +
        'rotate after that, or with --now.',
    );
  return { version: version + 1, keys: [key, newest] };
};

interface SealPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sealRings: SealRings;
}

const written = async ({ sealRings }: SealPorts, ring: SealRing): Promise<SealRing | Declined> => {
  if (await sealRings.replace(ring)) return ring;
  return declined(
    'Someone else rotated the sealing key at the same time: list the keys, then try again.',
  );
};

/**
 * Adds a key, which seals as soon as everybody knows it. What the key before it sealed still opens.
 */
export const rotateSeals = async (ports: SealPorts): Promise<SealRing | Declined> => {
  const now = ports.clock.now();
  const key = newSealKey(ports.ids, knownFrom(now));
  const ring = rotated(await ports.sealRings.find(), { key, now });
  if ('kind' in ring) return ring;
  return written(ports, ring);
};

/** For a key that someone else may seal with: nothing that was sealed before opens any more. */
export const replaceSeals = async (ports: SealPorts): Promise<SealRing | Declined> => {
  const { version } = await ports.sealRings.find();
  const key = newSealKey(ports.ids, ports.clock.now());
  return written(ports, { version: version + 1, keys: [key] });
};
