import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { isRole } from '../contract/portal.ts';
import type { AnswerOf } from '../contract/portal-answers.ts';
import type { Edge } from '../http/respond.ts';
import { textOf } from '../json/value.ts';
import { type RequestPorts, requestOrganisation } from '../registry/approval.ts';
import type { Changes } from '../registry/changes.ts';
import {
  type AcceptPorts,
  acceptInvitation,
  type InvitePorts,
  inviteMember,
} from '../registry/invitations.ts';
import {
  type Member,
  type MemberPorts,
  type Members,
  personKey,
  removeMember,
  setMemberRole,
  standingIn,
} from '../registry/members.ts';
import { isDeclined } from '../registry/operator.ts';
import { createWorkspace, type Directory, type Organisation, type Party } from '../registry/organisations.ts';
import { portalAnswer, portalRefusal, type Reply } from './browser.http.ts';
import { type Call, type CallPorts, serveCalls } from './calls.http.ts';
import type { Person } from './session.ts';

export type OrganisationPorts = CallPorts &
  RequestPorts &
  MemberPorts &
  InvitePorts &
  AcceptPorts & {
    readonly members: Pick<Members, 'placesOf'>;
    readonly directory: Pick<Directory, 'list'>;
    readonly changes: Changes;
  };

const iso = (time: number): string => new Date(time).toISOString();

/** An organisation as it is answered. */
export const organisationRecord = ({ id, name, type, status, tier, createdAt }: Organisation) => ({
  organisation_id: id,
  name,
  type,
  status,
  tier,
  created_at: createdAt,
});

const memberRecord = (member: Member) => ({
  member_id: personKey(member),
  name: member.name,
  ...(member.email === undefined ? {} : { email: member.email }),
  role: member.role,
  since: member.since,
});

const partyRecord = ({ id, name, status }: Party) => ({ id, name, status });

/** What noting a change needs. */
export interface NotePorts {
  readonly clock: Clock;
  readonly changes: Pick<Changes, 'note'>;
}

/** Notes what a person changed. */
export const noteChange = (
  { changes, clock }: NotePorts,
  by: Person | undefined,
  change: { readonly organisation: string; readonly what: string; readonly facts?: Record<string, string> },
): Promise<void> => changes.note({ facts: {}, ...change, at: clock.now(), by });

/** An invitation as it is shown, once. */
export const invitationRecord = ({ clock }: Pick<OrganisationPorts, 'clock'>, invitation: string) => ({
  invitation,
  valid_until: iso(clock.now() + limits.invitationSeconds * 1000),
});

const request =
  (ports: OrganisationPorts) =>
  async ({ person, body }: Call): Promise<Reply<AnswerOf<'organisation.request'>>> => {
    const type = textOf(body, 'type');
    if (!person || (type !== 'house' && type !== 'vendor')) return portalRefusal('request.invalid');
    const requested = await requestOrganisation(ports, {
      name: textOf(body, 'name'),
      type,
      requestedBy: person,
    });
    if (isDeclined(requested)) return portalRefusal('portal.declined', requested.reason);
    await noteChange(ports, person, { organisation: requested.id, what: 'organisation.request' });
    return portalAnswer(organisationRecord(requested));
  };

const join =
  (ports: OrganisationPorts) =>
  async ({ person, body }: Call): Promise<Reply<AnswerOf<'organisation.join'>>> => {
    if (!person) return portalRefusal('session.required');
    const [organisation, newVendor] = [textOf(body, 'organisation_id'), textOf(body, 'new_vendor')];
    const taken = await acceptInvitation(ports, textOf(body, 'invitation'), {
      person,
      ...(organisation === '' ? {} : { organisation }),
      ...(newVendor === '' ? {} : { newVendor }),
    });
    if (isDeclined(taken)) return portalRefusal('portal.declined', taken.reason);
    await noteChange(ports, person, { organisation: taken.organisation, what: 'invitation.accept' });
    return portalAnswer({
      organisation_id: taken.organisation,
      ...('workspace' in taken ? { workspace_id: taken.workspace } : {}),
    });
  };

const show =
  ({ directory, members }: OrganisationPorts) =>
  async ({ subject: { o = '' } }: Call): Promise<Reply<AnswerOf<'organisation.show'>>> => {
    const found = await directory.find('organisation', o);
    if (found?.kind !== 'organisation') return portalRefusal('portal.not_found');
    const [workspaces, apps, places] = await Promise.all([
      directory.list('workspace', o),
      directory.list('app', o),
      members.placesOf(o),
    ]);
    const invited = await Promise.all(places.map(id => directory.find('workspace', id)));
    return portalAnswer({
      ...organisationRecord(found),
      workspaces: workspaces.map(partyRecord),
      invited_to: invited.flatMap(one => (one ? partyRecord(one) : [])),
      apps: apps.map(partyRecord),
    });
  };

