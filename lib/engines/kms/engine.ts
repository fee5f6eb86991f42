import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { type Operation, type RunningEngine, startAwsJsonServer } from '../aws-json/server.ts';
import { lockFolder } from '../durable-files.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import * as kms from './operations.ts';
import { KeyStore, type KmsState } from './state.ts';

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

/** The operations of KMS. */
const kmsOperations = (state: KmsState): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(operations).map(([name, operation]): [string, Operation] => [
      name,
      input => operation(state, input),
    ]),
  );

interface KmsEngineOptions {
  /** The folder for the keys, readable only by its owner; created if absent. */
  readonly folder: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  readonly clock?: EngineClock;
  /** UUIDs for new keys. */
  readonly newId?: () => string;
  /** Called with errors that are not refusals. */
  readonly onFault?: (fault: unknown) => void;
}

const maxRequestBytes = 64 * 1024;

/** Starts KMS with P-256 signing keys on 127.0.0.1, with the keys of the folder. What was answered is on disk. */
export const startKmsEngine = async (options: KmsEngineOptions): Promise<RunningEngine> => {
  const { folder, port = 0, clock = systemClock, newId = randomUUID, onFault = () => undefined } = options;
  const unlock = await lockFolder(folder);
  try {
    const operations = kmsOperations({ store: new KeyStore(folder), clock, newId });
    const service = { target: 'TrentService', version: '1.1', operations, maxRequestBytes } as const;
    const server = await startAwsJsonServer(service, { port, onFault });
    return { endpoint: server.endpoint, close: () => server.close().finally(unlock) };
  } catch (fault) {
    await unlock();
    throw fault;
  }
};
