import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { clientConfig } from '../aws/clients.ts';
import { isAwsError } from '../aws/table.ts';
import { type EnvironmentName, resourceNames, tableVars } from '../contract/environments.ts';
import { type TableName, tableNames } from '../contract/tables.ts';

type ShellEnv = Readonly<Record<string, string | undefined>>;

export type ServedTables = Readonly<Record<TableName, string>>;

const isServedTables = (value: unknown): value is ServedTables =>
  typeof value === 'object' &&
  value !== null &&
  tableNames.every(name => typeof Reflect.get(value, name) === 'string');

const notedTables = async (env: ShellEnv, Name: string): Promise<ServedTables | undefined> => {
  const client = new SSMClient(clientConfig(env, 'SSM'));
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name }));
    const noted: unknown = JSON.parse(Parameter?.Value ?? 'null');
    if (isServedTables(noted)) return noted;
    throw new Error(`The parameter ${Name} does not name the tables: deploy the stack of the bus again.`);
  } catch (error) {
    if (isAwsError(error, 'ParameterNotFound')) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
};

/**
 * The tables that the deployed functions work on, restored ones too: the deployment notes them. A variable that names a table comes
 * before that. Undefined if the environment is not deployed here.
 */
export const servedTables = async (
  environment: EnvironmentName,
  env: ShellEnv,
): Promise<ServedTables | undefined> => {
  const named = Object.fromEntries(
    tableNames.flatMap(name => (env[tableVars[name]] ? [[name, env[tableVars[name]]]] : [])),
  );
  const noted = isServedTables(named)
    ? named
    : await notedTables(env, resourceNames(environment).tablesParameter);
  return noted && { ...noted, ...named };
};
