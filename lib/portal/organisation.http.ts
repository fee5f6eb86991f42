import { requestOrganisation } from '../access/people/approval.ts';
import {
  acceptInvitation,
  invitationRecord,
  inviteMember,
  type OpenInvitation,
  openInvitation,
  openInvitations,
  withdrawInvitation,
} from '../access/people/invitations.ts';
import {
  type Member,
  type MemberChoice,
  personKey,
  removeMember,
  setMemberRole,
} from '../access/people/members.ts';
import {
  createWorkspace,
  notActive,
  type Organisation,
  type Party,
} from '../access/people/organisations.ts';
import { isDeclined } from '../access/registry/declined.ts';
import { limits } from '../contract/limits.ts';
import { defined, type Entries, fitting, iso, type Part } from '../contract/outside.ts';
import { includesRole, isRole } from '../contract/portal/portal.ts';
import { portalPages } from '../contract/portal/portal-pages.ts';
import type { OpenInvitationResponse, ResponseOf } from '../contract/portal/portal-responses.ts';
import { type JsonObject, textOf } from '../platform/json/value.ts';
import { invalidRequest, ownUrl, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, nextOf, note, pageIn, partIn } from './calls.http.ts';
import { changeWords, madeBy, namesIn } from './change-words.ts';
import { letIn } from './letting-in.ts';
import type { PortalPorts } from './ports.ts';

export const organisationRecord = ({
  id,
  name,
  type,
  status,
  tier,
  quota,
  createdAt,
}: Organisation) => ({
  organisation_id: id,
  name,
  type,
  status,
  tier,
  ...(quota && {
    quota: { per_second: quota.perSecond, burst: quota.burst, per_day: quota.perDay },
  }),
  created_at: createdAt,
});

const memberRecord = (member: Member) => ({
  member_id: personKey(member),
  name: member.name,
  ...defined({ email: member.email }),
  role: member.role,
  since: member.since,
});

const partyRecord = ({ id, name, status }: Party) => ({ id, name, status });

/** An invitation as it is shown, once; whoever it is for gets an account if they need one. */
export const invitedRecord = async (
  ports: PortalPorts,
  { request, settings }: Call,
  {
    organisation,
    email,
    invitation,
  }: { readonly organisation: string; readonly email?: string; readonly invitation: string },
) => {
  const record = invitationRecord(ports, invitation);
  const found = await ports.directory.find('organisation', organisation);
  const account = await letIn(ports, {
    ...defined({ email }),
    house: found?.name ?? organisation,
    // Behind a #, which no server gets.
    link: `${ownUrl(request, settings)}${portalPages.join}#${invitation}`,
    until: record.valid_until,
    now: ports.clock.now(),
  });
  return { ...record, ...account };
};

const openRecord = ({ id, offer, until, by }: OpenInvitation): OpenInvitationResponse => ({
  invitation_id: id,
  valid_until: iso(until),
  ...(by && { by: by.name }),
  ...defined({ email: offer.email }),
  ...(offer.kind === 'member'
    ? { role: offer.role }
    : { workspace_id: offer.workspace, ...offer.terms }),
});

/** For whom an invitation is to be; an empty address stands for whoever gets its link. */
export const invitedBy = (body: JsonObject): { readonly email?: string } => {
  const email = textOf(body, 'email').trim();
  return email === '' ? {} : { email };
};

/** Where a list goes on that is over. */
const over = '-';

/** The page of a list that begins at a position; empty: at its beginning. */
const pageFrom = async <T>(
  position: string,
  read: (part: Part) => Promise<Entries<T>>,
): Promise<Entries<T>> => {
  if (position === over) return { entries: [] };
  return read({ after: position || undefined, max: limits.portalPage });
};

/**
 * What belongs to an organisation: three lists at once, each from where the page before left it.
 * `after` has the positions of all three, with commas between them.
 */
