import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../aws/clients.ts';
import { isFault } from '../aws/table.ts';
import { queueName } from '../contract/environments.ts';
import { isJsonObject } from '../json/value.ts';
import { isRegistered } from '../registry/connection.ts';
import { createConnection, type IssuedConnection } from '../registry/connections.ts';
import type { Declined, RegistryPorts } from '../registry/operator.ts';
import { createOrganisation, createWorkspace } from '../registry/organisations.ts';
import { registryPorts } from '../wiring/operator.ts';
import { damagedFile, type LocalEnv, missingParts, signingKeyAlias } from './env.ts';

/** The workspace that a new data folder starts with, and the credentials to use it. */
export interface Seed {
  readonly organisation: string;
  readonly workspace: string;
  readonly producer: {
    readonly client_id: string;
    readonly client_secret: string;
    readonly system_id: string;
  };
  readonly consumer: { readonly client_id: string; readonly client_secret: string };
}

/** What the demo producer sends as. */
export const demoSystemId = 'demo-ncs';

const settled = <T>(result: T | Declined): T => {
  if (typeof result === 'object' && result !== null && 'reason' in result) throw new Error(result.reason);
  return result as T; // the other member of the union
};

const credentials = ({ connection, clientSecret }: IssuedConnection) => ({
  client_id: connection.id,
  client_secret: clientSecret,
});

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

/** One organisation with one workspace, a producer that may send everything and a consumer that receives everything. */
export const seed = async (ports: RegistryPorts): Promise<Seed> => {
  const organisation = await createOrganisation(ports, { name: 'Demo Broadcaster', tier: 'high' });
  const workspace = settled(
    await createWorkspace(ports, { name: 'Demo Newsroom', organisation: organisation.id }),
  );
  const common = { workspace: workspace.id, ...nothing };
  const producer = settled(
    await createConnection(ports, {
      ...common,
      kind: 'producer',
      app: demoSystemId,
      systemIds: [demoSystemId],
      grants: ['*'],
    }),
  );
  const consumer = settled(
    await createConnection(ports, { ...common, kind: 'consumer', app: 'demo-playout', receives: ['*'] }),
  );
  return {
    organisation: organisation.id,
    workspace: workspace.id,
    producer: { ...credentials(producer), system_id: demoSystemId },
    consumer: credentials(consumer),
  };
};

const isClient = (value: unknown): value is Seed['consumer'] =>
  isJsonObject(value) && typeof value['client_id'] === 'string' && typeof value['client_secret'] === 'string';

/** The seed that a data folder keeps. */
export const parseSeed = (value: unknown, path: string): Seed => {
  if (isJsonObject(value)) {
    const { organisation, workspace, producer, consumer } = value;
    const named = typeof organisation === 'string' && typeof workspace === 'string';
    const sends = isClient(producer) && 'system_id' in producer && typeof producer.system_id === 'string';
    if (named && sends && isClient(consumer)) {
      return {
        organisation,
        workspace,
        producer: { ...producer, system_id: String(producer.system_id) },
        consumer,
      };
    }
  }
  throw damagedFile(path);
};

/** What a call answers with; undefined where the fault says that there is no such thing. */
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
      missing.push(`the connection ${client_id} (in dynamodb.sqlite)`);
  return missing;
};

const missingQueues = async (env: LocalEnv, { workspace }: Seed): Promise<readonly string[]> => {
  const client = new SQSClient(clientConfig(env, 'SQS'));
  const all = await registryPorts(env).connections.ofWorkspace(workspace);
  const missing: string[] = [];
  for (const connection of all) {
    if (connection.kind !== 'consumer' || !isRegistered(connection)) continue;
    const QueueName = queueName(connection.id);
    if (!(await unless(client.send(new GetQueueUrlCommand({ QueueName })), 'QueueDoesNotExist')))
      missing.push(`the queue ${QueueName} (in sqs)`);
  }
  client.destroy();
  return missing;
};

const missingKeys = async (env: LocalEnv): Promise<readonly string[]> => {
  const client = new KMSClient(clientConfig(env, 'KMS'));
  const key = client.send(new DescribeKeyCommand({ KeyId: signingKeyAlias }));
  const found = await unless(key, 'NotFoundException');
  client.destroy();
  return found ? [] : [`the key ${signingKeyAlias} (in kms)`];
};

/**
 * Checks that the engines hold what a folder's credentials need: its connections, the queues of the workspace's
 * consumers and the signing key. Changes nothing.
 *
 * @throws StartRefusal that names what is missing
 */
export const checkState = async (env: LocalEnv, seed: Seed, folder: string): Promise<void> => {
  const lost = [...(await missingConnections(env, seed)), ...(await missingKeys(env))];
  if (lost.length === 0) lost.push(...(await missingQueues(env, seed)));
  if (lost.length > 0) throw missingParts(folder, lost);
};
