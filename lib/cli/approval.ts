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
import type { Organisation, OrganisationType } from '../registry/organisations.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { accepted, type CommandContext } from './command.ts';
import { newNotes } from './notes.ts';
import { type CommonOptions, common, name, tier } from './options.ts';
import { type PersonOptions, personOf, personOptions } from './person.ts';
import { partyRecord, printRecord } from './print.ts';

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
