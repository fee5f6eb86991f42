import { queueName } from '../../contract/environments.ts';
import { canonicalUuid, newId } from '../../contract/identifiers.ts';
import { limits, type Tier } from '../../contract/limits.ts';
import { defined, timestamp } from '../../contract/outside.ts';
import { shorten } from '../../platform/json/value.ts';
import {
  type App,
  activeWorkspace,
  createApp,
  notActive,
  type PartyPorts,
} from '../people/organisations.ts';
import {
  type Allotment,
  type Connection,
  isKept,
  isRegistered,
  isSameCopy,
  type Pauser,
  type PermissionChange,
  type PermissionLists,
  type Skip,
  type SkippedCopy,
} from './connection.ts';
import { changed, type Declined, declined, isDeclined, noConnection } from './declined.ts';
import { problemWithUnknownTypes } from './patterns.ts';
import { problemWithPermissions } from './permissions.ts';
import type { RegistryPorts } from './ports.ts';
import { dismantle } from './revoking.ts';
import { type IssuedConnection, newCredential } from './secrets.ts';

type Claimant = Pick<Connection, 'workspace' | 'organisation'>;

const ownedByAnother = (systemId: string): Declined =>
  declined(`The system_id "${systemId}" belongs to another app of this workspace.`);

/**
 * Why a connection cannot send as a system; undefined if it can now. A workspace's names are its
 * house's: what a vendor has claimed is free for the house as soon as no connection of that vendor
 * sends as it.
 */
const obstacleOfClaim = async (
  { directory, connections }: RegistryPorts,
  { workspace, organisation }: Claimant,
  systemId: string,
): Promise<Declined | undefined> => {
  const [place, app] = await Promise.all([
    directory.find('workspace', workspace),
    connections.ownerOf(workspace, systemId),
  ]);
  if (app === undefined) return ownedByAnother(systemId);
  const owner = await directory.find('app', app);
  const isHouse = place?.kind === 'workspace' && place.organisation === organisation;
  if (!isHouse || owner?.kind !== 'app' || owner.organisation === organisation)
    return ownedByAnother(systemId);

  const ofApp = await connections.ofApp(app);
  const sender = ofApp.find(
    one => isKept(one) && one.workspace === workspace && one.systemIds.includes(systemId),
  );
  if (sender)
    return declined(
      `The system_id "${systemId}" belongs to the app ${owner.name} of a vendor: revoke its ` +
        `connection ${sender.id} first.`,
    );
  await connections.release(workspace, systemId, app);
  return undefined;
};

const claiming = async <T>(
  ports: RegistryPorts,
  claimant: Claimant,
  write: () => Promise<T | { readonly owned: string }>,
): Promise<T | Declined> => {
  for (;;) {
    const result = await write();
    if (typeof result !== 'object' || result === null || !('owned' in result)) return result;
    const obstacle = await obstacleOfClaim(ports, claimant, result.owned);
    if (obstacle) return obstacle;
    // The system_id is free now: the next write can claim it, unless somebody else was faster.
  }
};

/**
 * `app` is an app's id or name; a new name creates the app. A producer without system_ids sends as
 * the app's name.
 */
export interface ConnectionRequest
  extends PermissionLists,
    Pick<Connection, 'kind' | 'workspace' | 'app' | 'guestSince' | 'guestTypes'> {
  /** Default: the tier of the app's organisation. */
  readonly tier?: Tier;
  /**
   * The app's organisation. Default: the workspace's; a vendor's has to be invited (see
   * `createGuestConnection`).
   */
  readonly organisation?: string;
}

const appOf = async (
  ports: PartyPorts,
  organisation: string,
  named: string,
): Promise<App | Declined> => {
  const byId = await ports.directory.find('app', named);
  const byName = (await ports.directory.list('app', organisation)).find(
    ({ name, status }) => name === named && status === 'active',
  );
  const app = byId ?? byName;
  if (!app) return createApp(ports, { name: named, organisation });
  if (app.kind === 'app' && app.status === 'active') return app;
  return declined(`The app ${named} is revoked.`);
};

