import { STSClient } from '@aws-sdk/client-sts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { callJson } from '../aws/json-call.ts';
import { isAwsError } from '../aws/table.ts';
import { type ProbeAccount, probe, probeName } from '../client/probe.ts';
import { type EnvironmentName, environments, resourceNames } from '../contract/environments.ts';
import { errorMessage } from '../engines/machine.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../json/value.ts';
import { createConnection } from '../registry/connections.ts';
import type { NamedPerson } from '../registry/members.ts';
import { createOrganisation, createWorkspace } from '../registry/organisations.ts';
import { revokeParty } from '../registry/revoking.ts';
import type { IssuedConnection } from '../registry/secrets.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { restoreCommand } from './aws-restore.ts';
import { rollbackCommand } from './aws-rollback.ts';
import { awaitConnection } from './bus.ts';
import { accepted, type CommandContext, Refused } from './command.ts';
import { dataOption, jsonOption } from './options.ts';
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

const newAccount = async (
  ports: OperatorPorts,
  { baseUrl, organisation }: { readonly baseUrl: string; readonly organisation: string },
): Promise<Omit<ProbeAccount, 'baseUrl'>> => {
  const workspace = accepted(await createWorkspace(ports, { name: probeName, organisation })).id;
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
  return { workspace, producer: client(producer), consumer: client(consumer) };
};

/** Revokes what was made for a probe that could not be finished. @returns what to throw */
const afterRevoking = async (
  ports: OperatorPorts,
  { organisation, environment }: { readonly organisation: string; readonly environment: string },
  error: unknown,
): Promise<unknown> => {
  const left = await revokeParty(ports, 'organisation', organisation).then(
    () => undefined,
    (reason: unknown) =>
      `The organisation ${organisation}, made for the probe, could not be revoked whole (${errorMessage(reason)}): repeat it with sombus org revoke ${organisation} --environment ${environment}.`,
  );
  return left === undefined ? error : new Refused(errorMessage(error), [left]);
};

const accountOf = async (env: ShellEnv, environment: EnvironmentName, ports: OperatorPorts) => {
  const parameter = parameterOf(env, resourceNames(environment).probeParameter);
  const stored = jsonIn((await parameter.read()) ?? '');
  const baseUrl = ports.busIssuer.replace(/\/oauth$/, '');
  if (isJsonObject(stored))
    return { account: { ...stored, baseUrl } as unknown as ProbeAccount, isNew: false };
  const { id: organisation } = await createOrganisation(ports, { name: probeName, tier: 'minimal' });
  try {
    const account = await newAccount(ports, { baseUrl, organisation });
    await parameter.write(JSON.stringify(account));
    return { account: { ...account, baseUrl }, isNew: true };
  } catch (error) {
    throw await afterRevoking(ports, { organisation, environment }, error);
  }
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

type Call = (operation: string, input: object) => Promise<JsonObject>;

const cognito = (env: ShellEnv): { readonly call: Call; region(): Promise<string> } => {
  const { config } = new STSClient(env['AWS_REGION'] ? { region: env['AWS_REGION'] } : {});
  return {
    region: config.region,
    async call(operation, input) {
      const output = await callJson(config, { service: 'cognito-idp', operation, input }, env);
      return isJsonObject(output) ? output : {};
    },
  };
};

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** @throws Refused if people sign in with somebody else's issuer, or nothing is deployed */
const poolOf = async (call: Call, environment: EnvironmentName): Promise<string> => {
  const { stack } = resourceNames(environment);
  for (let NextToken: unknown; ; ) {
    const page = await call('ListUserPools', { MaxResults: 60, ...(NextToken ? { NextToken } : {}) });
    const found = objectsIn(page['UserPools']).find(({ Name }) => Name === stack);
    if (found) return String(found['Id']);
    NextToken = page['NextToken'];
    if (!NextToken)
      throw new Refused(
        `There is no user pool ${stack} in this account and region. If people sign in with an issuer of yours, use sombus member operator --issuer … --subject ….`,
      );
  }
};

const attributesOf = (user: JsonObject): ReadonlyMap<unknown, unknown> =>
  new Map(
    [...objectsIn(user['Attributes']), ...objectsIn(user['UserAttributes'])].map(one => [
      one['Name'],
      one['Value'],
    ]),
  );

const invited = async (call: Call, UserPoolId: string, email: string) => {
  const UserAttributes = [
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  const input = { UserPoolId, Username: email, UserAttributes, DesiredDeliveryMediums: ['EMAIL'] };
  try {
    const { User } = await call('AdminCreateUser', input);
    return { isNew: true, user: isJsonObject(User) ? User : {} };
  } catch (error) {
    if (!isAwsError(error, 'UsernameExistsException')) throw error;
    return { isNew: false, user: await call('AdminGetUser', { UserPoolId, Username: email }) };
  }
};

/**
 * A person of the environment's user pool, as the portal will know them; somebody without an account is invited. The issuer is not at
 * the domain of the login pages (Cognito: "Verifying JSON web tokens").
 */
export const personInPool = async (
  env: ShellEnv,
  environment: EnvironmentName,
  email: string,
): Promise<NamedPerson & { readonly isNew: boolean }> => {
  const { call, region } = cognito(env);
  const pool = await poolOf(call, environment);
  const { isNew, user } = await invited(call, pool, email);
  const attributes = attributesOf(user);
  const subject = attributes.get('sub');
  if (typeof subject !== 'string') throw new Error(`Cognito names no sub of ${email}.`);
  // Whoever signed up without confirming the address may be somebody else.
  if (attributes.get('email_verified') !== 'true')
    throw new Refused(`${email} has an account, but its address was never confirmed: confirm it first.`);
  const suffix = (await region()).startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const issuer = `https://cognito-idp.${await region()}.${suffix}/${pool}`;
  return { issuer, subject, name: email, email, isNew };
};

const emailAddress = (text: string): string => {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError('It is no email address.');
};

interface FirstOperatorOptions {
  readonly environment: EnvironmentName;
  readonly data: string;
  readonly email: string;
  readonly json: boolean;
}

/** `sombus aws first-operator`: the way into the portal of a new environment. */
export const firstOperatorCommand = (
  { terminal, registry }: CommandContext,
  on: (command: Command) => Command,
): Command =>
  dataOption(on(new Command('first-operator')))
    .description('invite a person into the user pool of an environment, and let them act as its operator')
    .requiredOption(
      '--email <address>',
      'where the invitation goes, with a password for the first sign-in',
      emailAddress,
    )
    .action(async ({ environment, data, email, json }: FirstOperatorOptions) => {
      const { isNew, ...person } = await personInPool(process.env, environment, email);
      await registry(data).members.setOperator(person, true);
      printRecord(terminal, { ...person, is_operator: true, invited: isNew }, json);
    });

const onAws = (command: Command): Command =>
  jsonOption(
    command.addOption(
      new Option('--environment <name>', 'the deployed environment, in the account and region of your shell')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    ),
  );

export const awsCommand = (context: CommandContext): Command =>
  new Command('aws')
    .description('what only a deployed environment needs')
    .addCommand(firstOperatorCommand(context, onAws))
    .addCommand(probeCommand(context, onAws))
    .addCommand(restoreCommand(context, onAws))
    .addCommand(rollbackCommand(context, onAws));
