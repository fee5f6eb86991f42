import { STSClient } from '@aws-sdk/client-sts';
import type { NamedPerson } from '../../access/people/members.ts';
import { createOrganisation } from '../../access/people/organisations.ts';
import { revokeParty } from '../../access/registry/revoking.ts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { type ProbeAccount, probe, probeName } from '../../kit/client/probe.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { callJson, type JsonService } from '../../platform/aws/json-call.ts';
import { isAwsError, unlessError } from '../../platform/aws/table.ts';
import { isJsonObject, type JsonObject, jsonIn, objectsIn } from '../../platform/json/value.ts';
import type { Env } from '../../wiring/env.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { baseUrlOf, makeTestPair } from '../frame/bus.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { Refused } from '../frame/failures.ts';
import { deployedOptions, matching, required } from '../frame/options.ts';
import { recover } from './aws-recover.ts';
import { restore } from './aws-restore.ts';
import { rollback } from './aws-rollback.ts';

type CallService = (operation: string, input: object) => Promise<JsonObject>;

/** A service of the shell's AWS account that has no client of its own here. */
const serviceOf = (env: Env, service: JsonService) => {
  const { config } = new STSClient(env['AWS_REGION'] ? { region: env['AWS_REGION'] } : {});
  const call: CallService = async (operation, input) => {
    const output = await callJson(config, { service, operation, input }, env);
    return isJsonObject(output) ? output : {};
  };
  return { call, region: config.region };
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
      `The organisation ${organisation}, made for the probe, could not be revoked whole (${errorMessage(reason)}): repeat it with sombus org revoke ${organisation} --confirm ${organisation} --environment ${environment}.`,
  );
  return left === undefined ? error : new Refused(errorMessage(error), [left]);
};

/**
 * The probe's account of an environment. The first time, it is made, and kept in Systems Manager.
 */
const accountOf = async (env: Env, environment: EnvironmentName, ports: OperatorPorts) => {
  const { call } = serviceOf(env, 'ssm');
  const Name = resourceNames(environment).probeParameter;
  const baseUrl = baseUrlOf(ports.busIssuer);
  const kept = await unlessError(
    call('GetParameter', { Name, WithDecryption: true }),
    'ParameterNotFound',
  );
  const stored = isJsonObject(kept?.['Parameter'])
    ? jsonIn(String(kept['Parameter']['Value']))
    : undefined;
  if (isJsonObject(stored))
    return { account: { ...stored, baseUrl } as unknown as ProbeAccount, isNew: false };
  const { id: organisation } = await createOrganisation(ports, {
    name: probeName,
    tier: 'minimal',
  });
  try {
    const account = await makeTestPair(ports, { name: probeName, organisation });
    // Without Overwrite: of two operators at once, one is told that it exists.
    await call('PutParameter', { Name, Value: JSON.stringify(account), Type: 'SecureString' });
    return { account: { ...account, baseUrl }, isNew: true };
  } catch (error) {
    throw await afterRevoking(ports, { organisation, environment }, error);
  }
};

const probing = command({
  usage: 'probe',
  description:
    'send one message through the bus, as its probe does every five minutes; the first time, make its connections',
  target: 'folder',
  options: deployedOptions,
  async run({ ports, options }) {
    const { account, isNew } = await accountOf(process.env, options.environment, ports);
    const began = ports.clock.now();
    await probe(account).catch((error: unknown) => {
      throw error instanceof Error ? new Refused(error.message) : error;
    });
    return {
      workspace_id: account.workspace,
      is_new: isNew,
      milliseconds: ports.clock.now() - began,
    };
  },
});

/** @throws Refused if people sign in with somebody else's issuer, or nothing is deployed */
const poolOf = async (call: CallService, environment: EnvironmentName): Promise<string> => {
  const { stack } = resourceNames(environment);
  for (let NextToken: unknown; ; ) {
    const page = await call('ListUserPools', {
      MaxResults: 60,
      ...(NextToken ? { NextToken } : {}),
    });
    const found = objectsIn(page['UserPools']).find(({ Name }) => Name === stack);
    if (found) return String(found['Id']);
    NextToken = page['NextToken'];
    if (!NextToken)
      throw new Refused(
        `There is no user pool ${stack} in this account and region. If people sign in with an issuer of yours, use sombus member operator --issuer … --subject ….`,
      );
  }
};

/** AdminCreateUser calls them otherwise than AdminGetUser. */
const attributesOf = (user: unknown): ReadonlyMap<unknown, unknown> => {
  const { Attributes, UserAttributes } = isJsonObject(user) ? user : {};
  return new Map(objectsIn(UserAttributes ?? Attributes).map(({ Name, Value }) => [Name, Value]));
};

const invited = async (call: CallService, UserPoolId: string, email: string) => {
  const UserAttributes = [
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  const input = { UserPoolId, Username: email, UserAttributes, DesiredDeliveryMediums: ['EMAIL'] };
  try {
    const { User } = await call('AdminCreateUser', input);
    return { isNew: true, user: User };
  } catch (error) {
    if (!isAwsError(error, 'UsernameExistsException')) throw error;
    return { isNew: false, user: await call('AdminGetUser', { UserPoolId, Username: email }) };
  }
};

/**
 * A person of the environment's user pool, as the portal will know them; somebody without an
 * account is invited. The issuer is not at the domain of the login pages (Cognito: "Verifying JSON
 * web tokens").
 */
const personInPool = async (
  env: Env,
  environment: EnvironmentName,
  email: string,
): Promise<NamedPerson & { readonly isNew: boolean }> => {
  const { call, region } = serviceOf(env, 'cognito-idp');
  const pool = await poolOf(call, environment);
  const { isNew, user } = await invited(call, pool, email);
  const attributes = attributesOf(user);
  const subject = attributes.get('sub');
  if (typeof subject !== 'string') throw new Error(`Cognito names no sub of ${email}.`);
  // Whoever signed up without confirming the address may be somebody else.
  if (attributes.get('email_verified') !== 'true')
    throw new Refused(
      `${email} has an account, but its address was never confirmed: confirm it first.`,
    );
  const suffix = (await region()).startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const issuer = `https://cognito-idp.${await region()}.${suffix}/${pool}`;
  return { issuer, subject, name: email, email, isNew };
};

/** The way into the portal of a new environment. */
const firstOperator = command({
  usage: 'first-operator',
  description:
    'invite a person into the user pool of an environment, and let them act as its operator',
  target: 'folder',
  options: [
    ...deployedOptions,
    required(
      '--email <address>',
      'where the invitation goes, with a password for the first sign-in',
      matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'It is no email address.'),
    ),
  ],
  async run({ ports, options: { environment, email } }) {
    const { isNew, ...person } = await personInPool(process.env, environment, email);
    await ports.members.setOperator(person, true);
    return { ...person, is_operator: true, invited: isNew };
  },
});

export const awsCommand: CommandGroup = {
  name: 'aws',
  description: 'what only a deployed environment needs',
  commands: [firstOperator, probing, recover, restore, rollback],
};
