import { type Declined, declined } from '../../access/registry/declined.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, iso } from '../../contract/outside.ts';

/**
 * `next` is published and does not sign yet; `previous` signs no more and is published for the
 * tokens it signed.
 */
export type KeyState = 'next' | 'active' | 'previous';

export interface ServiceKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly keyId: string;
  readonly jwk: {
    readonly kty: 'EC';
    readonly crv: 'P-256';
    readonly x: string;
    readonly y: string;
  };
}

export interface RingKey extends ServiceKey {
  readonly state: KeyState;
  /** Epoch milliseconds: since when it is in the published key set. */
  readonly publishedAt: number;
  /** Epoch milliseconds: since when another key signs. */
  readonly supersededAt?: number;
}

/**
 * The keys whose tokens verify: exactly one is active, at most one is next and at most one
 * previous.
 */
export interface KeyRing {
  readonly version: number;
  readonly keys: readonly RingKey[];
}

export type RingChange = { readonly kind: 'changed'; readonly ring: KeyRing } | Declined;

const changed = ({ version }: KeyRing, keys: readonly RingKey[]): RingChange => ({
  kind: 'changed',
  ring: { version: version + 1, keys },
});

const inState = ({ keys }: KeyRing, state: KeyState): RingKey | undefined =>
  keys.find(key => key.state === state);

const keyOf = ({ keys }: KeyRing, kid: string): RingKey | undefined =>
  keys.find(key => key.kid === kid);

/**
 * Epoch milliseconds from which a published key may sign: by then every cached key set contains it.
 */
export const signsFrom = ({ publishedAt }: RingKey): number =>
  publishedAt + limits.keyPublishedSeconds * 1000;

const { registryCacheSeconds, accessTokenSeconds, clockLeewaySeconds } = limits;
const longestUseSeconds = registryCacheSeconds + accessTokenSeconds + clockLeewaySeconds;

/**
 * Epoch milliseconds: the last token was signed by a process that still remembered the old ring.
 */
export const idleFrom = ({ supersededAt = Number.POSITIVE_INFINITY }: RingKey): number =>
  supersededAt + 1000 * longestUseSeconds;

export const firstRing = (key: ServiceKey): KeyRing => ({
  version: 0,
  keys: [{ ...key, state: 'active', publishedAt: 0 }],
});

export const published = (ring: KeyRing): readonly RingKey[] =>
  (['active', 'next', 'previous'] as const).flatMap(state => inState(ring, state) ?? []);

/** The ring of a service whose only key is gone from the key service: no token can be issued. */
export const emptyRing: KeyRing = { version: 0, keys: [] };

const noRoom = (ring: KeyRing): Declined | undefined => {
  const next = inState(ring, 'next');
  if (!next) return undefined;
  return declined(`The key ${next.kid} is waiting already: activate it, or retire it first.`);
};

/** Publishes a key that is to sign later; the first key of an empty ring signs at once. */
export const addKey = (ring: KeyRing, key: ServiceKey, now: number): RingChange => {
  const state = inState(ring, 'active') ? 'next' : 'active';
  return noRoom(ring) ?? changed(ring, [...ring.keys, { ...key, state, publishedAt: now }]);
};

const noKey = ({ keys }: KeyRing, kid = ''): Declined => {
  if (keys.length === 0) return declined('There is no key: add one.');
  const known = keys.map(key => `${key.kid} (${key.state})`).join(', ');
  return declined(`There is no key ${kid}, only ${known}.`);
};

export const activateKey = (ring: KeyRing, kid: string, now: number): RingChange => {
  const key = keyOf(ring, kid);
  if (!key) return noKey(ring, kid);
  if (key.state === 'active') return declined(`The key ${kid} signs already.`);
  if (key.state === 'previous') return declined(`The key ${kid} was superseded: add a new key.`);
  if (now < signsFrom(key))
    return declined(
      `The key ${kid} must be published for ${limits.keyPublishedSeconds / 60} minutes before ` +
        `it signs: activate it after ${iso(signsFrom(key))}.`,
    );
  const previous = inState(ring, 'previous');
  if (previous)
    return declined(`The previous key ${previous.kid} is still published: retire it first.`);

  const keys = ring.keys.map((entry): RingKey => {
    if (entry === key) return { ...key, state: 'active' };
    return { ...entry, state: 'previous', supersededAt: now };
  });
  return changed(ring, keys);
};

export const retireKey = (ring: KeyRing, kid: string, now: number): RingChange => {
  const key = keyOf(ring, kid);
  if (!key) return noKey(ring, kid);
  if (key.state === 'active')
    return declined(`The key ${kid} signs: add and activate another one before you retire it.`);
  if (key.state === 'previous' && now < idleFrom(key))
    return declined(
      `Tokens that the key ${kid} signed are valid until ${iso(idleFrom(key))}: retire it after that.`,
    );
  const left = ring.keys.filter(entry => entry !== key);
  return changed(ring, left);
};

/**
 * For a key that someone else may sign with.
 *
 * @param made signs from now on, if the key signs and none is waiting
 */
