import { createHash } from 'node:crypto';
import { type LifePorts, lifeOf, lifeSeenBy, type MessageLife } from '../activity/message-life.ts';
import { includesRole, type Role, type Standing } from '../contract/portal.ts';
import type { ConnectionDetail, ConnectionResponse, RoleResponse } from '../contract/work-responses.ts';
import { type Connection, type Connections, type Credential, quotaOf } from '../registry/connection.ts';
import type { Invitations } from '../registry/invitations.ts';
import { type Members, standingIn } from '../registry/members.ts';
import type { Directory } from '../registry/organisations.ts';
import type { ClientBinding, IdentityProviders } from '../registry/ports.ts';
import type { Principal, Principals } from '../registry/principals.ts';
import type { QueueAdmin } from '../registry/queue-access.ts';
import type { Person } from './session.ts';

export interface StandingPorts {
  readonly directory: Pick<Directory, 'find'>;
  readonly members: Pick<Members, 'affiliationOf' | 'vendorsOf'>;
  readonly connections: Pick<Connections, 'find'>;
}

export const hostOf = async (
  { directory }: Pick<StandingPorts, 'directory'>,
  workspace: string,
): Promise<string | undefined> => {
  const found = await directory.find('workspace', workspace);
  return found?.kind === 'workspace' ? found.organisation : undefined;
};

/**
 * Who somebody is to a workspace, or to a connection in it. An invited vendor has a standing at its own connections only; nobody has
 * one at a connection that is not there.
 */
export const standingAt = async (
  ports: StandingPorts,
  person: Person,
  { w = '', c }: Readonly<Record<string, string>>,
): Promise<Standing> => {
  const [affiliation, organisation, vendors, entry] = await Promise.all([
    ports.members.affiliationOf(person),
    hostOf(ports, w),
    ports.members.vendorsOf(w),
    c === undefined ? undefined : ports.connections.find(c),
  ]);
  if (c === undefined) return standingIn(affiliation, { organisation, invited: vendors });
  if (entry?.connection.workspace !== w) return {};
  const invited = vendors.filter(vendor => vendor === entry.connection.organisation);
  return standingIn(affiliation, { organisation, invited });
};

export const ownersOf = async (
  ports: StandingPorts,
  { subject: { w = '', c = '' } }: { readonly subject: Readonly<Record<string, string>> },
) => {
  const [entry, host = ''] = await Promise.all([ports.connections.find(c), hostOf(ports, w)]);
  return { organisation: entry?.connection.organisation ?? host, host };
};

