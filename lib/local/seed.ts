import { createConnection, type IssuedConnection } from '../app/registry/connections.ts';
import type { Declined } from '../app/registry/declined.ts';
import { createOrganisation, createWorkspace } from '../app/registry/parties.ts';
import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import { isJsonObject } from '../domain/message/json-object.ts';
import { damagedFile } from './start-refusal.ts';

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
