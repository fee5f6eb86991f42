import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { APIGatewayClient, paginateGetRestApis } from '@aws-sdk/client-api-gateway';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../aws/clients.ts';
import { isFault } from '../aws/table.ts';
import { type EnvironmentName, envVars, resourceNames } from '../contract/environments.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { dataFiles, jsonHint } from '../local/data-folder.ts';
import { type Endpoints, type LocalEnv, localEnv, StartRefusal } from '../local/env.ts';
import { holderOf } from '../local/folder-holder.ts';
import { parseSeed, type Seed } from '../local/seed.ts';
import type { ReplayCommandPorts } from '../replay/start-replay.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { type OperatorEnv, registryPorts, replayPorts } from '../wiring/operator.ts';

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
const runningEnv = (data: string): LocalEnv => {
  const { origin, endpoints } = runningAt(data);
  return localEnv(origin, endpoints);
};

type ProcessEnv = Readonly<Record<string, string | undefined>>;

const endpointVariables = ['DYNAMODB', 'SQS', 'KMS', 'API_GATEWAY'].map(
  service => `AWS_ENDPOINT_URL_${service}`,
);

/** Account, region and partition of an environment, from the ARN of its registry. */
const placeOf = async (env: ProcessEnv, environment: EnvironmentName) => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const TableName = resourceNames(environment).table('registry');
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const [, partition = '', , region = '', account = ''] = (Table?.TableArn ?? '').split(':');
    return { partition, region, account };
  } catch (fault) {
    if (!isFault(fault, 'ResourceNotFoundException')) throw fault;
    throw new StartRefusal(
      `The environment ${environment} is not deployed in this account and region: check AWS_REGION and AWS_PROFILE.`,
    );
  } finally {
    client.destroy();
  }
};

const pageSize = 500;

/** @throws StartRefusal when nothing is behind the environment's tables */
const busApi = async (env: ProcessEnv, environment: EnvironmentName): Promise<string> => {
  const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
  const wanted = resourceNames(environment).api('bus');
  try {
    for await (const { items = [] } of paginateGetRestApis({ client, pageSize }, {})) {
      const id = items.find(({ name }) => name === wanted)?.id;
      if (id !== undefined) return id;
    }
  } finally {
    client.destroy();
  }
  throw new StartRefusal(
    `The environment ${environment} has no API ${wanted} in this account and region: deploy it, or set ${envVars.origin}.`,
  );
};

/**
 * What the operator's commands need to reach a deployed environment, with the AWS credentials and region of the shell.
 *
 * @throws StartRefusal when the environment is not deployed there, or only in part
 */
export const deployedEnv = async (environment: EnvironmentName, env: ProcessEnv): Promise<OperatorEnv> => {
  const names = resourceNames(environment);
  const { partition, region, account } = await placeOf(env, environment);
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const queueEndpoint = env['AWS_ENDPOINT_URL_SQS'] ?? `https://sqs.${region}.${suffix}`;
  const endpoints = endpointVariables.flatMap(name => (env[name] ? [[name, env[name]]] : []));
  return {
    ...Object.fromEntries(endpoints),
    AWS_REGION: region,
    [envVars.environment]: environment,
    // A domain of its own is for the operator to name.
    [envVars.origin]:
      env[envVars.origin] || `https://${await busApi(env, environment)}.execute-api.${region}.${suffix}`,
    [envVars.registryTable]: names.table('registry'),
    [envVars.ledgerTable]: names.table('ledger'),
    [envVars.signingKey]: names.signingKeyAlias,
    [envVars.queueBaseUrl]: `${queueEndpoint}/${account}/`,
    [envVars.queueBaseArn]: `arn:${partition}:sqs:${region}:${account}:`,
  };
};

/** What the operator's commands work on: a deployed environment where one was chosen, else a running local service. */
export interface Target {
  /** Reads the options of a command; those without a data folder are no commands of this kind. */
  choose(options: { readonly data?: string; readonly environment?: EnvironmentName }): Promise<void>;
  /** @param data folder of the local service */
  registry(data: string): OperatorPorts;
  /** @param data folder of the local service */
  replays(data: string): ReplayCommandPorts;
}

export const newTarget = (): Target => {
  let deployed: OperatorEnv | undefined;
  return {
    async choose({ data, environment }) {
      if (data !== undefined && environment) deployed = await deployedEnv(environment, process.env);
    },
    registry: data => registryPorts(deployed ?? runningEnv(data)),
    replays: data => replayPorts(deployed ?? runningEnv(data)),
  };
};
