import { queueName } from '../contract/environments.ts';
import type { Tier } from '../contract/limits.ts';
import {
  type Allotment,
  type Connection,
  type ConnectionKind,
  type Connections,
  type Credential,
  clientSecret,
  hashSecret,
  isRegistered,
  type PermissionChange,
  type SecretSlot,
  type StoredSecret,
  secretBytes,
} from './connection.ts';
import { type Declined, declined, newId, noConnection, timestamp } from './operator.ts';
import { type App, createApp, type PartyKind, type PartyPorts } from './organisations.ts';
import { problemWithPermissions, problemWithUnknownTypes } from './permissions.ts';
import type { QueueAdmin } from './queue-access.ts';
import type { UsagePlans } from './quotas.ts';

/** What the operations on connections need. */
export interface ConnectionPorts extends PartyPorts {
  readonly connections: Connections;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
}

/** Why a connection cannot send as a system. */
const ownedByAnother = (systemId: string): Declined =>
  declined(`The system_id "${systemId}" belongs to another app of this workspace.`);

/**
 * A requested connection. `app` is an app's id or name; a new name creates the app. A producer without system_ids sends as
 * the app's name.
 */
export interface ConnectionRequest {
  readonly kind: ConnectionKind;
  readonly workspace: string;
  readonly app: string;
  readonly systemIds: readonly string[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
  readonly sources: readonly string[];
  /** Default: the tier of the app's organisation. */
  readonly tier?: Tier;
  /** The app's organisation. Default: the workspace's; a vendor's has to be invited (see `createGuestConnection`). */
  readonly organisation?: string;
}

/** A connection with the only copy of its secret. */
export interface IssuedConnection {
  readonly kind: 'issued';
  readonly connection: Connection;
  readonly clientSecret: string;
}

const appOf = async (
  ports: ConnectionPorts,
  organisation: string,
  named: string,
): Promise<App | Declined> => {
  const byId = await ports.directory.find('app', named);
  const byName = (await ports.directory.list('app', organisation)).find(
    ({ name, status }) => name === named && status === 'active',
  );
  const app = byId ?? byName;
  if (!app) return createApp(ports, { name: named, organisation });
  return app.kind === 'app' && app.status === 'active' ? app : declined(`The app ${named} is revoked.`);
};

const newCredential = (
  ports: ConnectionPorts,
  version: number,
): { secret: string; credential: Credential } => {
  const secret = clientSecret(ports.ids.random(secretBytes));
  return {
    secret,
    credential: { version, current: { hash: hashSecret(secret), issuedAt: timestamp(ports) } },
  };
};

const changedMeanwhile =
  'Someone else changed the secret at the same time: check the connection, then try again.';

/** The requested tier, or the quota of the app's organisation. */
const allotmentOf = async (
  ports: ConnectionPorts,
  { tier }: ConnectionRequest,
  app: App,
): Promise<Allotment> => {
  if (tier) return { tier };
  const organisation = await ports.directory.find('organisation', app.organisation);
  if (organisation?.kind !== 'organisation') return { tier: 'standard' };
  return { tier: organisation.tier, ...(organisation.quota ? { quota: organisation.quota } : {}) };
};

/** Removes what a connection has outside the registry. */
const dismantle = async (
  { queueAdmin, usagePlans }: ConnectionPorts,
  { id, queue }: Connection,
): Promise<void> => {
  if (queue) await queueAdmin.remove(queue);
  await usagePlans.remove(id);
};

/** What the operator insists on. */
interface Insistence {
  /** Allows patterns that match no known message type. */
  readonly force?: boolean;
}

/** Creates a connection, its secret and, for a consumer, its queue. */
export const createConnection = async (
  ports: ConnectionPorts,
  request: ConnectionRequest,
  { force = false }: Insistence = {},
): Promise<IssuedConnection | Declined> => {
  const unknown = force ? undefined : problemWithUnknownTypes([...request.grants, ...request.receives]);
  const problem = problemWithPermissions(request) ?? unknown;
  if (problem) return declined(problem);
  const workspace = await ports.directory.find('workspace', request.workspace);
  if (workspace?.kind !== 'workspace' || workspace.status !== 'active') {
    return declined(`There is no active workspace ${request.workspace}.`);
  }
  const app = await appOf(ports, request.organisation ?? workspace.organisation, request.app);
  if (app.kind === 'declined') return app;
  if (request.organisation !== undefined && app.organisation !== request.organisation)
    return declined(`The organisation ${request.organisation} has no app ${request.app}.`);
  const wanted =
    request.kind === 'producer' && request.systemIds.length === 0 ? [app.name] : request.systemIds;
  const unfit = problemWithPermissions({ ...request, systemIds: wanted });
  if (unfit) return declined(unfit);
  const id = newId(ports, 'c');
  const { secret, credential } = newCredential(ports, 1);
  const connection: Connection = {
    ...request,
    id,
    status: 'active',
    organisation: app.organisation,
    app: app.id,
    systemIds: wanted,
    credentialVersion: 1,
    ...(await allotmentOf(ports, request, app)),
    ...(request.kind === 'consumer' ? { queue: queueName(id) } : {}),
    createdAt: timestamp(ports),
  };
  if (connection.queue) await ports.queueAdmin.create(connection.queue);
  await ports.usagePlans.assign(id, connection.quota ?? connection.tier);
  const conflict = await ports.connections.add(connection, credential);
  if (!conflict) return { kind: 'issued', connection, clientSecret: secret };
  await dismantle(ports, connection);
  return ownedByAnother(conflict.owned);
};

const overlapping = ({ hash, lastUsedAt }: StoredSecret, until: number) => ({
  hash,
  until,
  ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
});

/** @param until epoch milliseconds */
const overlapLasts = (until: number): Declined =>
  declined(
    `The secret before the last rotation still works until ${new Date(until).toISOString()}, and a new secret would end that now. Wait until then, or use --force.`,
  );

/** How a secret is rotated. */
export interface Rotation {
  /** 0: the old secret stops working immediately. */
  readonly overlapSeconds: number;
  /** Also ends the overlap of the secret before the old one, if it is not over. */
  readonly force?: boolean;
}

/**
 * Gives a connection a new secret. The previous one keeps working during the overlap; tokens issued earlier stop working. Only two
 * secrets work at a time: during the overlap of an earlier rotation, another one is declined unless it is forced.
 */
export const rotateSecret = async (
  ports: ConnectionPorts,
  id: string,
  { overlapSeconds, force = false }: Rotation,
): Promise<IssuedConnection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const { current, previous, version } = found.credential;
  const now = ports.clock.now();
  if (previous && now < previous.until && !force) return overlapLasts(previous.until);
  const { secret, credential } = newCredential(ports, version + 1);
  const until = now + overlapSeconds * 1000;
  const replaced = await ports.connections.replaceCredential(id, {
    ...credential,
    ...(current && overlapSeconds > 0 ? { previous: overlapping(current, until) } : {}),
  });
  const connection = { ...found.connection, credentialVersion: credential.version };
  return replaced ? { kind: 'issued', connection, clientSecret: secret } : declined(changedMeanwhile);
};

