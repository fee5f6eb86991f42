import { STSClient } from '@aws-sdk/client-sts';
import { Command, InvalidArgumentError } from 'commander';
import { callJson } from '../aws/json-call.ts';
import { isAwsError } from '../aws/table.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { NamedPerson } from '../registry/members.ts';
import { type CommandContext, Refused } from './command.ts';
import { dataOption } from './options.ts';
import { printRecord } from './print.ts';

type ShellEnv = Readonly<Record<string, string | undefined>>;

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
