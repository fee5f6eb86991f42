import { Command, Option } from 'commander';
import { isOrganisationId } from '../contract/identifiers.ts';
import type { Tier } from '../contract/limits.ts';
import {
  approveOrganisation,
  declineOrganisation,
  requestOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../registry/approval.ts';
import type { Declined } from '../registry/operator.ts';
import {
  createApp,
  createOrganisation,
  createWorkspace,
  type Organisation,
  type OrganisationType,
  type Party,
  type PartyKind,
} from '../registry/organisations.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { revokeParty } from '../registry/revoking.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import {
  type CommonOptions,
  common,
  name,
  type PersonOptions,
  personOf,
  personOptions,
  tier,
} from './options.ts';
import { partyRecord, printRecord, printTable } from './print.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly org: string;
}

interface Kind {
  readonly command: string;
  readonly kind: PartyKind;
  readonly description: string;
  create(ports: RegistryPorts, options: CreateOptions): Promise<Party | Declined>;
}

const kinds: readonly Kind[] = [
  {
    command: 'org',
    kind: 'organisation',
    description: 'organisations: broadcasters and vendors',
    create: (ports, { name, tier }) => createOrganisation(ports, { name, tier }),
  },
  {
    command: 'workspace',
    kind: 'workspace',
    description: 'workspaces: where producers and consumers exchange messages',
    create: (ports, { name, org }) => createWorkspace(ports, { name, organisation: org }),
  },
  {
    command: 'app',
    kind: 'app',
    description: 'apps: the systems that connect to the bus',
    create: (ports, { name, org }) => createApp(ports, { name, organisation: org }),
  },
];

const articled = (kind: PartyKind): string => `${kind === 'workspace' ? 'a' : 'an'} ${kind}`;

const found = async (ports: RegistryPorts, kind: PartyKind, id: string): Promise<Party> => {
  const party = await ports.directory.find(kind, id);
  if (!party) throw new Refused(`There is no ${kind} ${id}.`);
  return party;
};

const noteParty = (context: CommandContext, data: string, [party, verb]: readonly [Party, string]) =>
  newNotes(context.terminal, context.registry(data)).change({
    organisation: party.kind === 'organisation' ? party.id : party.organisation,
    what: `${party.kind}.${verb}`,
    facts: party.kind === 'organisation' ? {} : { [party.kind]: party.id },
  });

const createCommand = (context: CommandContext, { kind, create }: Kind): Command => {
  const command = common(new Command('create').description(`create ${articled(kind)}`)).requiredOption(
    '--name <name>',
    `name of the ${kind}`,
    name,
  );
  if (kind === 'organisation')
    command.option('--tier <tier>', 'quota of each of its connections', tier, 'standard');
  else command.requiredOption('--org <id>', 'the organisation it belongs to');
  return command.action(async (options: CreateOptions) => {
    const party = accepted(await create(context.registry(options.data), options));
    await noteParty(context, options.data, [party, 'add']);
    printRecord(context.terminal, partyRecord(party), options.json);
  });
};

const listCommand = ({ terminal, registry }: CommandContext, { kind }: Kind): Command => {
  const command = common(new Command('list').description(`list ${kind}s`));
  if (kind !== 'organisation') command.option('--org <id>', 'filter by organisation');
  return command.action(async ({ org, data, json }: CommonOptions & { org?: string }) => {
    const parties = await registry(data).directory.list(kind, org);
    printTable(terminal, parties.map(partyRecord), json);
  });
};

const showCommand = ({ terminal, registry }: CommandContext, { kind }: Kind): Command =>
  common(new Command('show').argument('<id>').description(`show one ${kind}`)).action(
    async (id: string, { data, json }: CommonOptions) => {
      printRecord(terminal, partyRecord(await found(registry(data), kind, id)), json);
    },
  );

const revokeCommand = (context: CommandContext, { kind }: Kind): Command =>
  common(
    new Command('revoke')
      .argument('<id>')
      .description(`revoke ${articled(kind)} and everything that belongs to it`),
  ).action(async (id: string, { data, json }: CommonOptions) => {
    const ports = context.registry(data);
    if (!(await revokeParty(ports, kind, id))) throw new Refused(`There is no ${kind} ${id}.`);
    const party = await found(ports, kind, id);
    await noteParty(context, data, [party, 'revoke']);
    printRecord(context.terminal, partyRecord(party), json);
  });

export const partyCommands = (context: CommandContext): readonly Command[] =>
  kinds.map(kind => {
    const command = new Command(kind.command).description(kind.description);
    for (const make of [createCommand, listCommand, showCommand, revokeCommand])
      command.addCommand(make(context, kind));
    if (kind.kind === 'organisation')
      for (const added of approvalCommands(context)) command.addCommand(added);
    return command;
  });

const requestCommand = ({ terminal, registry }: CommandContext): Command =>
  personOptions(
    common(new Command('request').description('ask for an organisation, for the operator to approve')),
  )
    .requiredOption('--name <name>', 'name of the organisation', name)
    .addOption(
      new Option('--type <type>', 'a broadcaster or a vendor').choices(['house', 'vendor']).default('house'),
    )
    .action(
      async (
        options: CommonOptions & PersonOptions & { readonly name: string; readonly type: OrganisationType },
      ) => {
        const ports = registry(options.data);
        const requestedBy = personOf(options);
        const wanted = { name: options.name, type: options.type, requestedBy };
        const organisation = accepted(await requestOrganisation(ports, wanted));
        await newNotes(terminal, ports).change({
          organisation: organisation.id,
          what: 'organisation.request',
        });
        printRecord(terminal, partyRecord(organisation), options.json);
      },
    );

type Decision = (ports: OperatorPorts, id: string, tier: Tier) => Promise<Organisation | Declined>;

const decisions: readonly {
  readonly command: string;
  readonly description: string;
  readonly decide: Decision;
}[] = [
  {
    command: 'approve',
    description: 'approve a requested organisation; who asked for it becomes its owner',
    decide: approveOrganisation,
  },
  { command: 'decline', description: 'decline a requested organisation', decide: declineOrganisation },
  {
    command: 'suspend',
    description: 'suspend an organisation: its connections count as revoked until it is resumed',
    decide: suspendOrganisation,
  },
  { command: 'resume', description: 'end the suspension of an organisation', decide: resumeOrganisation },
];

export const approvalCommands = (context: CommandContext): readonly Command[] => [
  requestCommand(context),
  ...decisions.map(({ command: verb, description, decide }) => {
    const command = common(new Command(verb).argument('<id>').description(description));
    if (verb === 'approve')
      command.option('--tier <tier>', 'quota of each of its connections', tier, 'standard');
    return command.action(async (id: string, options: CommonOptions & { readonly tier?: Tier }) => {
      const ports = context.registry(options.data);
      const organisation = accepted(await decide(ports, id, options.tier ?? 'standard'));
      if (isOrganisationId(id))
        await newNotes(context.terminal, ports).change({ organisation: id, what: `organisation.${verb}` });
      printRecord(context.terminal, partyRecord(organisation), options.json);
    });
  }),
];