const belongings = async ({ directory, members }: PortalPorts, { query, subject: { o } }: Call) => {
  const after = (query['after'] ?? '').split(',');
  const [workspacesFrom = '', appsFrom = '', placesFrom = ''] = after;
  const [workspaces, apps, places] = await Promise.all([
    pageFrom(workspacesFrom, part => directory.page('workspace', o, part)),
    pageFrom(appsFrom, part => directory.page('app', o, part)),
    pageFrom(placesFrom, part => members.placesOf(o, part)),
  ]);
  const hosts = await Promise.all(places.entries.map(id => directory.find('workspace', id)));

  const ends = [workspaces.next, apps.next, places.next];
  const isOver = ends.every(end => end === undefined);
  return {
    workspaces: workspaces.entries.map(partyRecord),
    invited_to: hosts.flatMap(one => (one ? partyRecord(one) : [])),
    apps: apps.entries.map(partyRecord),
    ...(!isOver && { next: ends.map(end => end ?? over).join(',') }),
  };
};

/** A member to change; the role that the person has seen goes with every change. */
const choiceIn = ({ subject: { o }, body }: Call): Required<MemberChoice> | undefined => {
  const [key, seen] = [textOf(body, 'member_id'), textOf(body, 'seen_role')];
  return isRole(seen) ? { organisation: o, key, seen } : undefined;
};

