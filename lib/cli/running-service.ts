import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import { type Endpoints, type LocalEnv, localEnv } from '../local/local-env.ts';
import { registryPorts } from '../local/registry-ports.ts';
import { StartRefusal } from '../local/start-refusal.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isEndpoints = (value: unknown): value is Endpoints =>
  isRecord(value) && ['dynamodb', 'sqs', 'kms'].every(name => typeof value[name] === 'string');

const notRunning = (data: string): StartRefusal =>
  new StartRefusal(
    `No service is running on the data folder ${resolve(data)}: start it with "sombus dev --data ${data}".`,
  );

/** What clients of the service that runs on a data folder need to know. */
export const runningEnv = (data: string): LocalEnv => {
  const path = join(data, 'service.json');
  if (!existsSync(path) || !existsSync(join(data, 'lock'))) throw notRunning(data);
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(value) || !isEndpoints(value['endpoints']) || typeof value['base_url'] !== 'string')
    throw notRunning(data);
  return localEnv(new URL(value['base_url']).origin, value['endpoints']);
};

/** The registry of the service that runs on a data folder. */
export const runningService = (data: string): RegistryPorts => registryPorts(runningEnv(data));