export const retireKeyNow = (
  ring: KeyRing,
  kid: string,
  { made, now }: { made?: ServiceKey; now: number },
): RingChange => {
  const key = keyOf(ring, kid);
  if (!key) return noKey(ring, kid);
  const left = ring.keys.filter(entry => entry !== key);
  if (key.state !== 'active') return changed(ring, left);

  const next = inState(ring, 'next');
  if (next) {
    const signer: RingKey = { ...next, state: 'active' };
    return changed(
      ring,
      left.map(entry => (entry === next ? signer : entry)),
    );
  }
  if (!made) return declined(`The key ${kid} signs, and no other key is there to sign.`);
  return changed(ring, [...left, { ...made, state: 'active', publishedAt: now }]);
};

export interface KeyRings {
  find(): Promise<KeyRing>;
  /** False if the ring has been changed since version `ring.version - 1`. */
  replace(ring: KeyRing): Promise<boolean>;
  create(): Promise<ServiceKey>;
  /** The key that the deployment made; undefined if it is gone. */
  first(): Promise<ServiceKey | undefined>;
  /** One that no longer exists is ended already. */
  disable(keyId: string): Promise<void>;
}

export type SigningKey = Omit<ServiceKey, 'keyId'>;

/** The token service's keys; the set may be up to `limits.registryCacheSeconds` old. */
export interface Signer {
  /**
   * The keys whose tokens verify, the signing one first. The same array as long as they are the
   * same.
   */
  keys(): Promise<readonly [SigningKey, ...SigningKey[]]>;
  /**
   * ES256 over `input` with one of the keys: r ‖ s, 64 bytes (RFC 7518 section 3.4), with a low s.
   */
  sign(kid: string, input: Uint8Array): Promise<Uint8Array>;
}

export interface KeyPorts {
  readonly clock: Clock;
  readonly keyRings: KeyRings;
}

export interface RingWritten {
  readonly kind: 'written';
  readonly ring: KeyRing;
}

const write = async (
  { keyRings }: KeyPorts,
  change: RingChange,
): Promise<RingWritten | Declined> => {
  if (change.kind === 'declined') return change;
  if (await keyRings.replace(change.ring)) return { kind: 'written', ring: change.ring };
  return declined('Someone else changed the keys at the same time: list them, then try again.');
};

/**
 * With it, tokens verify without the key service, also when the first key is disabled. A stored
 * ring stays.
 */
export const storeFirstRing = async (ports: KeyPorts): Promise<RingWritten | Declined> => {
  const ring = await ports.keyRings.find();
  if (ring.version > 0) return { kind: 'written', ring };
  if (ring.keys.length === 0) return noKey(ring);
  return write(ports, changed(ring, ring.keys));
};

/**
 * In another region than the ring was written in, none of its keys can sign: the key of the
 * deployment there takes their place, and every token ends.
 *
 * @param isHere whether a key is one of this account and region, by its ARN
 */
export const replaceLostKeys = async (
  { keyRings, clock }: KeyPorts,
  isHere: (keyId: string) => boolean,
): Promise<RingWritten | 'unchanged' | Declined> => {
  const ring = await keyRings.find();
  if (ring.version === 0 || ring.keys.some(({ keyId }) => isHere(keyId))) return 'unchanged';
  const first = await keyRings.first();
  if (!first) return declined('There is no signing key in this account and region: deploy first.');
  const keys = [{ ...first, state: 'active', publishedAt: clock.now() }] as const;
  return write({ keyRings, clock }, changed(ring, keys));
};

export const publishNewKey = async (ports: KeyPorts): Promise<RingWritten | Declined> => {
  const ring = await ports.keyRings.find();
  const full = noRoom(ring);
  if (full) return full;
  const key = await ports.keyRings.create();
  const written = await write(ports, addKey(ring, key, ports.clock.now()));
  if (written.kind === 'declined') await ports.keyRings.disable(key.keyId);
  return written;
};

export const activateWaitingKey = async (
  ports: KeyPorts,
  kid: string,
): Promise<RingWritten | Declined> =>
  write(ports, activateKey(await ports.keyRings.find(), kid, ports.clock.now()));

const retire = async (
  ports: KeyPorts,
  { ring, kid }: { ring: KeyRing; kid: string },
  change: RingChange,
): Promise<RingWritten | Declined> => {
  const written = await write(ports, change);
  const key = keyOf(ring, kid);
  if (written.kind === 'written' && key) await ports.keyRings.disable(key.keyId);
  return written;
};

export const retireIdleKey = async (
  ports: KeyPorts,
  kid: string,
): Promise<RingWritten | Declined> => {
  const ring = await ports.keyRings.find();
  return retire(ports, { ring, kid }, retireKey(ring, kid, ports.clock.now()));
};

/** Each token of the key is refused when every function has read the ring again. */
export const retireStolenKey = async (
  ports: KeyPorts,
  kid: string,
): Promise<RingWritten | Declined> => {
  const { keyRings, clock } = ports;
  const ring = await keyRings.find();
  const isSoleSigner = inState(ring, 'active')?.kid === kid && !inState(ring, 'next');
  const made = isSoleSigner ? await keyRings.create() : undefined;
  const change = retireKeyNow(ring, kid, { ...(made && { made }), now: clock.now() });
  const retired = await retire(ports, { ring, kid }, change);
  if (made && retired.kind === 'declined') await keyRings.disable(made.keyId);
  return retired;
};
