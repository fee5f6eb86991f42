import { sign } from 'node:crypto';
import type {
  Connection,
  Credential,
  Credentials,
  SecretUse,
} from '../../lib/access/registry/connection.ts';
import type { Registry } from '../../lib/access/registry/registry.ts';
import type { Recorder } from '../../lib/bus/activity/records.ts';
import type { KeySets } from '../../lib/bus/tokens/foreign-token.ts';
import type { TokenRequests } from '../../lib/bus/tokens/issue-token.ts';
import { withLowS } from '../../lib/bus/tokens/jws.ts';
import type { Signer, SigningKey } from '../../lib/bus/tokens/key-ring.ts';
import type { Clock, Ids } from '../../lib/contract/outside.ts';
import type { JsonObject } from '../../lib/platform/json/value.ts';
import { connection, now, privateKey, signingKey } from '../bus/tokens/tokens.ts';
import { registryOver } from './fakes/registry.ts';

/** A clock that moves when it is told to. */
export const frozenClock = (at = now) => {
  let time = at;
  return {
    now: () => time,
    sleep: async (milliseconds: number) => {
      time += milliseconds;
    },
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  } satisfies Clock & { advance(milliseconds: number): void };
};

export const countingIds = (): Ids => {
  let count = 0;
  return {
    random: bytes => {
      count += 1;
      return new Uint8Array(bytes).fill(count);
    },
  };
};

/** A registry of some connections and nothing else. */
export const registryOf = (connections: ReadonlyMap<string, Connection>): Registry =>
  registryOver({ connections: () => [...connections.values()] });

/** Identity providers that publish these keys. */
export const keySetsOf = (keys: readonly JsonObject[] = []): KeySets => ({
  keysOf: async () => keys,
});

export const signerOf = (
  keys: readonly [SigningKey, ...SigningKey[]] = [signingKey],
  key = privateKey,
): Signer => ({
  keys: async () => keys,
  sign: async (_kid, input) => withLowS(sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' })),
});

/** Credentials in memory, and the uses of secrets that were noted. */
export const credentialsOf = (
  ...entries: readonly { readonly connection: Connection; readonly credential: Credential }[]
): Credentials & { readonly uses: SecretUse[] } => {
  const uses: SecretUse[] = [];
  return {
    uses,
    find: async id => entries.find(entry => entry.connection.id === id),
    noteUse: async (_id, use) => void uses.push(use),
  };
};

/** Token requests that nobody counts. */
export const uncounted: TokenRequests = { count: async () => undefined };

/** A recorder of nothing. */
export const unrecorded: Pick<Recorder, 'record'> = { record: async () => undefined };

export const oneConnection = (changes: Partial<Connection> = {}): Map<string, Connection> =>
  new Map([[connection.id, { ...connection, ...changes }]]);
