import { endGuest } from '../../access/people/guests.ts';
import {
  acceptInvitation,
  invitationRecord,
  inviteMember,
  inviteVendor,
  type OpenInvitation,
  openInvitations,
  withdrawInvitation,
} from '../../access/people/invitations.ts';
import {
  addMember,
  type Member,
  personKey,
  removeMember,
  setMemberRole,
} from '../../access/people/members.ts';
import { defined, iso } from '../../contract/outside.ts';
import { roles } from '../../contract/portal/portal.ts';
import { localIssuerName } from '../../wiring/portal.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { accepted, checkConfirmed, found } from '../frame/failures.ts';
import {
  confirmOption,
  flag,
  name,
  option,
  personOf,
  personOptions,
  repeatable,
  required,
  requiredList,
  withDefault,
} from '../frame/options.ts';
import { movePlaces } from '../frame/people.ts';

const memberRecord = (member: Member) => ({
  member_id: personKey(member),
  role: member.role,
  name: member.name,
  issuer: member.issuer,
  subject: member.subject,
  since: member.since,
});

const roleOption = required('--role <role>', 'what the member may do', roles);

export const memberCommand: CommandGroup = {
  name: 'member',
  description: 'people: members of organisations, and operators',
  commands: [
    {
      usage: 'list <organisation>',
      description: 'list the members of an organisation',
      run: async ({ ports }, organisation) =>
        (await ports.members.ofOrganisation(organisation)).map(memberRecord),
    },
    command({
      usage: 'add <organisation>',
      description: 'add a person to an organisation',
      options: { ...personOptions, role: roleOption },
      async run({ ports, notes, options }, organisation) {
        found(
          await ports.directory.find('organisation', organisation),
          'organisation',
          organisation,
        );
        const { role } = options;
        const member = accepted(
          await addMember(ports, { ...personOf(options), organisation, role }),
        );
        await notes.change({
          organisation,
          what: 'member.add',
          facts: { member: personKey(member), role },
        });
        return memberRecord(member);
      },
    }),
    command({
      usage: 'role <organisation> <member>',
      description: 'give a member another role',
      options: { role: roleOption },
      async run({ ports, notes, options: { role } }, organisation: string, key: string) {
        const member = accepted(await setMemberRole(ports, { organisation, key }, role));
        await notes.change({ organisation, what: 'member.role', facts: { member: key, role } });
        return memberRecord(member);
      },
    }),
    {
      usage: 'remove <organisation> <member>',
      description: 'remove a member',
      async run({ ports, notes }, organisation, key) {
        const member = accepted(await removeMember(ports, { organisation, key }));
        await notes.change({ organisation, what: 'member.remove', facts: { member: key } });
        return memberRecord(member);
      },
    },
    command({
      usage: 'move',
      description: 'give the places of one identity to another one of the same person',
      options: {
        fromSubject: required(
          '--from-subject <sub>',
          "the subject of the person's former account",
          name,
        ),
        fromIssuer: withDefault(
          option('--from-issuer <url>', 'its identity provider; by default the local service'),
          localIssuerName,
        ),
        ...personOptions,
      },
      async run({ ports, notes, options }) {
        const from = { issuer: options.fromIssuer, subject: options.fromSubject };
        const to = personOf(options);
        return { ...to, ...(await movePlaces({ ports, notes }, from, to)) };
      },
    }),
    command({
      usage: 'operator',
      description: 'let a person act as the operator in the portal, or no longer',
      options: { ...personOptions, remove: flag('--remove', 'no longer') },
      async run({ ports, options }) {
        const person = personOf(options);
        await ports.members.setOperator(person, !options.remove);
        return { ...person, is_operator: !options.remove };
      },
    }),
  ],
};

const emailOption = option(
  '--email <address>',
  'only for whoever has this e-mail address, verified by the identity provider',
  name,
);

const invited = ({ email }: { email?: string }) => (email === undefined ? {} : { email });

const offerWords = (offer: OpenInvitation['offer']): string => {
  if (offer.kind === 'member') return `${offer.role} of ${offer.organisation}`;
  return `vendor in ${offer.workspace}`;
};

const openRecord = ({ id, offer, until, by }: OpenInvitation) => ({
  invitation_id: id,
  for: offerWords(offer),
  by: by?.name ?? 'operator',
  email: offer.email ?? '-',
  valid_until: iso(until),
});