export const appNames = async (
  { directory }: Pick<StandingPorts, 'directory'>,
  connections: readonly Connection[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = [...new Set(connections.map(({ app }) => app))];
  const found = await Promise.all(ids.map(id => directory.find('app', id)));
  return new Map(ids.map((id, at) => [id, found[at]?.name ?? id]));
};

/**
 * The connections of a workspace whose messages somebody may see: the house sees all; a vendor its own, without those of an earlier
 * invitation. An operator sees no messages, whatever else that person is.
 */
export const visibleConnections = async (
  {
    connections,
    members,
    invitations,
  }: {
    readonly connections: Pick<Connections, 'ofWorkspace'>;
    readonly members: Pick<Members, 'affiliationOf'>;
    readonly invitations: Pick<Invitations, 'guestOf'>;
  },
  workspace: string,
  { person, standing }: { readonly person: Person | undefined; readonly standing: Standing },
): Promise<readonly Connection[]> => {
  const all = await connections.ofWorkspace(workspace);
  if (standing.own !== undefined) return all;
  const { roles } = person ? await members.affiliationOf(person) : { roles: [] };
  const own = new Set(roles.map(({ organisation }) => organisation));
  const mine = all.filter(({ organisation }) => own.has(organisation));
  const organisations = [...new Set(mine.map(({ organisation }) => organisation))];
  const guests = await Promise.all(organisations.map(one => invitations.guestOf(workspace, one)));
  const since = new Map(guests.flatMap(guest => (guest ? [[guest.organisation, guest.since]] : [])));
  // Who is invited no more has no time since when.
  return mine.filter(({ organisation, guestSince = '' }) => guestSince >= (since.get(organisation) ?? '~'));
};

/** A connection, and what is kept of its secrets. */
export interface ConnectionEntry {
  readonly connection: Connection;
  readonly credential: Credential;
}

export const connectionRecord = (
  { connection, credential }: ConnectionEntry,
  appName: string,
): ConnectionResponse => {
  const { current, previous } = credential;
  const { perSecond, burst, perDay } = quotaOf(connection);
  const used = (at: string | undefined) => (at === undefined ? {} : { last_used_at: at });
  return {
    connection_id: connection.id,
    kind: connection.kind,
    status: connection.isSuspended ? 'suspended' : connection.status,
    organisation_id: connection.organisation,
    app_id: connection.app,
    app_name: appName,
    system_ids: connection.systemIds,
    grants: connection.grants,
    receives: connection.receives,
    sources: connection.sources,
    created_at: connection.createdAt,
    tier: connection.quota ? 'custom' : connection.tier,
    quota: { per_second: perSecond, burst, per_day: perDay },
    secrets: {
      ...(current ? { current: { issued_at: current.issuedAt, ...used(current.lastUsedAt) } } : {}),
      ...(previous
        ? { previous: { valid_until: new Date(previous.until).toISOString(), ...used(previous.lastUsedAt) } }
        : {}),
    },
  };
};

const roleRecord = ({ id, roleArn, status, createdAt, verifiedAt, challenge }: Principal): RoleResponse => ({
  role_id: id,
  role_arn: roleArn,
  status,
  created_at: createdAt,
  ...(verifiedAt === undefined ? {} : { verified_at: verifiedAt }),
  ...(challenge === undefined ? {} : { challenge_until: new Date(challenge.until).toISOString() }),
});

/** The same text for the same state. That a secret was used changes nothing. */
const versionOf = (
  detail: Omit<ConnectionDetail, 'version' | 'is_own' | 'may_change' | 'may_end' | 'may_bind'>,
): string => {
  const text = JSON.stringify(detail, (name, value: unknown) =>
    name === 'last_used_at' ? undefined : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
};

export interface ViewPorts {
  readonly directory: Pick<Directory, 'find'>;
  readonly connections: Pick<Connections, 'find'>;
  readonly principals: Pick<Principals, 'list'>;
  readonly identityProviders: Pick<IdentityProviders, 'bindings'>;
  readonly queueAdmin: Pick<QueueAdmin, 'url'>;
}

interface Surroundings {
  readonly host: string;
  readonly appName: string;
  readonly queueUrl?: string;
  readonly principals: readonly Principal[];
  readonly bindings: readonly ClientBinding[];
  readonly standing: Standing;
}

export interface ConnectionView {
  readonly entry: ConnectionEntry;
  readonly around: Surroundings;
  readonly detail: ConnectionDetail;
}

/** Whether a person has a role on the side that a connection belongs to: the host's, or a vendor's. */
export const isOwnSide = (
  { own, invited }: Standing,
  { organisation, host }: { readonly organisation: string; readonly host: string },
  role: Role,
): boolean => includesRole(organisation === host ? own : invited, role);

/** Whether a person may replay to a connection: its own side may, and the house. */
export const mayReplay = ({ own, invited }: Standing): boolean =>
  includesRole(own, 'editor') || includesRole(invited, 'editor');

export const connectionDetail = (entry: ConnectionEntry, around: Surroundings): ConnectionDetail => {
  const { id, organisation, status } = entry.connection;
  const { host, principals, bindings, standing, queueUrl } = around;
  const state = {
    ...connectionRecord(entry, around.appName),
    ...(queueUrl === undefined ? {} : { queue_url: queueUrl }),
    roles: principals.filter(one => one.connection === id && one.status !== 'revoked').map(roleRecord),
    clients: bindings
      .filter(one => one.connection === id)
      .map(({ issuer, client, createdAt }) => ({ issuer, client, created_at: createdAt })),
  };
  const isOwn = (role: Role) => isOwnSide(standing, { organisation, host }, role);
  const isKept = status !== 'revoked';
  return {
    ...state,
    version: versionOf(state),
    is_own: isOwn('viewer'),
    may_change: isKept && isOwn('editor'),
    may_end: isKept && (isOwn('editor') || includesRole(standing.own, 'editor')),
    may_bind: isKept && includesRole(standing.own, 'editor'),
  };
};

/** Looks at a connection; undefined if it or its workspace is not there. */
export const viewConnection = async (
  ports: ViewPorts,
  id: string,
  standing: Standing,
): Promise<ConnectionView | undefined> => {
  const entry = await ports.connections.find(id);
  if (!entry) return undefined;
  const { connection } = entry;
  const [host, app, principals, bindings] = await Promise.all([
    hostOf(ports, connection.workspace),
    ports.directory.find('app', connection.app),
    ports.principals.list(connection.workspace),
    ports.identityProviders.bindings(connection.workspace),
  ]);
  if (host === undefined) return undefined;
  const around = {
    host,
    standing,
    principals,
    bindings,
    appName: app?.name ?? connection.app,
    ...(connection.queue === undefined ? {} : { queueUrl: ports.queueAdmin.url(connection.queue) }),
  };
  return { entry, around, detail: connectionDetail(entry, around) };
};

type SeenPorts = LifePorts & Parameters<typeof visibleConnections>[0];

type Looking = Parameters<typeof visibleConnections>[2] & {
  readonly subject: Readonly<Record<string, string>>;
};

/** Whose messages the caller sees; undefined: all. */
export const onlyOf = async (ports: SeenPorts, call: Looking): Promise<ReadonlySet<string> | undefined> =>
  call.standing.own === undefined
    ? new Set((await visibleConnections(ports, call.subject['w'] ?? '', call)).map(({ id }) => id))
    : undefined;

/** The life of a message as the caller may see it: a vendor through its own connections. */
export const seenLife = async (ports: SeenPorts, call: Looking): Promise<MessageLife | undefined> => {
  const { w = '', m = '' } = call.subject;
  const life = await lifeOf(ports)(w, m);
  const only = life && (await onlyOf(ports, call));
  return life && only ? lifeSeenBy(life, only) : life;
};
