import { Command, Option } from 'commander';
import { limits } from '../contract/limits.ts';
import { type Role, roles } from '../contract/portal.ts';
import type { ConnectionKind } from '../registry/connection.ts';
import { endGuest } from '../registry/guests.ts';
import {
  acceptInvitation,
  inviteMember,
  inviteVendor,
  type OpenInvitation,
  openInvitations,
} from '../registry/invitations.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import {
  type CommonOptions,
  common,
  name,
  type PersonOptions,
  personOf,
  personOptions,
  repeated,
} from './options.ts';
import { printRecord, printTable } from './print.ts';

const validUntil = ({ clock }: OperatorPorts): string =>
  new Date(clock.now() + limits.invitationSeconds * 1000).toISOString();

interface Invited {
  readonly email?: string;
}

const emailOption = [
  '--email <address>',
  'only for whoever has this e-mail address, verified by the identity provider',
  name,
] as const;

const invited = ({ email }: Invited): Invited => (email === undefined ? {} : { email });

const memberCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('member').argument('<organisation>').description('invite a person into an organisation'))
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles).default('viewer'))
    .option(...emailOption)
    .action(async (organisation: string, options: CommonOptions & Invited & { readonly role: Role }) => {
      const { role, data, json } = options;
      const ports = registry(data);
      const wanted = { organisation, role, ...invited(options) };
      const invitation = accepted(await inviteMember(ports, wanted));
      await newNotes(terminal, ports).change({ organisation, what: 'member.invite', facts: { role } });
      printRecord(terminal, { invitation, role, valid_until: validUntil(ports) }, json);
    });

interface VendorOptions extends CommonOptions, Invited {
  readonly kind: readonly ConnectionKind[];
  readonly grant: readonly string[];
  readonly receive: readonly string[];
}

const vendorCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('vendor')
      .argument('<workspace>')
      .description('invite a vendor into a workspace, and say what its connections may be'),
  )
    .addOption(
      new Option('--kind <kind...>', 'kinds of its connections')
        .choices(['producer', 'consumer'])
        .makeOptionMandatory(),
    )
    .option('--grant <type>', 'its producers may send this type, family.* or * (repeatable)', repeated, [])
    .option(
      '--receive <type>',
      'its consumers may receive this type, family.* or * (repeatable)',
      repeated,
      [],
    )
    .option(...emailOption)
    .action(async (workspace: string, options: VendorOptions) => {
      const { kind, grant, receive, data, json } = options;
      const ports = registry(data);
      const terms = { kinds: kind, grants: grant, receives: receive };
      const invitation = accepted(await inviteVendor(ports, { workspace, terms, ...invited(options) }));
      await newNotes(terminal, ports).inWorkspace(workspace, 'vendor.invite', {});
      printRecord(terminal, { invitation, ...terms, valid_until: validUntil(ports) }, json);
    });

interface AcceptOptions extends CommonOptions, PersonOptions {
  readonly org?: string;
  readonly newVendor?: string;
}

const acceptCommand = ({ terminal, registry }: CommandContext): Command =>
  personOptions(
    common(
      new Command('accept').argument('<invitation>').description('take up an invitation, once, for a person'),
    ),
  )
    .option('--org <id>', 'a vendor: for this organisation, which the person owns')
    .option('--new-vendor <name>', 'a vendor: for a new organisation of this name', name)
    .action(async (invitation: string, { org, newVendor, ...options }: AcceptOptions) => {
      const ports = registry(options.data);
      const taken = accepted(
        await acceptInvitation(ports, invitation, {
          person: personOf(options),
          ...(org === undefined ? {} : { organisation: org }),
          ...(newVendor === undefined ? {} : { newVendor }),
        }),
      );
      await newNotes(terminal, ports).change({
        organisation: taken.organisation,
        what: 'invitation.accept',
      });
      const record =
        'terms' in taken
          ? { organisation_id: taken.organisation, workspace_id: taken.workspace, ...taken.terms }
          : { organisation_id: taken.organisation, role: taken.role };
      printRecord(terminal, record, options.json);
    });

const openRecord = ({ id, offer, until, by }: OpenInvitation) => ({
  invitation_id: id,
  for: offer.kind === 'member' ? `${offer.role} of ${offer.organisation}` : `vendor in ${offer.workspace}`,
  by: by?.name ?? 'operator',
  email: offer.email ?? '-',
  valid_until: new Date(until).toISOString(),
});

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('list')
      .argument('<organisation>')
      .description('list the invitations that nobody has taken up yet'),
  ).action(async (organisation: string, { data, json }: CommonOptions) => {
    const open = await openInvitations(registry(data), organisation);
    printTable(terminal, open.map(openRecord), json);
  });

const withdrawCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('withdraw')
      .argument('<organisation>')
      .argument('<invitation-id>', 'as `sombus invite list` shows it')
      .description('withdraw an invitation: its link stops working'),
  ).action(async (organisation: string, id: string, { data, json }: CommonOptions) => {
    const ports = registry(data);
    if (!(await ports.invitations.withdraw(organisation, id)))
      throw new Refused(`The organisation ${organisation} has no open invitation ${id}.`);
    await newNotes(terminal, ports).change({ organisation, what: 'invitation.withdraw' });
    printRecord(terminal, { invitation_id: id, withdrawn: true }, json);
  });

const endCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('end')
      .argument('<workspace>')
      .argument('<organisation>')
      .description("end a vendor's place in a workspace: its connections there are revoked"),
  ).action(async (workspace: string, organisation: string, { data, json }: CommonOptions) => {
    const ports = registry(data);
    const { revoked } = accepted(await endGuest(ports, workspace, organisation));
    await newNotes(terminal, ports).change({ organisation, what: 'vendor.end', facts: { workspace } });
    printRecord(terminal, { organisation_id: organisation, workspace_id: workspace, revoked }, json);
  });

export const inviteCommand = (context: CommandContext): Command => {
  const command = new Command('invite').description('invitations: one-time, for seven days');
  const commands = [memberCommand, vendorCommand, listCommand, withdrawCommand, acceptCommand, endCommand];
  for (const make of commands) command.addCommand(make(context));
  return command;
};
