import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../domain/message/json-object.ts';
import { dataFiles } from '../local/data-files.ts';
import { holderOf } from '../local/folder-holder.ts';
import { jsonHint } from '../local/json-hint.ts';
import { type Endpoints, type LocalEnv, localEnv } from '../local/local-env.ts';
import { parseSeed, type Seed } from '../local/seed.ts';
import { StartRefusal } from '../local/start-refusal.ts';

const isEndpoints = (value: unknown): value is Endpoints =>
  isJsonObject(value) && ['dynamodb', 'sqs', 'kms'].every(name => typeof value[name] === 'string');

const notRunning = (data: string): StartRefusal =>
  new StartRefusal(
    `No service is running on the data folder ${resolve(data)}: start it with "sombus dev --data ${data}".`,
  );

const originOf = (value: unknown): string | undefined =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : undefined;

const serviceFile = (data: string): string => resolve(data, dataFiles.service);

const noteOf = (data: string): JsonObject => {
  const note = jsonHint(serviceFile(data));
  return isJsonObject(note) ? note : {};
};

/** The base address of the service that runs on a data folder, or ran last; undefined when there is no note of one. */
export const notedBaseUrl = (data: string): string | undefined => {
  const { base_url } = noteOf(data);
  return typeof base_url === 'string' ? base_url : undefined;
};

/**
 * The demo workspace of a data folder; undefined when it has none.
 *
 * @throws StartRefusal when it cannot be read
 */
export const demoSeed = (data: string): Seed | undefined => {
  const path = join(data, dataFiles.credentials);
  return existsSync(path) ? parseSeed(jsonHint(path), path) : undefined;
};

/** What a running service noted of itself. */
interface Running {
  readonly origin: string;
  readonly portal: string;
  readonly endpoints: Endpoints;
}

/**
 * Where the service that runs on a data folder is.
 *
 * @throws StartRefusal when none is running, or what it noted of itself cannot be read
 */
export const runningAt = (data: string): Running => {
  const path = serviceFile(data);
  if (!existsSync(path) || !holderOf(resolve(data))) throw notRunning(data);
  const { base_url, portal_url, endpoints } = noteOf(data);
  const [origin, portal] = [originOf(base_url), originOf(portal_url)];
  if (!isEndpoints(endpoints) || origin === undefined || portal === undefined)
    throw new StartRefusal(
      `The file ${path} is damaged: stop the service and start it again, which writes it anew.`,
    );
  return { origin, portal, endpoints };
};

/**
 * What clients of the service that runs on a data folder need to know.
 *
 * @throws StartRefusal as `runningAt` does
 */
export const runningEnv = (data: string): LocalEnv => {
  const { origin, endpoints } = runningAt(data);
  return localEnv(origin, endpoints);
};
