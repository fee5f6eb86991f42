import { newId } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { iso, timestamp } from '../../contract/outside.ts';
import type { Role } from '../../contract/portal/portal.ts';
import { type ConnectionKind, hashSecret, secretBytes } from '../registry/connection.ts';
import { type Declined, declined, isDeclined } from '../registry/declined.ts';
import { problemWithPattern } from '../registry/patterns.ts';
import { isName, nameRule } from '../registry/permissions.ts';
import type { Identity, Member, Members, NamedPerson } from './members.ts';
import { activeWorkspace, notActive, type Organisation, type PartyPorts } from './organisations.ts';

export interface GuestTerms {
  readonly kinds: readonly ConnectionKind[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
}

export type Offer = {
  /** Only somebody whose identity provider has verified this address may take it up. */
  readonly email?: string;
} & (
  | { readonly kind: 'member'; readonly organisation: string; readonly role: Role }
  | {
      readonly kind: 'vendor';
      readonly organisation: string;
      readonly workspace: string;
      readonly terms: GuestTerms;
    }
);

export interface Invitation {
  readonly offer: Offer;
  /**
   * Who made it, and has to be an owner of the organisation still when it is taken up. Absent: the
   * operator.
   */
  readonly by?: NamedPerson;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface Guest {
  readonly workspace: string;
  readonly organisation: string;
  readonly terms: GuestTerms;
  /** RFC 3339. */
  readonly since: string;
}

export interface OpenInvitation extends Invitation {
  readonly id: string;
}

export interface InvitationAcceptance {
  readonly invitation: OpenInvitation;
  readonly now: number;
  readonly member?: Member;
  readonly guest?: Guest;
  readonly organisation?: Organisation;
}

export interface Invitations {
  /** Adds nothing if too many are open. */
  add(hash: string, invitation: Invitation, now: number): Promise<Declined | undefined>;
  find(hash: string): Promise<Invitation | undefined>;
  /**
   * Those of an organisation that nobody has taken up, expired ones among them; from an index, so a
   * new one may be missing.
   */
  ofOrganisation(organisation: string): Promise<readonly OpenInvitation[]>;
  withdraw(organisation: string, id: string): Promise<boolean>;
  endMadeBy(organisation: string, person: Identity): Promise<void>;
  /** `used`: it was used or withdrawn, has expired, or its maker is no owner any more. */
  accept(acceptance: InvitationAcceptance): Promise<'used' | Declined | undefined>;
  guestOf(workspace: string, organisation: string): Promise<Guest | undefined>;
  removeGuest(workspace: string, organisation: string): Promise<boolean>;
}

export interface InvitationPorts extends PartyPorts {
  readonly members: Members;
  readonly invitations: Invitations;
}

const isInvitation = (text: string): boolean => /^sbi_[\w-]{43}$/.test(text);

export const openInvitations = async (
  { clock, invitations }: InvitationPorts,
  organisation: string,
): Promise<readonly OpenInvitation[]> =>
  (await invitations.ofOrganisation(organisation))
    .filter(({ until }) => until > clock.now())
    .sort((a, b) => a.until - b.until);

/** An invitation as it is shown, once. */
export const invitationRecord = (
  { clock }: Pick<InvitationPorts, 'clock'>,
  invitation: string,
) => ({
  invitation,
  valid_until: iso(clock.now() + limits.invitationSeconds * 1000),
});

export const withdrawInvitation = async (
  { invitations }: Pick<InvitationPorts, 'invitations'>,
  organisation: string,
  id: string,
): Promise<{ kind: 'withdrawn' } | Declined> => {
  if (await invitations.withdraw(organisation, id)) return { kind: 'withdrawn' };
  return declined(`The invitation ${id} is not open: it was used or withdrawn, or does not exist.`);
};

interface Invited {
  readonly email?: string;
}

const problemWithEmail = ({ email }: Invited): Declined | undefined => {
  if (email === undefined || (/^[^\s@]+@[^\s@]+$/.test(email) && isName(email))) return undefined;
  return declined(`"${email}" is no e-mail address.`);
};

const make = async (
  ports: InvitationPorts,
  offer: Offer,
  by?: NamedPerson,
): Promise<string | Declined> => {
  const secret = `sbi_${Buffer.from(ports.ids.random(secretBytes)).toString('base64url')}`;
  const now = ports.clock.now();
  const until = now + limits.invitationSeconds * 1000;
  const invitation = { offer, until, ...(by && { by }) };
  return (await ports.invitations.add(hashSecret(secret), invitation, now)) ?? secret;
};

/** Returns the only copy of the invitation. @param by absent for the operator */
export const inviteMember = async (
  ports: InvitationPorts,
  { organisation, ...wanted }: { organisation: string; role: Role } & Invited,
  by?: NamedPerson,
): Promise<string | Declined> => {
  const problem = problemWithEmail(wanted);
  if (problem) return problem;
  const inactive = await notActive(ports, organisation);
  return inactive ?? make(ports, { kind: 'member', organisation, ...wanted }, by);
};

export const inviteVendor = async (
  ports: InvitationPorts,
  wanted: { workspace: string; terms: GuestTerms } & Invited,
  by?: NamedPerson,
): Promise<string | Declined> => {
  const { workspace, terms } = wanted;
  const wrongEmail = problemWithEmail(wanted);
  if (wrongEmail) return wrongEmail;
  const found = await activeWorkspace(ports, workspace);
  if (isDeclined(found)) return found;
  const inactive = await notActive(ports, found.organisation);
  if (inactive) return inactive;

  if (terms.kinds.length === 0)
    return declined('Say what the vendor may connect: producers, consumers or both.');
  const [problem] = [...terms.grants, ...terms.receives].flatMap(
    pattern => problemWithPattern(pattern) ?? [],
  );
  if (problem !== undefined) return declined(problem);
  return make(ports, { kind: 'vendor', organisation: found.organisation, ...wanted }, by);
};

const noInvitation = declined(
  'This invitation was used before, was withdrawn, has expired or does not exist: ask for a new one.',
);

interface Acceptor {
  readonly person: NamedPerson;
  readonly organisation?: string;
  readonly newVendor?: string;
}

type Taken = Pick<InvitationAcceptance, 'member' | 'guest' | 'organisation'>;

const asMember = async (
  ports: InvitationPorts,
  { person }: Acceptor,
  { organisation, role }: Offer & { kind: 'member' },
): Promise<Taken | Declined> => {
  const { roles } = await ports.members.affiliationOf(person);
  if (roles.some(one => one.organisation === organisation))
    return declined('You are a member of this organisation already.');
  return { member: { ...person, organisation, role, since: timestamp(ports) } };
};

/**
 * The vendor that takes a place: one of the person's own, or a new one, which needs no approval and
 * starts on `minimal`.
 */
const vendorOf = async (
  ports: InvitationPorts,
  { person, organisation, newVendor }: Acceptor,
): Promise<{ id: string; created?: Organisation } | Declined> => {
  if (newVendor !== undefined && newVendor.trim() !== '') {
    if (!isName(newVendor.trim())) return declined(nameRule);
    const created: Organisation = {
      kind: 'organisation',
      id: newId(ports, 'o'),
      name: newVendor.trim(),
      type: 'vendor',
      isInvited: true,
      status: 'active',
      tier: 'minimal',
      createdAt: timestamp(ports),
    };
    return { id: created.id, created };
  }

  const { roles } = await ports.members.affiliationOf(person);
  const own = roles.find(one => one.organisation === organisation && one.role === 'owner');
  const found = own && (await ports.directory.find('organisation', own.organisation));
  if (found?.status === 'active') return { id: found.id };
  return declined('Choose an organisation that you own, or name a new one.');
};

const asVendor = async (
  ports: InvitationPorts,
  acceptor: Acceptor,
  { workspace, terms, organisation: host }: Offer & { kind: 'vendor' },
): Promise<Taken | Declined> => {
  const vendor = await vendorOf(ports, acceptor);
  if ('kind' in vendor) return vendor;
  const { id, created } = vendor;
  if (id === host) return declined('This workspace belongs to that organisation already.');
  const since = timestamp(ports);
  const guest = { workspace, organisation: id, terms, since };
  if (created)
    return {
      guest,
      organisation: created,
      member: { ...acceptor.person, organisation: id, role: 'owner', since },
    };
  return { guest };
};

const isMakerStillOwner = async (
  { members }: InvitationPorts,
  { by, offer }: Invitation,
): Promise<boolean> => {
  if (!by) return true;
  const { roles } = await members.affiliationOf(by);
  return roles.some(
    ({ organisation, role }) => organisation === offer.organisation && role === 'owner',
  );
};

const isAddressedTo = ({ email }: Offer, { person }: Acceptor): boolean =>
  email === undefined || person.email?.toLowerCase() === email.toLowerCase();

const forAnother = declined(
  'This invitation is for another e-mail address than the one that your identity provider has ' +
    'verified: sign in with that address, or ask for an invitation without one.',
);

export const openInvitation = async (
  ports: InvitationPorts,
  secret: string,
): Promise<(OpenInvitation & { kind: 'open' }) | Declined> => {
  const id = hashSecret(secret);
  const invitation = isInvitation(secret) ? await ports.invitations.find(id) : undefined;
  if (!invitation || invitation.until <= ports.clock.now()) return noInvitation;
  if (await isMakerStillOwner(ports, invitation)) return { ...invitation, id, kind: 'open' };
  return noInvitation;
};

export const acceptInvitation = async (
  ports: InvitationPorts,
  secret: string,
  acceptor: Acceptor,
): Promise<Member | Guest | Declined> => {
  const known = await openInvitation(ports, secret);
  if (isDeclined(known)) return known;
  const { offer } = known;
  if (!isAddressedTo(offer, acceptor)) return forAnother;
  const host = await ports.directory.find('organisation', offer.organisation);
  if (host?.status !== 'active')
    return declined(
      'The organisation that invited you is not active: ask it for a new invitation later.',
    );

  const taken =
    offer.kind === 'member'
      ? await asMember(ports, acceptor, offer)
      : await asVendor(ports, acceptor, offer);
  if (isDeclined(taken)) return taken;

  const accepted = await ports.invitations.accept({
    invitation: known,
    now: ports.clock.now(),
    ...taken,
  });
  if (accepted === 'used') return noInvitation;
  if (accepted) return accepted;
  // A new vendor is both: its place, and its first owner.
  return taken.guest ?? taken.member ?? noInvitation;
};