/**
 * Revokes secrets of a connection immediately, without issuing a new one. Earlier tokens stop working, as after any rotation; a client that
 * still has a valid secret can get a new token.
 */
export const revokeSecret = async (
  ports: ConnectionPorts,
  id: string,
  which: SecretSlot | 'all',
): Promise<Connection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const { current, previous, version } = found.credential;
  const kept: Credential = {
    version: version + 1,
    ...(current && which === 'previous' ? { current } : {}),
    ...(previous && which === 'current' ? { previous } : {}),
  };
  const gone = (which !== 'previous' && current) || (which !== 'current' && previous);
  if (!gone) return declined(`The connection ${id} has no such secret.`);
  const replaced = await ports.connections.replaceCredential(id, kept);
  return replaced ? { ...found.connection, credentialVersion: kept.version } : declined(changedMeanwhile);
};

/**
 * Pauses or resumes a connection; repeating it changes nothing. A paused producer is refused. A paused consumer gets no new
 * messages, but can still pull what is in its queue.
 */
export const pauseConnection = async (
  ports: Pick<ConnectionPorts, 'connections'>,
  id: string,
  paused: boolean,
): Promise<Connection | Declined> => {
  const changed = await ports.connections.setPaused(id, paused);
  const found = changed ? await ports.connections.find(id) : undefined;
  return found?.connection ?? noConnection(id);
};

/** Revokes a connection: its tokens and secrets stop working, and its queue is deleted. */
export const revokeConnection = async (ports: ConnectionPorts, id: string): Promise<boolean> => {
  const found = await ports.connections.find(id);
  if (!found) return false;
  const { queue } = found.connection;
  try {
    // Roles that read the queue directly lose access first: nothing else would stop them if this call ended halfway.
    if (queue) await ports.queueAdmin.letRead(queue, []);
  } finally {
    await ports.connections.revoke(id);
  }
  await dismantle(ports, found.connection);
  return true;
};

/**
 * Changes the permissions of a connection: a given list replaces the current one, the others stay. New messages follow the change
 * within `limits.registryCacheSeconds`; messages in a consumer's queue stay there.
 */
export const changePermissions = async (
  { connections }: Pick<ConnectionPorts, 'connections'>,
  id: string,
  { force = false, ...change }: PermissionChange & Insistence,
): Promise<Connection | Declined> => {
  const { grants = [], receives = [] } = change;
  const found = await connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const wanted: Connection = { ...found.connection, ...change };
  const unknown = force ? undefined : problemWithUnknownTypes([...grants, ...receives]);
  const problem = problemWithPermissions(wanted) ?? unknown;
  if (problem) return declined(problem);
  const result = await connections.setPermissions(wanted, change);
  if (result === 'gone') return noConnection(id);
  return result === 'set' ? wanted : ownedByAnother(result.owned);
};

/** Revokes what belongs to a party: its workspaces and apps, and their connections. */
const revokeBelow = async (ports: ConnectionPorts, kind: PartyKind, id: string): Promise<void> => {
  if (kind === 'organisation') {
    for (const child of ['workspace', 'app'] as const) {
      for (const party of await ports.directory.list(child, id)) await revokeParty(ports, child, party.id);
    }
    return;
  }
  const { connections } = ports;
  const all = await (kind === 'app' ? connections.ofApp(id) : connections.ofWorkspace(id));
  for (const connection of all) await revokeConnection(ports, connection.id);
};

/**
 * Revokes a party and everything below it. The party is revoked first, so that nothing new can join it. Repeat an
 * interrupted call to finish it.
 *
 * @returns false if there is no such party
 */
export const revokeParty = async (ports: ConnectionPorts, kind: PartyKind, id: string): Promise<boolean> => {
  const known = await ports.directory.revoke(kind, id);
  if (known) await revokeBelow(ports, kind, id);
  return known;
};
