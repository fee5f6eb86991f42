import { randomUUID } from 'node:crypto';
import { type RunningEngine, startAwsJsonServer } from './aws-json/aws-json-server.ts';
import { type EngineClock, systemClock } from './engine-clock.ts';
import { lockFolder } from './folder-lock.ts';
import { KeyStore } from './kms/key-store.ts';
import { kmsOperations } from './kms/kms-operations.ts';

export interface KmsEngineOptions {
  /** The keys are in here, readable by their owner only; it is created. */
  readonly folder: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  readonly clock?: EngineClock;
  /** UUIDs for new keys. */
  readonly newId?: () => string;
  /** Told of errors that are not refusals. */
  readonly onFault?: (fault: unknown) => void;
}

const maxRequestBytes = 64 * 1024;

/** Starts KMS with P-256 signing keys on 127.0.0.1, with the keys of the folder. What was answered is on disk. */
export async function startKmsEngine(options: KmsEngineOptions): Promise<RunningEngine> {
  const { folder, port = 0, clock = systemClock, newId = randomUUID, onFault = () => undefined } = options;
  const unlock = await lockFolder(folder);
  try {
    const operations = kmsOperations({ store: new KeyStore(folder), clock, newId });
    const service = { target: 'TrentService', version: '1.1', operations, maxRequestBytes } as const;
    const server = await startAwsJsonServer(service, { port, onFault });
    return { endpoint: server.endpoint, close: () => server.close().finally(unlock) };
  } catch (error) {
    await unlock();
    throw error;
  }
}
