import { createOrganisation } from '../../access/people/organisations.ts';
import { revokeParty } from '../../access/registry/revoking.ts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { type ProbeAccount, probe, probeName } from '../../kit/client/probe.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { unlessError } from '../../platform/aws/table.ts';
import { isJsonObject, jsonIn } from '../../platform/json/value.ts';
import type { Env } from '../../wiring/env.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { baseUrlOf, makeTestPair } from '../frame/bus.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { CommandRefused, rethrow } from '../frame/failures.ts';
import { deployedOptions } from '../frame/options.ts';
import { serviceOf } from './aws-account.ts';
import { firstOperator, person } from './aws-people.ts';
import { recover } from './aws-recover.ts';
import { restore } from './aws-restore.ts';
import { rollback } from './aws-rollback.ts';

/** Revokes what was made for a probe that could not be finished. @returns what to throw */
const afterRevoking = async (
  ports: OperatorPorts,
  { organisation, environment }: { organisation: string; environment: string },
  error: unknown,
): Promise<unknown> => {
  const left = await revokeParty(ports, 'organisation', organisation).then(
    () => undefined,
    (reason: unknown) =>
      `The organisation ${organisation}, made for the probe, could not be revoked whole ` +
      `(${errorMessage(reason)}): repeat it with sombus org revoke ${organisation} --confirm ` +
      `${organisation} --environment ${environment}.`,
  );
  if (left === undefined) return error;
  return new CommandRefused(errorMessage(error), [left]);
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
  const parameter = kept?.['Parameter'];
  const stored = isJsonObject(parameter) && jsonIn(String(parameter['Value']));
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
    'send one message through the bus, as its probe does every five minutes; the first time, ' +
    'make its connections',
  target: 'folder',
  options: deployedOptions,
  async run({ ports, options }) {
    const { account, isNew } = await accountOf(process.env, options.environment, ports);
    const began = ports.clock.now();
    await probe(account).catch((error: unknown) => rethrow(error, error instanceof Error));
    return {
      workspace_id: account.workspace,
      is_new: isNew,
      milliseconds: ports.clock.now() - began,
    };
  },
});

export const awsCommand: CommandGroup = {
  name: 'aws',
  description: 'what only a deployed environment needs',
  commands: [firstOperator, person, probing, recover, restore, rollback],
};
