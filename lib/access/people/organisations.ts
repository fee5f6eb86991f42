import { newId } from '../../contract/identifiers.ts';
import { limits, type Quota, type Tier } from '../../contract/limits.ts';
import {
  type Clock,
  type Entries,
  type Ids,
  type Part,
  timestamp,
} from '../../contract/outside.ts';
import type { Allotment, Status } from '../registry/connection.ts';
import { type Declined, declined } from '../registry/declined.ts';
import { isName, isSystemId, nameRule } from '../registry/permissions.ts';
import type { NamedPerson } from './members.ts';

export type OrganisationType = 'house' | 'vendor';

/**
 * Requested, then active or declined; an active one may be suspended for a while. A revoked one
 * stays revoked.
 */
export type OrganisationStatus = Status | 'requested' | 'declined' | 'suspended';

/** A broadcaster or vendor. Its tier is the quota that its connections start with. */
export interface Organisation {
  readonly kind: 'organisation';
  readonly id: string;
  readonly name: string;
  readonly type: OrganisationType;
  readonly status: OrganisationStatus;
  readonly requestedBy?: NamedPerson;
  /** Why it was asked for, in the words of who did. */
  readonly reason?: string;
  readonly tier: Tier;
  /**
   * A vendor that came by an invitation: the operator never approved it, so it has no workspaces of
   * its own.
   */
  readonly isInvited?: true;
  /** Overrides the tier's, for connections created from now on. */
  readonly quota?: Quota;
  readonly createdAt: string;
}

interface Child<Kind> extends Pick<Organisation, 'id' | 'name' | 'createdAt'> {
  readonly kind: Kind;
  readonly status: Status;
  readonly organisation: string;
}

/** Where systems exchange messages: the `tenant` in addresses and claims. */
type Workspace = Child<'workspace'>;

export type App = Child<'app'>;

export type Party = Organisation | Workspace | App;

export type PartyKind = Party['kind'];

export interface Directory {
  /** Adds nothing if there are too many. */
  add(party: Party): Promise<Declined | undefined>;
  find(kind: PartyKind, id: string): Promise<Party | undefined>;
  /** Newest last; `parent` is the organisation of workspaces and apps. */
  list(kind: PartyKind, parent?: string): Promise<readonly Party[]>;
  /** The same in parts, in the order of ids; without a parent: organisations. */
  page(kind: PartyKind, parent: string | undefined, part: Part): Promise<Entries<Party>>;
  setQuota(organisation: string, allotment: Allotment): Promise<boolean>;
  revoke(kind: PartyKind, id: string): Promise<boolean>;
  setStatus(
    organisation: string,
    change: {
      from: OrganisationStatus;
      to: OrganisationStatus;
      tier?: Tier;
    },
  ): Promise<boolean>;
}

export interface PartyPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directory: Directory;
}

const begun = (ports: PartyPorts, prefix: 'o' | 'w' | 'a') =>
  ({ id: newId(ports, prefix), status: 'active', createdAt: timestamp(ports) }) as const;

export const createOrganisation = async (
  ports: PartyPorts,
  wanted: { name: string; tier: Tier; type?: OrganisationType },
): Promise<Organisation> => {
  const organisation: Organisation = {
    kind: 'organisation',
    type: 'house',
    ...begun(ports, 'o'),
    ...wanted,
  };
  // Nothing bounds the organisations that the operator makes: this is never declined.
  await ports.directory.add(organisation);
  return organisation;
};

/**
 * Why nothing is made or changed in organisations that are suspended or worse; undefined if all of
 * them are active.
 */
export const notActive = async (
  { directory }: Pick<PartyPorts, 'directory'>,
  ...organisations: readonly string[]
): Promise<Declined | undefined> => {
  for (const id of new Set(organisations)) {
    const status = (await directory.find('organisation', id))?.status ?? 'unknown';
    if (status !== 'active')
      return declined(`The organisation ${id} is ${status}: nothing can be made or changed in it.`);
  }
  return undefined;
};

export const activeWorkspace = async (
  { directory }: Pick<PartyPorts, 'directory'>,
  id: string,
): Promise<Workspace | Declined> => {
  const found = await directory.find('workspace', id);
  if (found?.kind === 'workspace' && found.status === 'active') return found;
  return declined(`There is no active workspace ${id}.`);
};

const onlyInvited = declined(
  'This vendor came by an invitation: it works in the workspaces of those who invite it. For ' +
    'workspaces of its own, ask for an organisation.',
);

export const createWorkspace = async (
  ports: PartyPorts,
  wanted: { name: string; organisation: string },
): Promise<Workspace | Declined> => {
  if (!isName(wanted.name)) return declined(nameRule);
  const refusal = await notActive(ports, wanted.organisation);
  if (refusal) return refusal;
  const owner = await ports.directory.find('organisation', wanted.organisation);
  if (owner?.kind === 'organisation' && owner.isInvited) return onlyInvited;
  const workspace: Workspace = { kind: 'workspace', ...begun(ports, 'w'), ...wanted };
  return (await ports.directory.add(workspace)) ?? workspace;
};

export const createApp = async (
  ports: PartyPorts,
  wanted: { name: string; organisation: string },
): Promise<App | Declined> => {
  if (!isSystemId(wanted.name))
    return declined(
      `An app's name must have 1 to ${limits.nameCharacters} characters, all of them printable.`,
    );
  const refusal = await notActive(ports, wanted.organisation);
  if (refusal) return refusal;
  const apps = await ports.directory.list('app', wanted.organisation);
  if (apps.some(({ name, status }) => name === wanted.name && status === 'active'))
    return declined(`The organisation has an active app named "${wanted.name}" already.`);
  const app: App = { kind: 'app', ...begun(ports, 'a'), ...wanted };
  return (await ports.directory.add(app)) ?? app;
};