export const organisationCalls: CallHandlers<'organisation'> = {
  'organisation.request': async (ports, call) => {
    const { person, body } = call;
    const type = textOf(body, 'type');
    if (!person || (type !== 'house' && type !== 'vendor')) return invalidRequest;
    const [name, reason] = [textOf(body, 'name'), textOf(body, 'reason')];
    const wanted = { name, type, requestedBy: person, reason } as const;
    const requested = await requestOrganisation(ports, wanted);
    if (isDeclined(requested)) return requested;
    const change = { what: 'organisation.request', organisations: [requested.id] } as const;
    return { ...organisationRecord(requested), ...(await note(ports, call, change)) };
  },

  'organisation.requests': async ({ directory, members }, call) => {
    if (!call.person) return portalRefusal('session.required');
    const page = await members.requestsOf(call.person, partIn(call, limits.portalPage));
    const found = await Promise.all(page.entries.map(id => directory.find('organisation', id)));
    const organisations = found.flatMap(one =>
      one?.kind === 'organisation' && (one.status === 'requested' || one.status === 'declined')
        ? [organisationRecord(one)]
        : [],
    );
    return { organisations, ...nextOf(page) };
  },

  'organisation.show': async (ports, call) => {
    const { o } = call.subject;
    const found = await ports.directory.find('organisation', o);
    if (found?.kind !== 'organisation') return undefined;
    const isOwner = includesRole(call.standing.own, 'owner');
    return {
      ...organisationRecord(found),
      may_add_workspaces: isOwner && found.status === 'active' && !found.isInvited,
      may_invite: isOwner && found.status === 'active',
      may_close: isOwner && found.status !== 'revoked',
      keeps_refused: (await ports.refusedTexts.keptSince(o)) !== undefined,
      ...(await belongings(ports, call)),
    };
  },

  'organisation.members': async ({ members }, call) => {
    const all = (await members.ofOrganisation(call.subject.o)).map(memberRecord);
    const { entries, ...more } = pageIn(all, partIn(call), one => one.member_id);
    return { members: entries, ...more };
  },

  'organisation.changes': async (ports, { subject: { o }, query: { before } }) => {
    const { changes } = ports;
    const page = { max: limits.portalPage, ...defined({ before }) };
    const found = await changes.of(o, page);
    const last = found.length === limits.portalPage ? found.at(-1) : undefined;
    const whole = { entries: found, ...(last && { next: last.position }) };
    const { entries, ...more } = fitting(whole, one => one.position);
    const names = await namesIn(ports, o, entries);
    const records = entries.map(change => ({
      at: iso(change.at),
      by: madeBy(change),
      what: change.what,
      words: changeWords(change, names),
      facts: change.facts,
    }));
    return { changes: records, ...more };
  },

  'organisation.keepRefused': async (ports, call) => {
    const { o } = call.subject;
    const { keep } = call.body;
    const inactive = await notActive(ports, o);
    if (inactive) return inactive;
    if (typeof keep !== 'boolean') return invalidRequest;
    await ports.refusedTexts.setKeeps(o, { keep, now: ports.clock.now() });
    const change = { what: 'refused.keep', facts: { keep: `${keep}` } } as const;
    return { keeps_refused: keep, ...(await note(ports, call, change)) };
  },

  'organisation.addWorkspace': async (ports, call) => {
    const name = textOf(call.body, 'name').trim();
    const made = await createWorkspace(ports, { name, organisation: call.subject.o });
    if (isDeclined(made)) return made;
    const change = { what: 'workspace.add', facts: { workspace: made.id } } as const;
    return { ...partyRecord(made), ...(await note(ports, call, change)) };
  },

  'organisation.setRole': async (ports, call) => {
    const inactive = await notActive(ports, call.subject.o);
    if (inactive) return inactive;
    const [choice, role] = [choiceIn(call), textOf(call.body, 'role')];
    if (!choice || !isRole(role)) return invalidRequest;
    const member = await setMemberRole(ports, choice, role);
    if (isDeclined(member)) return member;
    const change = { what: 'member.role', facts: { member: choice.key, role } } as const;
    return { ...memberRecord(member), ...(await note(ports, call, change)) };
  },

  'organisation.removeMember': async (ports, call) => {
    const choice = choiceIn(call);
    if (!choice) return invalidRequest;
    const member = await removeMember(ports, choice);
    if (isDeclined(member)) return member;
    const change = { what: 'member.remove', facts: { member: choice.key } } as const;
    return { ...memberRecord(member), ...(await note(ports, call, change)) };
  },

  'organisation.invitations': async (ports, call) => {
    const open = (await openInvitations(ports, call.subject.o)).map(openRecord);
    const { entries, ...more } = pageIn(open, partIn(call), one => one.invitation_id);
    return { invitations: entries, ...more };
  },

  'organisation.inviteMember': async (ports, call) => {
    const { person, subject, body } = call;
    const role = textOf(body, 'role');
    if (!isRole(role)) return invalidRequest;
    const wanted = { organisation: subject.o, role, ...invitedBy(body) };
    const invitation = await inviteMember(ports, wanted, person);
    if (isDeclined(invitation)) return invitation;
    const noted = await note(ports, call, { what: 'member.invite', facts: { role } });
    return { ...(await invitedRecord(ports, call, { ...wanted, invitation })), ...noted };
  },

  'organisation.withdrawInvitation': async (ports, call) => {
    const id = textOf(call.body, 'invitation_id');
    const withdrawn = await withdrawInvitation(ports, call.subject.o, id);
    if (isDeclined(withdrawn)) return withdrawn;
    return { invitation_id: id, ...(await note(ports, call, { what: 'invitation.withdraw' })) };
  },

  /** What an invitation offers, by its names, for whoever has its secret. */
  'organisation.invitation': async (ports, { body }) => {
    const found = await openInvitation(ports, textOf(body, 'invitation'));
    if (isDeclined(found)) return found;
    const { offer } = found;
    const [organisation, workspace] = await Promise.all([
      ports.directory.find('organisation', offer.organisation),
      offer.kind === 'vendor' ? ports.directory.find('workspace', offer.workspace) : undefined,
    ]);
    return {
      ...openRecord(found),
      organisation_name: organisation?.name ?? offer.organisation,
      ...(workspace && { workspace_name: workspace.name }),
    };
  },

  'organisation.join': async (ports, call) => {
    const { person, body } = call;
    if (!person) return portalRefusal('session.required');
    const vendor = defined({
      organisation: textOf(body, 'organisation_id') || undefined,
      newVendor: textOf(body, 'new_vendor') || undefined,
    });
    const secret = textOf(body, 'invitation');
    const taken = await acceptInvitation(ports, secret, { person, ...vendor });
    if (isDeclined(taken)) return taken;
    const change = { what: 'invitation.accept', organisations: [taken.organisation] } as const;
    const joined: ResponseOf<'organisation.join'> = {
      organisation_id: taken.organisation,
      ...('workspace' in taken && { workspace_id: taken.workspace }),
    };
    return { ...joined, ...(await note(ports, call, change)) };
  },
};
