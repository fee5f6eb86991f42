import { Command, Option } from 'commander';
import { type Role, roles } from '../contract/portal.ts';
import { addMember, type Member, personKey, removeMember, setMemberRole } from '../registry/members.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import { type CommonOptions, common, type PersonOptions, personOf, personOptions } from './options.ts';
import { printRecord, printTable } from './print.ts';

const memberRecord = (member: Member) => ({
  member_id: personKey(member),
  role: member.role,
  name: member.name,
  issuer: member.issuer,
  subject: member.subject,
  since: member.since,
});

const roleOption = (): Option => new Option('--role <role>', 'what the member may do').choices(roles);

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('list').argument('<organisation>').description('list the members of an organisation'),
  ).action(async (organisation: string, { data, json }: CommonOptions) => {
    const members = await registry(data).members.ofOrganisation(organisation);
    printTable(terminal, members.map(memberRecord), json);
  });

const addCommand = ({ terminal, registry }: CommandContext): Command =>
  personOptions(
    common(new Command('add').argument('<organisation>').description('add a person to an organisation')),
  )
    .addOption(roleOption().makeOptionMandatory())
    .action(
      async (organisation: string, options: CommonOptions & PersonOptions & { readonly role: Role }) => {
        const ports = registry(options.data);
        if (!(await ports.directory.find('organisation', organisation)))
          throw new Refused(`There is no organisation ${organisation}.`);
        const wanted = { ...personOf(options), organisation, role: options.role };
        const member = accepted(await addMember(ports, wanted));
        const facts = { member: personKey(member), role: member.role };
        await newNotes(terminal, ports).change({ organisation, what: 'member.add', facts });
        printRecord(terminal, memberRecord(member), options.json);
      },
    );

const roleCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('role')
      .argument('<organisation>')
      .argument('<member>')
      .description('give a member another role'),
  )
    .addOption(roleOption().makeOptionMandatory())
    .action(
      async (organisation: string, key: string, { role, ...options }: CommonOptions & { role: Role }) => {
        const ports = registry(options.data);
        const member = accepted(await setMemberRole(ports, { organisation, key }, role));
        await newNotes(terminal, ports).change({
          organisation,
          what: 'member.role',
          facts: { member: key, role },
        });
        printRecord(terminal, memberRecord(member), options.json);
      },
    );

const removeCommand = ({ terminal, registry }: CommandContext): Command =>
  common(
    new Command('remove').argument('<organisation>').argument('<member>').description('remove a member'),
  ).action(async (organisation: string, key: string, options: CommonOptions) => {
    const ports = registry(options.data);
    const member = accepted(await removeMember(ports, { organisation, key }));
    await newNotes(terminal, ports).change({ organisation, what: 'member.remove', facts: { member: key } });
    printRecord(terminal, memberRecord(member), options.json);
  });

const operatorCommand = ({ terminal, registry }: CommandContext): Command =>
  personOptions(
    common(
      new Command('operator').description('let a person act as the operator in the portal, or no longer'),
    ),
  )
    .option('--remove', 'no longer', false)
    .action(async (options: CommonOptions & PersonOptions & { readonly remove: boolean }) => {
      const person = personOf(options);
      await registry(options.data).members.setOperator(person, !options.remove);
      printRecord(terminal, { ...person, is_operator: !options.remove }, options.json);
    });

export const memberCommand = (context: CommandContext): Command => {
  const command = new Command('member').description('people: members of organisations, and operators');
  for (const make of [listCommand, addCommand, roleCommand, removeCommand, operatorCommand])
    command.addCommand(make(context));
  return command;
};
