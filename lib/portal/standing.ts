import { createHash } from 'node:crypto';
import { type Affiliation, standingIn } from '../access/people/members.ts';
import {
  type Connection,
  type Credential,
  connectionRecord,
} from '../access/registry/connection.ts';
import type { ClientBinding } from '../access/registry/ports.ts';
import type { Principal } from '../access/trust/principals.ts';
import { lifeOf, lifeSeenByGuest, type MessageLife } from '../bus/activity/message-life.ts';
import { defined, iso } from '../contract/outside.ts';
import { includesRole, type Role, type Standing } from '../contract/portal/portal.ts';
import type {
  ConnectionDetail,
  ConnectionResponse,
  RoleResponse,
} from '../contract/portal/work-responses.ts';
import type { PortalPorts } from './ports.ts';
import type { Person } from './session.ts';

/**
 * What the path of a call names, by the letters of `lib/contract/portal/portal.ts`: empty if it
 * does not.
 */
export type Subject = Readonly<Record<'o' | 'w' | 'c' | 'm' | 'y' | 'r' | 't' | 'l', string>>;

export const noSubject: Subject = { o: '', w: '', c: '', m: '', y: '', r: '', t: '', l: '' };

/** A connection, and what is kept of its secrets. */
export interface ConnectionEntry {
  readonly connection: Connection;
  readonly credential: Credential;
}

/** What a call is about, and who its caller is to that: read once, before the handler runs. */
export interface Place extends Affiliation {
  readonly standing: Standing;
  /** The organisation, or the one that the workspace belongs to. */
  readonly host: string;
  /** The organisation of the connection; of anything else, the host. */
  readonly owner: string;
  /** Who is invited to the workspace. */
  readonly vendors: readonly string[];
  readonly entry?: ConnectionEntry;
}

export const nowhere: Place = {
  standing: {},
  roles: [],
  isOperator: false,
  host: '',
  owner: '',
  vendors: [],
};

/**
 * Who somebody is to an organisation, to a workspace, or to a connection in it. An invited vendor
 * has a standing at its own connections only; nobody has one at a connection that is not there.
 */
export const placeOf = async (
  { directory, members, connections }: PortalPorts,
  person: Person,
  { o, w, c }: Subject,
): Promise<Place> => {
  const [affiliation, found, vendors, entry] = await Promise.all([
    members.affiliationOf(person),
    w === '' ? undefined : directory.find('workspace', w),
    w === '' ? [] : members.vendorsOf(w),
    c === '' ? undefined : connections.find(c),
  ]);
  const organisation = found?.kind === 'workspace' ? found.organisation : o || undefined;
  const host = organisation ?? '';
  const place = { ...affiliation, host, owner: host, vendors };

  if (c === '')
    return { ...place, standing: standingIn(affiliation, { organisation, invited: vendors }) };
  if (entry?.connection.workspace !== w) return { ...place, standing: {} };
  const owner = entry.connection.organisation;
  const invited = vendors.filter(vendor => vendor === owner);
  return { ...place, owner, entry, standing: standingIn(affiliation, { organisation, invited }) };
};

/**
 * Whether a person has a role on the side that a connection belongs to: the host's, or a vendor's.
 */
export const isOwnSide = (
  { standing, owner, host }: Pick<Place, 'standing' | 'owner' | 'host'>,
  role: Role,
): boolean => includesRole(owner === host ? standing.own : standing.invited, role);

/** Whether a person may replay to a connection: its own side may, and the house. */
export const mayReplay = ({ standing: { own, invited } }: Place): boolean =>
  includesRole(own, 'editor') || includesRole(invited, 'editor');

