import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import type { Operation } from '../aws-json/server.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import type { Store } from '../store/store.ts';
import { Keys } from './keys.ts';
import * as kms from './operations.ts';
import type { KmsState } from './state.ts';

const operations: Readonly<Record<string, (state: KmsState, input: JsonObject) => JsonObject>> = {
  CancelKeyDeletion: kms.cancelKeyDeletion,
  CreateAlias: kms.createAlias,
  CreateKey: kms.createKey,
  DeleteAlias: kms.deleteAlias,
  DescribeKey: kms.describeKey,
  DisableKey: kms.disableKey,
  EnableKey: kms.enableKey,
  GetPublicKey: kms.getPublicKey,
  ListAliases: kms.listAliases,
  ListKeys: kms.listKeys,
  ScheduleKeyDeletion: kms.scheduleKeyDeletion,
  Sign: kms.sign,
  UpdateAlias: kms.updateAlias,
  Verify: kms.verify,
};

/** `X-Amz-Target`, protocol version and size limit of KMS. */
export const kmsProtocol = {
  target: 'TrentService',
  version: '1.1',
  maxRequestBytes: 64 * 1024,
} as const;

/** KMS with P-256 signing keys in a database. */
export interface KmsEngine {
  /** By name; all are synchronous. Changes are on disk when the store says `saved`. */
  readonly operations: ReadonlyMap<string, Operation>;
}

interface KmsEdges {
  readonly clock?: EngineClock;
  /** UUIDs for new keys. */
  readonly newId?: () => string;
}

/** The operations of KMS on the keys of `store`. They take the SDK's inputs, with bytes as such or as base64. */
export const kmsOperations = (store: Store, edges: KmsEdges = {}): KmsEngine => {
  const { clock = systemClock, newId = randomUUID } = edges;
  const state: KmsState = { keys: new Keys(store), clock, newId };
  const named = Object.entries(operations).map(([name, operation]): [string, Operation] => [
    name,
    input => operation(state, input),
  ]);
  return { operations: new Map(named) };
};
