import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../json/value.ts';
import { createConnection, type IssuedConnection } from '../registry/connections.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import { createOrganisation, createWorkspace } from '../registry/organisations.ts';
import type { RegistryPorts } from '../wiring/operator.ts';
import { dataFiles } from './data-folder.ts';
import { damagedFile, jsonHint } from './start-refusal.ts';

/** The demo workspace of a new data folder, and the credentials to use it. */
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

/** The system that the demo producer sends as. */
export const demoSystemId = 'demo-ncs';

const settled = <Result>(result: Result | Declined): Result => {
  if (isDeclined(result)) throw new Error(result.reason);
  return result;
};

const credentials = ({ connection, clientSecret }: IssuedConnection) => ({
  client_id: connection.id,
  client_secret: clientSecret,
});

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

/** Creates an organisation with a workspace, a producer that may send everything and a consumer that receives everything. */
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

/** @throws StartRefusal when the value is not a seed; `path` is where it was read */
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

/**
 * The demo workspace of a data folder; undefined when it has none.
 *
 * @throws StartRefusal when its file is damaged
 */
export const readSeed = (data: string): Seed | undefined => {
  const path = join(data, dataFiles.credentials);
  return existsSync(path) ? parseSeed(jsonHint(path), path) : undefined;
};