const permissionsChanged = changed(
  'Someone else changed the connection at the same time, and nothing of yours was changed: look at it again.',
);

const allotmentOf = async (
  ports: PartyPorts,
  { tier }: ConnectionRequest,
  app: App,
): Promise<Allotment> => {
  if (tier) return { tier };
  const organisation = await ports.directory.find('organisation', app.organisation);
  if (organisation?.kind !== 'organisation') return { tier: 'standard' };
  return { tier: organisation.tier, ...(organisation.quota && { quota: organisation.quota }) };
};

export interface ForceOption {
  /** Allows patterns that match no known message type. */
  readonly force?: boolean;
}

/**
 * What is wrong with the lists that a connection is to have.
 *
 * @param patterns those that are new; if no known type matches them, that can be forced
 */
const problemWithLists = (
  wanted: Parameters<typeof problemWithPermissions>[0],
  patterns: readonly string[],
  { force = false }: ForceOption,
): Declined | undefined => {
  const wrong = problemWithPermissions(wanted);
  if (wrong !== undefined) return declined(wrong);
  const unknown = force ? undefined : problemWithUnknownTypes(patterns);
  return unknown === undefined ? undefined : declined(unknown, true);
};

/** The app of a new connection, and the house of its workspace; both are active. */
const partiesOf = async (ports: PartyPorts, request: ConnectionRequest) => {
  const { organisation } = request;
  const workspace = await activeWorkspace(ports, request.workspace);
  if (isDeclined(workspace)) return workspace;
  const host = workspace.organisation;
  const app = await appOf(ports, organisation ?? host, request.app);
  if (isDeclined(app)) return app;
  if (organisation !== undefined && app.organisation !== organisation)
    return declined(`The organisation ${organisation} has no app ${request.app}.`);
  const inactive = await notActive(ports, host, app.organisation);
  return inactive ?? { app, host };
};

/** A new connection, as it is to be written. */
const newConnection = async (
  ports: PartyPorts,
  request: ConnectionRequest,
  { app, host }: { app: App; host: string },
): Promise<Connection> => {
  const id = newId(ports, 'c');
  const createdAt = timestamp(ports);
  const { guestSince = createdAt, guestTypes, ...asked } = request;
  const isGuest = app.organisation !== host;
  return {
    ...asked,
    id,
    status: 'active',
    organisation: app.organisation,
    ...(isGuest && { guestSince, ...defined({ guestTypes }) }),
    app: app.id,
    credentialVersion: 1,
    ...(await allotmentOf(ports, request, app)),
    ...(request.kind === 'consumer' && { queue: queueName(id) }),
    createdAt,
  };
};

/**
 * The queue and the key of the usage plan are made before the connection, and go again if it cannot
 * be written.
 */
export const createConnection = async (
  ports: RegistryPorts,
  request: ConnectionRequest,
  options: ForceOption = {},
): Promise<IssuedConnection | Declined> => {
  const patterns = [...request.grants, ...request.receives];
  const problem = problemWithLists(request, patterns, options);
  if (problem) return problem;

  const parties = await partiesOf(ports, request);
  if (isDeclined(parties)) return parties;
  const { app } = parties;

  const isUnnamed = request.kind === 'producer' && request.systemIds.length === 0;
  const systemIds = isUnnamed ? [app.name] : request.systemIds;
  const unfit = problemWithPermissions({ ...request, systemIds });
  if (unfit) return declined(unfit);

  const connection = await newConnection(ports, { ...request, systemIds }, parties);
  const { secret, credential } = newCredential(ports, 1);
  if (connection.queue) await ports.queueAdmin.create(connection.queue);
  await ports.usagePlans.assign(connection.id, connection.quota ?? connection.tier);
  const conflict = await claiming(ports, connection, () =>
    ports.connections.add(connection, credential),
  );
  if (!conflict) return { kind: 'issued', connection, credential, clientSecret: secret };
  await dismantle(ports, connection);
  return conflict;
};