const inviteAgain =
  'Withdraw it (`sombus invite list <organisation>` shows its id), and invite again.';

export const inviteCommand: CommandGroup = {
  name: 'invite',
  description: 'invitations: one-time, for seven days',
  commands: [
    command({
      usage: 'member <organisation>',
      description: 'invite a person into an organisation',
      options: {
        role: withDefault(option('--role <role>', 'what the person may do', roles), 'viewer'),
        email: emailOption,
      },
      async run({ ports, notes, options, printOnce }, organisation) {
        const { role } = options;
        const wanted = { organisation, role, ...invited(options) };
        const invitation = accepted(await inviteMember(ports, wanted));
        await notes.change({ organisation, what: 'member.invite', facts: { role } });
        await printOnce({ ...invitationRecord(ports, invitation), role }, inviteAgain);
      },
    }),
    command({
      usage: 'vendor <workspace>',
      description: 'invite a vendor into a workspace, and say what its connections may be',
      options: {
        kind: requiredList('--kind <kind...>', 'kinds of its connections', [
          'producer',
          'consumer',
        ]),
        grant: repeatable(
          '--grant <type>',
          'its producers may send this type, family.* or * (repeatable)',
        ),
        receive: repeatable(
          '--receive <type>',
          'its consumers may receive this type, family.* or * (repeatable)',
        ),
        email: emailOption,
      },
      async run({ ports, notes, options, printOnce }, workspace) {
        const terms = { kinds: options.kind, grants: options.grant, receives: options.receive };
        const invitation = accepted(
          await inviteVendor(ports, { workspace, terms, ...invited(options) }),
        );
        await notes.inWorkspace(workspace, 'vendor.invite');
        await printOnce({ ...invitationRecord(ports, invitation), ...terms }, inviteAgain);
      },
    }),
    {
      usage: 'list <organisation>',
      description: 'list the invitations that nobody has taken up yet',
      run: async ({ ports }, organisation) =>
        (await openInvitations(ports, organisation)).map(openRecord),
    },
    {
      usage: 'withdraw <organisation> <invitation-id>',
      description: 'withdraw an invitation: its link stops working',
      arguments: { 'invitation-id': 'as `sombus invite list` shows it' },
      async run({ ports, notes }, organisation, id) {
        accepted(await withdrawInvitation(ports, organisation, id));
        await notes.change({ organisation, what: 'invitation.withdraw' });
        return { invitation_id: id, withdrawn: true };
      },
    },
    command({
      usage: 'accept <invitation>',
      description: 'take up an invitation, once, for a person',
      options: {
        ...personOptions,
        org: option('--org <id>', 'a vendor: for this organisation, which the person owns'),
        newVendor: option(
          '--new-vendor <name>',
          'a vendor: for a new organisation of this name',
          name,
        ),
      },
      async run({ ports, notes, options }, invitation) {
        const { org, newVendor } = options;
        const wanted = {
          person: personOf(options),
          ...defined({ organisation: org, newVendor }),
        };
        const taken = accepted(await acceptInvitation(ports, invitation, wanted));
        const { organisation } = taken;
        await notes.change({ organisation, what: 'invitation.accept' });
        if ('terms' in taken)
          return { organisation_id: organisation, workspace_id: taken.workspace, ...taken.terms };
        return { organisation_id: organisation, role: taken.role };
      },
    }),
    command({
      usage: 'end <workspace> <organisation>',
      description: "end a vendor's place in a workspace: its connections there are revoked",
      options: { confirm: confirmOption },
      async run({ ports, notes, options }, workspace, organisation) {
        checkConfirmed(options, organisation, {
          would: `The organisation ${organisation} would lose its place in ${workspace}.`,
          means:
            'Its connections there would be revoked for good. Queues would be deleted, with ' +
            'the messages in them.',
        });
        const { revoked } = accepted(await endGuest(ports, workspace, organisation));
        const facts = { workspace, vendor: organisation, revoked: `${revoked}` };
        await notes.change({ organisation, what: 'vendor.end', facts });
        await notes.inWorkspace(workspace, 'vendor.end', facts);
        return { organisation_id: organisation, workspace_id: workspace, revoked };
      },
    }),
  ],
};
