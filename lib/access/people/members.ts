import { createHash } from 'node:crypto';
import { type Clock, defined, type Entries, type Part, timestamp } from '../../contract/outside.ts';
import { includesRole, type Role, type Standing } from '../../contract/portal/portal.ts';
import { changed, type Declined, declined, isDeclined } from '../registry/declined.ts';

/** A person by identity: never by an email address, which can change hands. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface NamedPerson extends Identity {
  readonly name: string;
  readonly email?: string;
}

export interface Member extends NamedPerson {
  readonly organisation: string;
  readonly role: Role;
  /** RFC 3339. */
  readonly since: string;
}

export interface Affiliation {
  readonly roles: readonly { readonly organisation: string; readonly role: Role }[];
  readonly isOperator: boolean;
}

/** The members of organisations, and the operators. Reads are consistent. */
export interface Members {
  ofOrganisation(organisation: string): Promise<readonly Member[]>;
  affiliationOf(person: Identity): Promise<Affiliation>;
  requestsOf(person: Identity, part: Part): Promise<Entries<string>>;
  /** Replaces the one with the same identity. */
  put(member: Member): Promise<Declined | undefined>;
  /**
   * False if the role is no more `member`'s, or `keeper` is no owner any more: the one who keeps the
   * organisation from being without an owner, if `member` is one.
   */
  setRole(member: Member, role: Role, keeper?: Member): Promise<boolean>;
  /** False as for `setRole`. */
  remove(member: Member, keeper?: Member): Promise<boolean>;
  setOperator(person: Identity, isOperator: boolean): Promise<void>;
  vendorsOf(workspace: string): Promise<readonly string[]>;
  vendorsPage(workspace: string, part: Part): Promise<Entries<string>>;
  placesOf(organisation: string, part: Part): Promise<Entries<string>>;
}

export const personKey = ({ issuer, subject }: Identity): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('base64url').slice(0, 32);

interface MemberPorts {
  readonly members: Members;
  readonly invitations: {
    endMadeBy(organisation: string, person: Identity): Promise<void>;
  };
}

/** `seen`: the role that the person who decides has seen. */
export interface MemberChoice {
  readonly organisation: string;
  readonly key: string;
  readonly seen?: Role;
}

const changedMeanwhile = changed(
  'Somebody else changed this member, or another owner, in the meantime: check the current state first.',
);

const noMember = (organisation: string): Declined =>
  declined(`The organisation ${organisation} has no such member.`);

const lastOwner = (organisation: string): Declined =>
  declined(
    `The organisation ${organisation} would be left without an owner: make another member owner first.`,
  );

/** A member whose role may change; for an owner, the one who keeps the organisation. */
const memberIn = async (
  { members }: MemberPorts,
  { organisation, key, seen }: MemberChoice,
  role?: Role,
): Promise<{ member: Member; keeper: Member | undefined } | Declined> => {
  const all = await members.ofOrganisation(organisation);
  const member = all.find(one => personKey(one) === key);
  if (!member) return noMember(organisation);
  if (seen !== undefined && member.role !== seen) return changedMeanwhile;

  if (member.role !== 'owner' || role === 'owner') return { member, keeper: undefined };
  const keeper = all.find(one => one.role === 'owner' && one !== member);
  if (keeper) return { member, keeper };
  return lastOwner(organisation);
};

export const addMember = async (
  { clock, members }: { clock: Clock; members: Pick<Members, 'put'> },
  wanted: Omit<Member, 'since'>,
): Promise<Member | Declined> => {
  const member = { ...wanted, since: timestamp({ clock }) };
  return (await members.put(member)) ?? member;
};

/** An organisation keeps at least one owner; who is no owner any more has no invitations open. */
export const setMemberRole = async (
  ports: MemberPorts,
  choice: MemberChoice,
  role: Role,
): Promise<Member | Declined> => {
  const found = await memberIn(ports, choice, role);
  if ('kind' in found) return found;
  const { member, keeper } = found;
  if (!(await ports.members.setRole(member, role, keeper))) return changedMeanwhile;
  if (role !== 'owner') await ports.invitations.endMadeBy(choice.organisation, member);
  return { ...member, role };
};

export const removeMember = async (
  ports: MemberPorts,
  choice: MemberChoice,
): Promise<Member | Declined> => {
  const found = await memberIn(ports, choice);
  if ('kind' in found) return found;
  const { member, keeper } = found;
  if (!(await ports.members.remove(member, keeper))) return changedMeanwhile;
  await ports.invitations.endMadeBy(choice.organisation, member);
  return member;
};

/** The better of two roles; a person may have none yet. */
const betterRole = (role: Role, other: Role | undefined): Role =>
  other !== undefined && includesRole(other, role) ? other : role;

interface MoveMemberPorts extends MemberPorts {
  readonly clock: Clock;
}

/** Moves a person's place in one organisation. */
const moveMember = async (
  ports: MoveMemberPorts,
  member: Member,
  { to, role }: { to: NamedPerson; role: Role },
): Promise<Declined | undefined> => {
  const { organisation } = member;
  const added = await addMember(ports, { ...to, organisation, role });
  if (isDeclined(added)) return added;
  // The new place comes first, so that no organisation is without an owner in between.
  if (!(await ports.members.remove(member))) return changedMeanwhile;
  await ports.invitations.endMadeBy(organisation, member);
  return undefined;
};

/**
 * Gives what one identity belongs to to another one of the same person: an account that was made
 * anew is somebody else to its issuer. Repeat an interrupted call to finish it.
 */
export const moveMemberships = async (
  ports: MoveMemberPorts,
  from: Identity,
  to: NamedPerson,
): Promise<{ organisations: readonly string[]; isOperator: boolean } | Declined> => {
  if (personKey(from) === personKey(to)) return declined('Both are the same identity.');
  const { roles, isOperator } = await ports.members.affiliationOf(from);
  const known = await ports.members.affiliationOf(to);
  for (const { organisation } of roles) {
    const all = await ports.members.ofOrganisation(organisation);
    const member = all.find(one => personKey(one) === personKey(from));
    if (!member) return noMember(organisation);
    const own = known.roles.find(one => one.organisation === organisation)?.role;
    const problem = await moveMember(ports, member, { to, role: betterRole(member.role, own) });
    if (problem) return problem;
  }
  if (isOperator) {
    await ports.members.setOperator(to, true);
    await ports.members.setOperator(from, false);
  }
  return { organisations: roles.map(({ organisation }) => organisation), isOperator };
};

/** What somebody may do where an organisation is at home, and others are `invited`. */
export const standingIn = (
  { roles, isOperator }: Affiliation,
  { organisation, invited = [] }: { organisation: string | undefined; invited?: readonly string[] },
): Standing => {
  const own = roles.find(one => one.organisation === organisation)?.role;

  // Whoever is of several invited organisations has the best of the roles there.
  const order = ['viewer', 'editor', 'owner'] as const;
  const guests = roles.filter(one => invited.includes(one.organisation)).map(({ role }) => role);
  const best = order.findLast(role => guests.includes(role));
  return {
    ...defined({ own, invited: best }),
    ...(isOperator && { operator: true }),
  };
};