export const appNames = async (
  { directory }: { directory: Pick<PortalPorts['directory'], 'find'> },
  connections: readonly Connection[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = [...new Set(connections.map(({ app }) => app))];
  const found = await Promise.all(ids.map(id => directory.find('app', id)));
  return new Map(ids.map((id, at) => [id, found[at]?.name ?? id]));
};

type Looking = Pick<Place, 'standing' | 'roles'> & { readonly subject: Subject };

/**
 * The connections of a workspace whose messages somebody may see: the house sees all; a vendor its
 * own, without those of an earlier invitation. An operator sees no messages, whatever else that
 * person is.
 */
export const visibleConnections = async (
  { connections, invitations }: PortalPorts,
  { standing, roles, subject: { w } }: Looking,
): Promise<readonly Connection[]> => {
  const all = await connections.ofWorkspace(w);
  if (standing.own !== undefined) return all;

  const own = new Set(roles.map(({ organisation }) => organisation));
  const mine = all.filter(({ organisation }) => own.has(organisation));
  const organisations = [...new Set(mine.map(({ organisation }) => organisation))];
  const guests = await Promise.all(organisations.map(one => invitations.guestOf(w, one)));
  const since = new Map(
    guests.flatMap(guest => (guest ? [[guest.organisation, guest.since]] : [])),
  );
  return mine.filter(({ organisation, guestSince = '' }) => {
    const invitedSince = since.get(organisation);
    return invitedSince !== undefined && guestSince >= invitedSince;
  });
};

/** Whose messages the caller sees; undefined: all. */
export const onlyOf = async (
  ports: PortalPorts,
  call: Looking,
): Promise<ReadonlySet<string> | undefined> => {
  if (call.standing.own !== undefined) return undefined;
  const connections = await visibleConnections(ports, call);
  return new Set(connections.map(({ id }) => id));
};

/**
 * The life of a message as somebody may see it who sees the messages of some connections only;
 * undefined: of all.
 */
export const lifeSeen = async (
  ports: PortalPorts,
  { w, m }: Pick<Subject, 'w' | 'm'>,
  only: ReadonlySet<string> | undefined,
): Promise<MessageLife | undefined> => {
  const life = await lifeOf(ports)(w, m);
  return life && only ? lifeSeenByGuest(life, only) : life;
};

export const connectionResponse = (
  { connection, credential }: ConnectionEntry,
  appName: string,
): ConnectionResponse => {
  const { current, previous } = credential;
  const issued =
    current && defined({ issued_at: current.issuedAt, last_used_at: current.lastUsedAt });
  const replaced =
    previous && defined({ valid_until: iso(previous.until), last_used_at: previous.lastUsedAt });
  return {
    ...connectionRecord(connection),
    app_name: appName,
    secrets: defined({ current: issued, previous: replaced }),
  };
};

const roleRecord = ({
  id,
  roleArn,
  status,
  createdAt,
  verifiedAt,
  challenge,
}: Principal): RoleResponse => ({
  role_id: id,
  role_arn: roleArn,
  status,
  created_at: createdAt,
  ...defined({ verified_at: verifiedAt }),
  ...(challenge !== undefined && { challenge_until: iso(challenge.until) }),
});

/** The same text for the same state. That a secret was used changes nothing. */
const versionOf = (state: object): string => {
  const text = JSON.stringify(state, (name, value: unknown) =>
    name === 'last_used_at' ? undefined : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
};

/** What stands beside a connection. */
interface Surroundings {
  readonly appName: string;
  readonly principals: readonly Principal[];
  readonly bindings: readonly ClientBinding[];
}

/** Reads what stands beside a connection. */
export const surroundingsOf = async (
  { directory, principals, identityProviders }: PortalPorts,
  { workspace, app }: Connection,
): Promise<Surroundings> => {
  const [found, roles, bindings] = await Promise.all([
    directory.find('app', app),
    principals.list(workspace),
    identityProviders.bindings(workspace),
  ]);
  return { appName: found?.name ?? app, principals: roles, bindings };
};

/** A connection as a person sees it who has a standing there. */
export const connectionDetail = (
  { queueAdmin }: Pick<PortalPorts, 'queueAdmin'>,
  { standing, host, entry }: Pick<Place, 'standing' | 'host'> & { entry: ConnectionEntry },
  { appName, principals, bindings }: Surroundings,
): ConnectionDetail => {
  const { id, organisation, status, queue } = entry.connection;
  const state = {
    ...connectionResponse(entry, appName),
    ...(queue !== undefined && { queue_url: queueAdmin.url(queue) }),
    roles: principals
      .filter(one => one.connection === id && one.status !== 'revoked')
      .map(roleRecord),
    clients: bindings
      .filter(one => one.connection === id)
      .map(({ issuer, client, createdAt }) => ({ issuer, client, created_at: createdAt })),
  };
  const isOwn = (role: Role) => isOwnSide({ standing, host, owner: organisation }, role);
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