const pauserNames: Readonly<Record<Pauser, string>> = {
  guest: 'The vendor',
  host: 'The house',
  operator: 'The operator',
};

/**
 * A paused producer is refused; a paused consumer gets no new messages, but can still pull what is
 * in its queue.
 */
export const pauseConnection = async (
  { connections }: RegistryPorts,
  id: string,
  { paused, by }: { paused: boolean; by: Pauser },
): Promise<Connection | Declined> => {
  // A suspended one can still be paused, but not resumed.
  if (!paused && !isRegistered((await connections.find(id))?.connection)) return noConnection(id);
  const result = await connections.setPaused(id, paused, by);
  if (result === 'gone') return noConnection(id);
  if (result !== 'set' && !paused)
    return declined(
      `${pauserNames[result]} paused this connection, and has to resume it: ask there.`,
    );
  return (await connections.find(id))?.connection ?? noConnection(id);
};

export interface WantedPermissions extends PermissionChange, ForceOption {
  readonly seen?: Connection;
}

/** A record of a change tells the beginning of a long list. */
const maxListCharacters = 200;

/** What a record of changes says of this one. */
export const changedFact = (change: PermissionChange): Readonly<Record<string, string>> => {
  const lists = Object.entries(change);
  const told = lists.map(([name, list]) => [name, shorten(list.join(' '), maxListCharacters)]);
  return { changed: Object.keys(change).join(' '), ...Object.fromEntries(told) };
};

/**
 * A given list replaces the current one. New messages follow within `limits.registryCacheSeconds`;
 * those in a queue stay there.
 */
export const changePermissions = async (
  ports: RegistryPorts,
  id: string,
  { force = false, seen, ...change }: WantedPermissions,
): Promise<Connection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const wanted: Connection = { ...found.connection, ...change };
  const { grants = [], receives = [] } = change;
  const problem = problemWithLists(wanted, [...grants, ...receives], { force });
  if (problem) return problem;

  const result = await claiming(ports, wanted, () =>
    ports.connections.setPermissions(wanted, change, seen),
  );
  if (result === 'gone') {
    if (seen) return permissionsChanged;
    return noConnection(id);
  }
  return result === 'set' ? wanted : result;
};

export interface Skips {
  readonly kind: 'skips';
  readonly skips: readonly Skip[];
}

export const skipRecord = ({ messageId, replay, at }: Skip) =>
  defined({ message_id: messageId, replay_id: replay, skipped_at: at });

const current = (skips: readonly Skip[], now: number): readonly Skip[] =>
  skips.filter(({ at }) => Date.parse(at) > now - limits.queueRetentionSeconds * 1000);

/**
 * The next pull that receives this copy of the message deletes it. Cloud roles that read the queue
 * themselves still get it.
 */
export const skipMessage = async (
  { clock, connections }: RegistryPorts,
  id: string,
  { messageId, replay }: SkippedCopy,
): Promise<Skips | Declined> => {
  const copy: SkippedCopy = { messageId: canonicalUuid(messageId), ...defined({ replay }) };
  const found = await connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  if (found.connection.kind !== 'consumer')
    return declined(`The connection ${id} is not a consumer.`);

  const before = found.connection.skips ?? [];
  const others = current(before, clock.now()).filter(skip => !isSameCopy(skip, copy));
  if (others.length >= limits.skippedMessages)
    return declined(
      `The connection ${id} skips ${limits.skippedMessages} messages already: mend the ` +
        'consumer, then let a replay send them again.',
    );

  const skips = [...others, { ...copy, at: timestamp({ clock }) }];
  const written = await connections.setSkips(id, { skips, before });
  if (written) return { kind: 'skips', skips };
  return declined('Someone else changed the connection at the same time: try again.');
};
