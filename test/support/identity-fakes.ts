import { sign } from 'node:crypto';
import type { Clock, Ids } from '../../lib/contract/outside.ts';
import type { JsonObject } from '../../lib/json/value.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import type { Credential, Credentials, SecretUse } from '../../lib/registry/credentials.ts';
import type { Registry } from '../../lib/registry/registry.ts';
import type { KeySets } from '../../lib/tokens/foreign-token.ts';
import type { Signer, SigningKey } from '../../lib/tokens/key-ring.ts';
import { connection, now, privateKey, signingKey } from '../tokens/tokens.ts';

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

/** A registry of some connections, read afresh. */
export const registryOf = (connections: Map<string, Connection>): Registry => ({
  connection: async id => connections.get(id),
  consumersOf: async () => [],
  isRegistered: async () => false,
  principalsOf: async () => [],
  provider: async () => undefined,
  boundConnection: async () => undefined,
});

/** Identity providers that publish these keys. */
export const keySetsOf = (keys: readonly JsonObject[] = []): KeySets => ({ keysOf: async () => keys });

export const signerOf = (
  keys: readonly [SigningKey, ...SigningKey[]] = [signingKey],
  key = privateKey,
): Signer => ({
  keys: async () => keys,
  sign: async (_kid, input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
});

export const credentialsOf = (
  entries: Map<string, { connection: Connection; credential: Credential }>,
): Credentials & { readonly uses: SecretUse[] } => {
  const uses: SecretUse[] = [];
  return {
    uses,
    find: async id => entries.get(id),
    noteUse: async (_id, use) => {
      uses.push(use);
    },
  };
};

export const oneConnection = (changes: Partial<Connection> = {}): Map<string, Connection> =>
  new Map([[connection.id, { ...connection, ...changes }]]);
