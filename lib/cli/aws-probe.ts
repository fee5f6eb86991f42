import { STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import { callJson } from '../aws/json-call.ts';
import { isAwsError } from '../aws/table.ts';
import { type ProbeAccount, probe, probeName } from '../client/probe.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { isJsonObject, jsonIn } from '../json/value.ts';
import { createConnection } from '../registry/connections.ts';
import { createOrganisation, createWorkspace } from '../registry/organisations.ts';
import type { IssuedConnection } from '../registry/secrets.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { accepted, type CommandContext, Refused } from './command.ts';
import { awaitConnection } from './fresh-connection.ts';
import { dataOption } from './options.ts';
import { printRecord } from './print.ts';

type ShellEnv = Readonly<Record<string, string | undefined>>;

const parameterOf = (env: ShellEnv, Name: string) => {
  const { config } = new STSClient(env['AWS_REGION'] ? { region: env['AWS_REGION'] } : {});
  const call = (operation: string, input: object) =>
    callJson(config, { service: 'ssm', operation, input }, env);
  return {
    async read(): Promise<string | undefined> {
      try {
        const found = await call('GetParameter', { Name, WithDecryption: true });
        const parameter = isJsonObject(found) ? found['Parameter'] : undefined;
        return isJsonObject(parameter) ? String(parameter['Value']) : undefined;
      } catch (error) {
        if (isAwsError(error, 'ParameterNotFound')) return undefined;
        throw error;
      }
    },
    // Without Overwrite: of two operators at once, one is told that it exists.
    write: (Value: string) => call('PutParameter', { Name, Value, Type: 'SecureString' }),
  };
};

const newAccount = async (ports: OperatorPorts): Promise<ProbeAccount> => {
  const baseUrl = ports.busIssuer.replace(/\/oauth$/, '');
  const { id } = await createOrganisation(ports, { name: probeName, tier: 'minimal' });
  const workspace = accepted(await createWorkspace(ports, { name: probeName, organisation: id })).id;
  const nothing = { workspace, app: probeName, systemIds: [], grants: [], receives: [], sources: [] };
  const make = async (wanted: Parameters<typeof createConnection>[1]): Promise<IssuedConnection> => {
    const issued = accepted(await createConnection(ports, wanted));
    if (!(await awaitConnection(issued, baseUrl, ports.clock)))
      throw new Refused(`API Gateway refuses the new connection ${issued.connection.id} after a minute.`);
    return issued;
  };
  const producer = await make({ ...nothing, kind: 'producer', grants: ['story.context'] });
  const consumer = await make({ ...nothing, kind: 'consumer', receives: ['story.context'] });
  const client = ({ connection, clientSecret }: IssuedConnection) => ({
    id: connection.id,
    secret: clientSecret,
  });
  return { baseUrl, workspace, producer: client(producer), consumer: client(consumer) };
};

const accountOf = async (env: ShellEnv, environment: EnvironmentName, ports: OperatorPorts) => {
  const parameter = parameterOf(env, resourceNames(environment).probeParameter);
  const stored = jsonIn((await parameter.read()) ?? '');
  const baseUrl = ports.busIssuer.replace(/\/oauth$/, '');
  if (isJsonObject(stored))
    return { account: { ...stored, baseUrl } as unknown as ProbeAccount, isNew: false };
  const { baseUrl: _, ...account } = await newAccount(ports);
  await parameter.write(JSON.stringify(account));
  return { account: { ...account, baseUrl }, isNew: true };
};

interface ProbeOptions {
  readonly environment: EnvironmentName;
  readonly data: string;
  readonly json: boolean;
}

/** `sombus aws probe`: the probe of an environment, from here. */
export const probeCommand = (
  { terminal, registry }: CommandContext,
  on: (command: Command) => Command,
): Command =>
  dataOption(on(new Command('probe')))
    .description(
      'send one message through the bus, as its probe does every five minutes; the first time, make its connections',
    )
    .action(async ({ environment, data, json }: ProbeOptions) => {
      const ports = registry(data);
      const { account, isNew } = await accountOf(process.env, environment, ports);
      const began = ports.clock.now();
      await probe(account).catch((error: unknown) => {
        throw error instanceof Error ? new Refused(error.message) : error;
      });
      const { workspace } = account;
      printRecord(
        terminal,
        { workspace_id: workspace, is_new: isNew, milliseconds: ports.clock.now() - began },
        json,
      );
    });
