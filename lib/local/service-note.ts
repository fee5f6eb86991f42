import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';
import { dataFiles } from './data-folder.ts';
import type { Endpoints } from './env.ts';
import { holderOf } from './folder-lock.ts';
import { jsonHint, StartRefusal } from './start-refusal.ts';

export interface ServiceNote {
  readonly base_url: string;
  readonly portal_url: string;
  readonly endpoints: Endpoints;
  readonly pid: number;
}

const engineNames = ['dynamodb', 'sqs', 'kms', 'cloudwatch'] as const;

const isEndpoints = (value: unknown): value is Endpoints =>
  isJsonObject(value) && engineNames.every(name => typeof value[name] === 'string');

const isLoopbackOrigin = (value: unknown): value is string =>
  typeof value === 'string' && /^http:\/\/127\.0\.0\.1:\d+$/.test(value) && URL.canParse(value);

/**
 * Where the last run's engines listened, so that clients set up for them keep working.
 *
 * @param note the last run's, as far as it can be read
 */
export const endpointsBefore = (note: unknown): Partial<Endpoints> => {
  const noted = isJsonObject(note) ? note['endpoints'] : undefined;
  if (!isJsonObject(noted)) return {};
  return Object.fromEntries(
    engineNames.flatMap(name => {
      const origin = noted[name];
      if (isLoopbackOrigin(origin)) return [[name, origin]];
      return [];
    }),
  );
};

const pathIn = (data: string): string => resolve(data, dataFiles.service);

const noteIn = (data: string): JsonObject => {
  const note = jsonHint(pathIn(data));
  return isJsonObject(note) ? note : {};
};

export const notedBaseUrl = (data: string): string | undefined => {
  const { base_url } = noteIn(data);
  return typeof base_url === 'string' ? base_url : undefined;
};

/**
 * The portal of the service that runs on a data folder, or ran last; undefined when that service is
 * not the one at `baseUrl`.
 */
export const notedPortalUrl = (data: string, baseUrl: string): string | undefined => {
  const { base_url, portal_url } = noteIn(data);
  if (base_url === baseUrl && typeof portal_url === 'string') return portal_url;
  return undefined;
};

const originOf = (value: unknown): string | undefined =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : undefined;

interface RunningService {
  readonly origin: string;
  readonly portal: string;
  readonly endpoints: Endpoints;
}

/**
 * Where the service that runs on a data folder listens.
 *
 * @throws StartRefusal when none is running, or its note cannot be read
 */
export const runningService = (data: string): RunningService => {
  const path = pathIn(data);
  if (!existsSync(path) || !holderOf(resolve(data)))
    throw new StartRefusal(
      `No service is running on the data folder ${resolve(data)}: start one with "sombus dev ` +
        `--data ${data}".`,
    );
  const { base_url, portal_url, endpoints } = noteIn(data);
  const origin = originOf(base_url);
  const portal = originOf(portal_url);
  if (!isEndpoints(endpoints) || origin === undefined || portal === undefined)
    throw new StartRefusal(
      `The file ${path} is damaged: stop the service and start it again to write a new one.`,
    );
  return { origin, portal, endpoints };
};