const changesOf =
  ({ changes }: OrganisationPorts) =>
  async ({
    subject: { o = '' },
    request: { query },
  }: Call): Promise<Reply<AnswerOf<'organisation.changes'>>> => {
    const { before } = query;
    const page = { max: limits.portalPage, ...(before === undefined ? {} : { before }) };
    const found = await changes.of(o, page);
    const next = found.length === limits.portalPage ? found.at(-1)?.position : undefined;
    return portalAnswer({
      changes: found.map(({ at, by, what, facts }) => ({
        at: iso(at),
        ...(by ? { by: by.name } : {}),
        what,
        facts,
      })),
      ...(next === undefined ? {} : { next }),
    });
  };

const addWorkspace =
  (ports: OrganisationPorts) =>
  async ({
    person,
    subject: { o = '' },
    body,
  }: Call): Promise<Reply<AnswerOf<'organisation.addWorkspace'>>> => {
    const name = textOf(body, 'name').trim();
    if (name === '' || name.length > limits.nameCharacters) return portalRefusal('request.invalid');
    const made = await createWorkspace(ports, { name, organisation: o });
    if (isDeclined(made)) return portalRefusal('portal.declined', made.reason);
    await noteChange(ports, person, {
      organisation: o,
      what: 'workspace.add',
      facts: { workspace: made.id },
    });
    return portalAnswer(partyRecord(made));
  };

const setRole =
  (ports: OrganisationPorts) =>
  async ({ person, subject: { o = '' }, body }: Call): Promise<Reply<AnswerOf<'organisation.setRole'>>> => {
    const [key, role] = [textOf(body, 'member_id'), textOf(body, 'role')];
    if (!isRole(role)) return portalRefusal('request.invalid');
    const member = await setMemberRole(ports, { organisation: o, key }, role);
    if (isDeclined(member)) return portalRefusal('portal.declined', member.reason);
    await noteChange(ports, person, { organisation: o, what: 'member.role', facts: { member: key, role } });
    return portalAnswer(memberRecord(member));
  };

const remove =
  (ports: OrganisationPorts) =>
  async ({
    person,
    subject: { o = '' },
    body,
  }: Call): Promise<Reply<AnswerOf<'organisation.removeMember'>>> => {
    const key = textOf(body, 'member_id');
    const member = await removeMember(ports, { organisation: o, key });
    if (isDeclined(member)) return portalRefusal('portal.declined', member.reason);
    await noteChange(ports, person, { organisation: o, what: 'member.remove', facts: { member: key } });
    return portalAnswer(memberRecord(member));
  };

const invite =
  (ports: OrganisationPorts) =>
  async ({
    person,
    subject: { o = '' },
    body,
  }: Call): Promise<Reply<AnswerOf<'organisation.inviteMember'>>> => {
    const role = textOf(body, 'role');
    if (!isRole(role)) return portalRefusal('request.invalid');
    const invitation = await inviteMember(ports, o, role);
    if (isDeclined(invitation)) return portalRefusal('portal.declined', invitation.reason);
    await noteChange(ports, person, { organisation: o, what: 'member.invite', facts: { role } });
    return portalAnswer(invitationRecord(ports, invitation));
  };

/** `/api/organisation/…`: organisations and their people. */
export const organisationEdge: Edge<OrganisationPorts> = (ports, settings) =>
  serveCalls(
    ports,
    {
      group: 'organisation',
      standingOf: async (person, { o }) =>
        o === undefined ? {} : standingIn(await ports.members.affiliationOf(person), { organisation: o }),
      handlers: {
        'organisation.request': request(ports),
        'organisation.join': join(ports),
        'organisation.show': show(ports),
        'organisation.members': async ({ subject: { o = '' } }) =>
          portalAnswer({ members: (await ports.members.ofOrganisation(o)).map(memberRecord) }),
        'organisation.changes': changesOf(ports),
        'organisation.addWorkspace': addWorkspace(ports),
        'organisation.setRole': setRole(ports),
        'organisation.removeMember': remove(ports),
        'organisation.inviteMember': invite(ports),
      },
    },
    settings,
  );
