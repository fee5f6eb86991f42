import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientOf, serveInProcess } from '../../lib/aws/clients.ts';
import type { Clock } from '../../lib/contract/outside.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { awsConnections } from '../../lib/registry/connections.dynamodb.ts';
import { awsDirectory } from '../../lib/registry/directory.dynamodb.ts';
import { awsIdentityProviders, awsPrincipals } from '../../lib/registry/identities.dynamodb.ts';
import { awsQueueAdmin } from '../../lib/registry/queue-access.sqs.ts';
import { awsRegistry } from '../../lib/registry/registry.dynamodb.ts';
import type { Registry } from '../../lib/registry/registry.ts';
import { awsSkillRegistrations } from '../../lib/skills/registrations.dynamodb.ts';
import type { SkillRegistrations } from '../../lib/skills/registrations.ts';
import type { KeyRings, Signer } from '../../lib/tokens/key-ring.ts';
import { awsKeyRings, awsSigner } from '../../lib/tokens/signer.kms.ts';
import type { OperatorPorts } from '../../lib/wiring/operator.ts';
import { guardedQueueHome } from '../../lib/wiring/registry.ts';
import { startLocalAws } from './local-aws.ts';

/** The ports of the registry and the token service over one set of engines. */
export interface RegistryWorld
  extends Pick<
    OperatorPorts,
    'directory' | 'connections' | 'principals' | 'identityProviders' | 'queueAdmin'
  > {
  readonly skills: SkillRegistrations;
  readonly keyRings: KeyRings;
  readonly signer: Signer;
  /** A registry that remembers nothing yet. */
  registry(): Registry;
  close(): Promise<void>;
}

const newSigningKey = async (kms: KMSClient): Promise<string> => {
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
  );
  return KeyMetadata?.KeyId ?? '';
};

/** @param how whether the engines run in this process or over the wire */
const overEngines = async (how: 'in process' | 'over the wire', clock: Clock): Promise<RegistryWorld> => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  if (how === 'in process') serveInProcess(env, aws.inProcess);
  await createTables(env, localTables);
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const queues = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const kms = clientOf(env, 'KMS', new KMSClient(clientConfig(env, 'KMS')));
  const table = { client, name: localTables.registry };
  const home = { kms, table, firstKey: await newSigningKey(kms) };
  return {
    directory: awsDirectory(table),
    connections: awsConnections(table),
    principals: awsPrincipals(table),
    identityProviders: awsIdentityProviders(table),
    queueAdmin: awsQueueAdmin({ ...guardedQueueHome(env), client: queues }),
    skills: awsSkillRegistrations(table),
    keyRings: awsKeyRings(home, {
      environment: 'sandbox',
      accountRoot: 'arn:aws:iam::000000000000:root',
      signers: 'arn:aws:iam::000000000000:role/sombus/sandbox/signer/*',
    }),
    signer: awsSigner(home, clock),
    registry: () => awsRegistry(table, clock),
    async close() {
      for (const one of [client, queues, kms]) one.destroy();
      await aws.close();
    },
  };
};

/** Where the contract of each port is tested. */
export const registryWorlds: readonly (readonly [string, (clock: Clock) => Promise<RegistryWorld>])[] = [
  ['the local engines in process', clock => overEngines('in process', clock)],
  ['the local engines over the wire', clock => overEngines('over the wire', clock)],
];
