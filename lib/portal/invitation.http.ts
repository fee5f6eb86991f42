import { limits } from '../contract/limits.ts';
import { fitting, iso, partOf } from '../contract/outside.ts';
import { isRole } from '../contract/portal.ts';
import type { OpenInvitationResponse } from '../contract/portal-responses.ts';
import { type JsonObject, textOf } from '../json/value.ts';
import {
  acceptInvitation,
  inviteMember,
  type OpenInvitation,
  openInvitation,
  openInvitations,
} from '../registry/invitations.ts';
import { noteChange } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';
import { partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';

/** An invitation as it is shown, once. */
export const invitationRecord = ({ clock }: Pick<PortalPorts, 'clock'>, invitation: string) => ({
  invitation,
  valid_until: iso(clock.now() + limits.invitationSeconds * 1000),
});

const openRecord = ({ id, offer, until, by }: OpenInvitation): OpenInvitationResponse => ({
  invitation_id: id,
  valid_until: iso(until),
  ...(by ? { by: by.name } : {}),
  ...(offer.email === undefined ? {} : { email: offer.email }),
  ...(offer.kind === 'member' ? { role: offer.role } : { workspace_id: offer.workspace, ...offer.terms }),
});

/** For whom an invitation is to be; an empty address stands for whoever gets its link. */
export const invitedBy = (body: JsonObject): { readonly email?: string } => {
  const email = textOf(body, 'email').trim();
  return email === '' ? {} : { email };
};

const list: CallHandler<'organisation.invitations'> = async (ports, call) => {
  const open = (await openInvitations(ports, call.subject['o'] ?? '')).map(openRecord);
  const idOf = ({ invitation_id }: OpenInvitationResponse) => invitation_id;
  const { entries, ...more } = fitting(partOf(open, partIn(call), idOf), idOf);
  return portalResponse({ invitations: entries, ...more });
};

const invite: CallHandler<'organisation.inviteMember'> = async (
  ports,
  { person, subject: { o = '' }, body },
) => {
  const role = textOf(body, 'role');
  if (!isRole(role)) return portalRefusal('request.invalid');
  const invitation = await inviteMember(ports, { organisation: o, role, ...invitedBy(body) }, person);
  if (isDeclined(invitation)) return declinedReply(invitation);
  const noted = await noteChange(ports, person, {
    organisation: o,
    what: 'member.invite',
    facts: { role },
  });
  return portalResponse({ ...invitationRecord(ports, invitation), ...noted });
};

const withdraw: CallHandler<'organisation.withdrawInvitation'> = async (
  ports,
  { person, subject: { o = '' }, body },
) => {
  const id = textOf(body, 'invitation_id');
  if (!(await ports.invitations.withdraw(o, id)))
    return portalRefusal('portal.declined', 'This invitation is no longer open: it was used or withdrawn.');
  const noted = await noteChange(ports, person, { organisation: o, what: 'invitation.withdraw' });
  return portalResponse({ invitation_id: id, ...noted });
};

/** What an invitation offers, by its names, for whoever has its secret. */
const look: CallHandler<'organisation.invitation'> = async (ports, { body }) => {
  const found = await openInvitation(ports, textOf(body, 'invitation'));
  if (isDeclined(found)) return declinedReply(found);
  const { offer } = found;
  const [organisation, workspace] = await Promise.all([
    ports.directory.find('organisation', offer.organisation),
    offer.kind === 'vendor' ? ports.directory.find('workspace', offer.workspace) : undefined,
  ]);
  return portalResponse({
    ...openRecord(found),
    organisation_name: organisation?.name ?? offer.organisation,
    ...(workspace ? { workspace_name: workspace.name } : {}),
  });
};

const join: CallHandler<'organisation.join'> = async (ports, { person, body }) => {
  if (!person) return portalRefusal('session.required');
  const [organisation, newVendor] = [textOf(body, 'organisation_id'), textOf(body, 'new_vendor')];
  const taken = await acceptInvitation(ports, textOf(body, 'invitation'), {
    person,
    ...(organisation === '' ? {} : { organisation }),
    ...(newVendor === '' ? {} : { newVendor }),
  });
  if (isDeclined(taken)) return declinedReply(taken);
  const noted = await noteChange(ports, person, {
    organisation: taken.organisation,
    what: 'invitation.accept',
  });
  return portalResponse({
    organisation_id: taken.organisation,
    ...('workspace' in taken ? { workspace_id: taken.workspace } : {}),
    ...noted,
  });
};

export const invitationCalls = {
  'organisation.invitation': look,
  'organisation.join': join,
  'organisation.invitations': list,
  'organisation.inviteMember': invite,
  'organisation.withdrawInvitation': withdraw,
};
