import { limits } from '../contract/limits.ts';
import { type Entries, fitting, iso, type Part, partOf } from '../contract/outside.ts';
import { includesRole, isRole } from '../contract/portal.ts';
import { textOf } from '../json/value.ts';
import { requestOrganisation } from '../registry/approval.ts';
import {
  type Member,
  type MemberChoice,
  personKey,
  removeMember,
  setMemberRole,
  standingIn,
} from '../registry/members.ts';
import { noteChange } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import { createWorkspace, notActive, type Organisation, type Party } from '../registry/organisations.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { invitationCalls } from './invitation.http.ts';
import { badPosition, isPosition, nextOf, partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';

export const organisationRecord = ({ id, name, type, status, tier, quota, createdAt }: Organisation) => ({
  organisation_id: id,
  name,
  type,
  status,
  tier,
  ...(quota ? { quota: { per_second: quota.perSecond, burst: quota.burst, per_day: quota.perDay } } : {}),
  created_at: createdAt,
});

const memberRecord = (member: Member) => ({
  member_id: personKey(member),
  name: member.name,
  ...(member.email === undefined ? {} : { email: member.email }),
  role: member.role,
  since: member.since,
});

const memberId = ({ member_id }: ReturnType<typeof memberRecord>): string => member_id;

const partyRecord = ({ id, name, status }: Party) => ({ id, name, status });

const request: CallHandler<'organisation.request'> = async (ports, { person, body }) => {
  const type = textOf(body, 'type');
  if (!person || (type !== 'house' && type !== 'vendor')) return portalRefusal('request.invalid');
  const requested = await requestOrganisation(ports, {
    name: textOf(body, 'name'),
    type,
    requestedBy: person,
  });
  if (isDeclined(requested)) return declinedReply(requested);
  const noted = await noteChange(ports, person, {
    organisation: requested.id,
    what: 'organisation.request',
  });
  return portalResponse({ ...organisationRecord(requested), ...noted });
};

const requests: CallHandler<'organisation.requests'> = async ({ directory, members }, call) => {
  if (!call.person) return portalRefusal('session.required');
  const page = await members.requestsOf(call.person, partIn(call, limits.portalPage));
  const found = await Promise.all(page.entries.map(id => directory.find('organisation', id)));
  const open = found.flatMap(one =>
    one?.kind === 'organisation' && (one.status === 'requested' || one.status === 'declined')
      ? [organisationRecord(one)]
      : [],
  );
  return portalResponse({ organisations: open, ...nextOf(page) });
};

const over = '-';

const nothing: Entries<string | Party> = { entries: [] };

/** What belongs to an organisation: three lists at once, each from where the page before left it. */
const belongings = async ({ directory, members }: PortalPorts, o: string, call: Call) => {
  const after = (call.request.query['after'] ?? ',,').split(',');
  const readers: readonly ((part: Part) => Promise<Entries<string | Party>>)[] = [
    part => directory.page('workspace', o, part),
    part => directory.page('app', o, part),
    part => members.placesOf(o, part),
  ];
  const pages = await Promise.all(
    readers.map((read, at) =>
      after[at] === over ? nothing : read({ after: after[at] || undefined, max: limits.portalPage }),
    ),
  );
  const isOver = pages.every(({ next: more }) => more === undefined);
  const parties = pages.map(({ entries }) =>
    Promise.all(entries.map(one => (typeof one === 'string' ? directory.find('workspace', one) : one))),
  );
  const [workspaces = [], apps = [], invited = []] = (await Promise.all(parties)).map(found =>
    found.flatMap(one => (one ? partyRecord(one) : [])),
  );
  const next = isOver ? {} : { next: pages.map(({ next: more }) => more ?? over).join(',') };
  return { workspaces, invited_to: invited, apps, ...next };
};

const show: CallHandler<'organisation.show'> = async (ports, call) => {
  const {
    subject: { o = '' },
    standing,
  } = call;
  const found = await ports.directory.find('organisation', o);
  if (found?.kind !== 'organisation') return portalRefusal('portal.not_found');
  return portalResponse({
    ...organisationRecord(found),
    may_add_workspaces: found.status === 'active' && !found.isInvited && includesRole(standing.own, 'owner'),
    may_invite: found.status === 'active' && includesRole(standing.own, 'owner'),
    keeps_refused: (await ports.refusedTexts.keptSince(o)) !== undefined,
    may_close: found.status !== 'revoked' && includesRole(standing.own, 'owner'),
    ...(await belongings(ports, o, call)),
  });
};

const changesOf: CallHandler<'organisation.changes'> = async (
  { changes },
  { subject: { o = '' }, request: { query } },
) => {
  const { before } = query;
  if (!isPosition(before)) return portalRefusal('request.invalid', badPosition);
  const page = { max: limits.portalPage, ...(before === undefined ? {} : { before }) };
  const found = await changes.of(o, page);
  const last = found.length === limits.portalPage ? found.at(-1) : undefined;
  const { entries, ...more } = fitting(
    { entries: found, ...(last ? { next: last.position } : {}) },
    ({ position }) => position,
  );
  return portalResponse({
    changes: entries.map(({ at, by, what, facts }) => ({
      at: iso(at),
      ...(by ? { by: by.name } : {}),
      what,
      facts,
    })),
    ...more,
  });
};

const keepRefused: CallHandler<'organisation.keepRefused'> = async (
  ports,
  { person, subject: { o = '' }, body: { keep } },
) => {
  if (typeof keep !== 'boolean') return portalRefusal('request.invalid');
  await ports.refusedTexts.setKeeps(o, { keep, now: ports.clock.now() });
  const change = { organisation: o, what: 'refused.keep', facts: { keep: `${keep}` } };
  return portalResponse({ keeps_refused: keep, ...(await noteChange(ports, person, change)) });
};

const addWorkspace: CallHandler<'organisation.addWorkspace'> = async (
  ports,
  { person, subject: { o = '' }, body },
) => {
  const name = textOf(body, 'name').trim();
  const made = await createWorkspace(ports, { name, organisation: o });
  if (isDeclined(made)) return declinedReply(made);
  const noted = await noteChange(ports, person, {
    organisation: o,
    what: 'workspace.add',
    facts: { workspace: made.id },
  });
  return portalResponse({ ...partyRecord(made), ...noted });
};

/** A member to change; the role that the person has seen goes with every change. */
const choiceIn = ({ subject: { o = '' }, body }: Call): Required<MemberChoice> | undefined => {
  const [key, seen] = [textOf(body, 'member_id'), textOf(body, 'seen_role')];
  return isRole(seen) ? { organisation: o, key, seen } : undefined;
};

const setRole: CallHandler<'organisation.setRole'> = async (ports, call) => {
  const [choice, role] = [choiceIn(call), textOf(call.body, 'role')];
  if (!choice || !isRole(role)) return portalRefusal('request.invalid');
  const member = await setMemberRole(ports, choice, role);
  if (isDeclined(member)) return declinedReply(member);
  const { organisation, key } = choice;
  const change = { organisation, what: 'member.role', facts: { member: key, role } };
  return portalResponse({ ...memberRecord(member), ...(await noteChange(ports, call.person, change)) });
};

const remove: CallHandler<'organisation.removeMember'> = async (ports, call) => {
  const choice = choiceIn(call);
  if (!choice) return portalRefusal('request.invalid');
  const member = await removeMember(ports, choice);
  if (isDeclined(member)) return declinedReply(member);
  const { organisation, key } = choice;
  const change = { organisation, what: 'member.remove', facts: { member: key } };
  return portalResponse({ ...memberRecord(member), ...(await noteChange(ports, call.person, change)) });
};

const whileActive =
  <Id extends 'organisation.keepRefused' | 'organisation.setRole'>(
    handler: CallHandler<Id>,
  ): CallHandler<Id> =>
  async (ports, call) => {
    const inactive = await notActive(ports, call.subject['o'] ?? '');
    return inactive ? declinedReply(inactive) : handler(ports, call);
  };

export const organisationCalls: CallService<'organisation'> = {
  standingOf: async ({ members }, person, { o }) =>
    o === undefined ? {} : standingIn(await members.affiliationOf(person), { organisation: o }),
  handlers: {
    'organisation.request': request,
    'organisation.requests': requests,
    'organisation.show': show,
    'organisation.members': async ({ members }, call) => {
      const all = (await members.ofOrganisation(call.subject['o'] ?? '')).map(memberRecord);
      const { entries, ...more } = fitting(partOf(all, partIn(call), memberId), memberId);
      return portalResponse({ members: entries, ...more });
    },
    'organisation.changes': changesOf,
    'organisation.keepRefused': whileActive(keepRefused),
    'organisation.addWorkspace': addWorkspace,
    'organisation.setRole': whileActive(setRole),
    'organisation.removeMember': remove,
    ...invitationCalls,
  },
};
