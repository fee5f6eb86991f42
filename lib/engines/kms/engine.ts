import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { unknownParameter } from '../aws-json/input.ts';
import type { Operation, Operations } from '../aws-json/server.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import type { Store } from '../store.ts';
import { Keys } from './keys.ts';
import * as kms from './operations.ts';
import { type KmsState, kmsError } from './state.ts';

interface KmsOperation {
  readonly run: (state: KmsState, input: JsonObject) => JsonObject;
  /** What it reads of a request. */
  readonly parameters: readonly string[];
}

const signed = ['KeyId', 'Message', 'MessageType', 'SigningAlgorithm', 'DryRun'];

const operations: Readonly<Record<string, KmsOperation>> = {
  CancelKeyDeletion: { run: kms.cancelKeyDeletion, parameters: ['KeyId'] },
  CreateAlias: { run: kms.createAlias, parameters: ['AliasName', 'TargetKeyId'] },
  CreateKey: {
    run: kms.createKey,
    // Whoever may call the engine may use its keys, whatever a policy says.
    parameters: ['KeySpec', 'CustomerMasterKeySpec', 'KeyUsage', 'Description', 'Tags', 'Policy'],
  },
  DeleteAlias: { run: kms.deleteAlias, parameters: ['AliasName'] },
  DescribeKey: { run: kms.describeKey, parameters: ['KeyId'] },
  DisableKey: { run: kms.disableKey, parameters: ['KeyId'] },
  EnableKey: { run: kms.enableKey, parameters: ['KeyId'] },
  GetPublicKey: { run: kms.getPublicKey, parameters: ['KeyId'] },
  ListAliases: { run: kms.listAliases, parameters: ['KeyId', 'Limit', 'Marker'] },
  ListKeys: { run: kms.listKeys, parameters: ['Limit', 'Marker'] },
  ScheduleKeyDeletion: { run: kms.scheduleKeyDeletion, parameters: ['KeyId', 'PendingWindowInDays'] },
  Sign: { run: kms.sign, parameters: signed },
  UpdateAlias: { run: kms.updateAlias, parameters: ['AliasName', 'TargetKeyId'] },
  Verify: { run: kms.verify, parameters: [...signed, 'Signature'] },
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
  readonly operations: Operations;
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
  const named = Object.entries(operations).map(([name, { run, parameters }]): [string, Operation] => [
    name,
    input => {
      const unknown = unknownParameter(input, parameters);
      if (unknown === undefined) return run(state, input);
      const message = `The local KMS engine does not support the parameter ${unknown} of ${name}.`;
      throw kmsError('UnsupportedOperationException', message);
    },
  ]);
  return { operations: new Map(named) };
};
