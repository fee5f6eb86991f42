import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../aws/clients.ts';
import { clientOf } from '../aws/in-process.ts';
import { isFault } from '../aws/table.ts';
import { queueName } from '../contract/environments.ts';
import { isRegistered } from '../registry/connection.ts';
import { registryPorts } from '../wiring/operator.ts';
import { type LocalEnv, signingKeyAlias } from './env.ts';
import type { Seed } from './seed.ts';
import { missingParts } from './start-refusal.ts';

/** The answer of a call; undefined when it fails with one of the faults. */
const unless = async <T>(call: Promise<T>, ...faults: readonly string[]): Promise<T | undefined> => {
  try {
    return await call;
  } catch (fault) {
    if (isFault(fault, ...faults)) return undefined;
    throw fault;
  }
};

const missingConnections = async (
  env: LocalEnv,
  { producer, consumer }: Seed,
): Promise<readonly string[]> => {
  const { connections } = registryPorts(env);
  const missing: string[] = [];
  for (const { client_id } of [producer, consumer])
    if (!(await unless(connections.find(client_id), 'ResourceNotFoundException')))
      missing.push(`the connection ${client_id} `);
  return missing;
};

const missingQueues = async (env: LocalEnv, { workspace }: Seed): Promise<readonly string[]> => {
  const client = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const all = await registryPorts(env).connections.ofWorkspace(workspace);
  const missing: string[] = [];
  for (const connection of all) {
    if (connection.kind !== 'consumer' || !isRegistered(connection)) continue;
    const QueueName = queueName(connection.id);
    if (!(await unless(client.send(new GetQueueUrlCommand({ QueueName })), 'QueueDoesNotExist')))
      missing.push(`the queue ${QueueName}`);
  }
  client.destroy();
  return missing;
};

const missingKeys = async (env: LocalEnv): Promise<readonly string[]> => {
  const client = clientOf(env, 'KMS', new KMSClient(clientConfig(env, 'KMS')));
  const key = client.send(new DescribeKeyCommand({ KeyId: signingKeyAlias }));
  const found = await unless(key, 'NotFoundException');
  client.destroy();
  return found ? [] : [`the key ${signingKeyAlias}`];
};

/**
 * Checks that the engines have what the demo workspace needs: its connections, the queues of its consumers and the signing
 * key. Changes nothing.
 *
 * @throws StartRefusal that names what is missing
 */
export const checkState = async (env: LocalEnv, seed: Seed, folder: string): Promise<void> => {
  const missing = [...(await missingConnections(env, seed)), ...(await missingKeys(env))];
  if (missing.length === 0) missing.push(...(await missingQueues(env, seed)));
  if (missing.length > 0) throw missingParts(folder, missing);
};
