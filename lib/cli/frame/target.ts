import { APIGatewayClient, paginateGetRestApis } from '@aws-sdk/client-api-gateway';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import {
  type EnvironmentName,
  envVars,
  resourceNames,
  tableVars,
} from '../../contract/environments.ts';
import { type TableName, tableNames } from '../../contract/tables.ts';
import { type LocalEnv, localEnv } from '../../local/env.ts';
import { operatorKeyIn } from '../../local/roles.ts';
import { runningService } from '../../local/service-note.ts';
import { StartRefusal } from '../../local/start-refusal.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { unlessError } from '../../platform/aws/table.ts';
import { isJsonObject } from '../../platform/json/value.ts';
import type { Env } from '../../wiring/env.ts';
import { type OperatorEnv, type OperatorPorts, operatorPorts } from '../../wiring/operator.ts';

type ServedTables = Readonly<Record<TableName, string>>;

const isServedTables = (value: unknown): value is ServedTables =>
  isJsonObject(value) && tableNames.every(name => typeof value[name] === 'string');

const notedTables = async (env: Env, Name: string): Promise<ServedTables | undefined> => {
  const get = new SSMClient(clientConfig(env, 'SSM')).send(new GetParameterCommand({ Name }));
  const kept = await unlessError(get, 'ParameterNotFound');
  if (!kept) return undefined;
  const noted: unknown = JSON.parse(kept.Parameter?.Value ?? 'null');
  if (isServedTables(noted)) return noted;
  throw new Error(
    `The parameter ${Name} does not name the tables: deploy the stack of the bus again.`,
  );
};

/**
 * The tables that the deployed functions work on, restored ones too: the deployment notes them. A
 * variable that names a table comes before that. Undefined if the environment is not deployed here.
 */
export const servedTables = async (
  environment: EnvironmentName,
  env: Env,
): Promise<ServedTables | undefined> => {
  const named = Object.fromEntries(
    tableNames.flatMap(name => (env[tableVars[name]] ? [[name, env[tableVars[name]]]] : [])),
  );
  if (isServedTables(named)) return named;
  const noted = await notedTables(env, resourceNames(environment).tablesParameter);
  return noted && { ...noted, ...named };
};

const services = ['DYNAMODB', 'SQS', 'KMS', 'CLOUDWATCH', 'API_GATEWAY', 'SSM', 'STS'];
const endpointVariables = services.map(service => `AWS_ENDPOINT_URL_${service}`);

const notDeployed = (environment: EnvironmentName) =>
  new StartRefusal(
    `The environment ${environment} is not deployed in this account and region: check ` +
      'AWS_REGION and AWS_PROFILE.',
  );

const placeOf = async (env: Env, environment: EnvironmentName, TableName: string) => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const describe = client.send(new DescribeTableCommand({ TableName }));
  const described = await unlessError(describe, 'ResourceNotFoundException');
  if (!described) throw notDeployed(environment);
  const [, partition = '', , region = '', account = ''] = (described.Table?.TableArn ?? '').split(
    ':',
  );
  return { partition, region, account };
};

const pageSize = 500;

/** @throws StartRefusal when the environment has tables but no API */
const busApi = async (env: Env, environment: EnvironmentName): Promise<string> => {
  const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
  const wanted = resourceNames(environment).api('bus');
  for await (const { items = [] } of paginateGetRestApis({ client, pageSize }, {})) {
    const id = items.find(({ name }) => name === wanted)?.id;
    if (id !== undefined) return id;
  }
  throw new StartRefusal(
    `The environment ${environment} has no API ${wanted} in this account and region: deploy ` +
      `it, or set ${envVars.origin}.`,
  );
};

/**
 * What the operator's commands need to reach a deployed environment, with the AWS credentials and
 * region of the shell.
 *
 * @throws StartRefusal if the environment is not deployed there, or only partly
 */
export const deployedEnv = async (environment: EnvironmentName, env: Env): Promise<OperatorEnv> => {
  const names = resourceNames(environment);
  const tables = await servedTables(environment, env);
  if (!tables) throw notDeployed(environment);
  const { partition, region, account } = await placeOf(env, environment, tables.registry);
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const queueEndpoint = env['AWS_ENDPOINT_URL_SQS'] ?? `https://sqs.${region}.${suffix}`;
  const endpoints = endpointVariables.flatMap(name => (env[name] ? [[name, env[name]]] : []));
  return {
    ...Object.fromEntries(endpoints),
    AWS_REGION: region,
    [envVars.environment]: environment,
    // The API does not know its custom domain: the operator names it.
    [envVars.origin]:
      env[envVars.origin] ||
      `https://${await busApi(env, environment)}.execute-api.${region}.${suffix}`,
    [envVars.registryTable]: tables.registry,
    [envVars.ledgerTable]: tables.ledger,
    [envVars.activityTable]: tables.activity,
    [envVars.sessionsTable]: tables.sessions,
    [envVars.signingKey]: names.signingKeyAlias,
    [envVars.queueBaseUrl]: `${queueEndpoint}/${account}/`,
    [envVars.queueBaseArn]: `arn:${partition}:sqs:${region}:${account}:`,
  };
};

/**
 * What the operator's commands work on: the local service of a data folder, or the deployed
 * environment that was chosen.
 */
export interface CommandTarget {
  /** Reads a command's options; a command without `--data` needs no target. */
  choose(options: { data?: string; environment?: EnvironmentName }): Promise<void>;
  registry(data: string): OperatorPorts;
}

/** @throws StartRefusal when no service runs on the data folder */
const runningEnv = (data: string): LocalEnv => {
  const { origin, endpoints } = runningService(data);
  return localEnv(origin, endpoints, operatorKeyIn(data));
};

export const newTarget = (): CommandTarget => {
  let deployed: OperatorEnv | undefined;
  return {
    async choose({ data, environment }) {
      if (data !== undefined && environment) deployed = await deployedEnv(environment, process.env);
    },
    registry: data => operatorPorts(deployed ?? runningEnv(data)),
  };
};
