import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createOrganisation, createWorkspace } from '../access/people/organisations.ts';
import { isClientSecret, noPermissions } from '../access/registry/connection.ts';
import { createConnection } from '../access/registry/connections.ts';
import { type Declined, isDeclined } from '../access/registry/declined.ts';
import { isSystemId } from '../access/registry/permissions.ts';
import type { IssuedConnection } from '../access/registry/secrets.ts';
import { isConnectionId, isOrganisationId, isWorkspaceId } from '../contract/identifiers.ts';
import { isJsonObject, textOf } from '../platform/json/value.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { dataFiles } from './data-folder.ts';
import { damagedFile, jsonHint } from './start-refusal.ts';

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

export const demoSystemId = 'demo-ncs';

/** What operators get as a value; here, nobody could do anything about a refusal. */
export const resultOrThrow = <Result>(result: Result | Declined): Result => {
  if (isDeclined(result)) throw new Error(result.reason);
  return result;
};

const credentials = ({ connection, clientSecret }: IssuedConnection) => ({
  client_id: connection.id,
  client_secret: clientSecret,
});

/**
 * Creates an organisation with a workspace, a producer that may send everything and a consumer that
 * receives everything.
 */
export const seed = async (ports: OperatorPorts): Promise<Seed> => {
  const organisation = await createOrganisation(ports, { name: 'Demo Broadcaster', tier: 'high' });
  const workspace = resultOrThrow(
    await createWorkspace(ports, { name: 'Demo Newsroom', organisation: organisation.id }),
  );
  const common = { workspace: workspace.id, ...noPermissions };
  const producer = resultOrThrow(
    await createConnection(ports, {
      ...common,
      kind: 'producer',
      app: demoSystemId,
      grants: ['*'],
    }),
  );
  const consumer = resultOrThrow(
    await createConnection(ports, {
      ...common,
      kind: 'consumer',
      app: 'demo-playout',
      receives: ['*'],
    }),
  );
  return {
    organisation: organisation.id,
    workspace: workspace.id,
    producer: { ...credentials(producer), system_id: demoSystemId },
    consumer: credentials(consumer),
  };
};

/**
 * The client of a stored value. Ids and secrets end up in shell lines, so anything but their exact
 * form is damage.
 */
const clientIn = (value: unknown): Seed['consumer'] | undefined => {
  const [client_id, client_secret] = [textOf(value, 'client_id'), textOf(value, 'client_secret')];
  if (isConnectionId(client_id) && isClientSecret(client_secret))
    return { client_id, client_secret };
  return undefined;
};

/** @throws StartRefusal when the value is not a seed; `path` is where it was read */
export const parseSeed = (value: unknown, path: string): Seed => {
  const stored = isJsonObject(value) ? value : {};
  const [organisation, workspace] = [textOf(stored, 'organisation'), textOf(stored, 'workspace')];
  const [producer, consumer] = [clientIn(stored['producer']), clientIn(stored['consumer'])];
  const system_id = textOf(stored['producer'], 'system_id');
  const isNamed =
    isOrganisationId(organisation) && isWorkspaceId(workspace) && isSystemId(system_id);
  if (!isNamed || !producer || !consumer) throw damagedFile(path);
  return { organisation, workspace, producer: { ...producer, system_id }, consumer };
};

/**
 * The demo workspace of a data folder; undefined when it has none.
 *
 * @throws StartRefusal when its file is damaged
 */
export const readSeed = (data: string): Seed | undefined => {
  const path = join(data, dataFiles.credentials);
  if (existsSync(path)) return parseSeed(jsonHint(path), path);
  return undefined;
};

/**
 * The secret of a connection, if the data folder has it: only those of its demo connections are
 * kept.
 */
export const keptSecret = (seed: Seed | undefined, id: string): string | undefined =>
  [seed?.producer, seed?.consumer].find(client => client?.client_id === id)?.client_secret;
