import {
  approveOrganisation,
  declineOrganisation,
  requestOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../../access/people/approval.ts';
import type { ChangeName } from '../../access/people/noting.ts';
import {
  createApp,
  createOrganisation,
  createWorkspace,
  type Organisation,
  type Party,
  type PartyKind,
} from '../../access/people/organisations.ts';
import type { Declined } from '../../access/registry/operator.ts';
import { revokeParty } from '../../access/registry/revoking.ts';
import type { Tier } from '../../contract/limits.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandGroup, type CommandRun, type CommandSpec, command } from '../frame/command.ts';
import { accepted, checkConfirmed, found, Refused } from '../frame/failures.ts';
import {
  confirmOption,
  name,
  option,
  personOf,
  personOptions,
  required,
  tierOption,
  withDefault,
} from '../frame/options.ts';

const partyRecord = (party: Party): object => ({
  [`${party.kind}_id`]: party.id,
  name: party.name,
  status: party.status,
  ...(party.kind === 'organisation'
    ? { type: party.type, tier: party.tier }
    : { organisation_id: party.organisation }),
  created_at: party.createdAt,
});

const tierOfAll = withDefault(tierOption('quota of each of its connections'), 'standard');

interface CreateOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly org: string;
}

type Create = (ports: OperatorPorts, options: CreateOptions) => Promise<Party | Declined>;

const changed = async (
  notes: CommandRun['notes'],
  party: Party,
  what: ChangeName,
): Promise<object> => {
  await notes.change({
    organisation: party.kind === 'organisation' ? party.id : party.organisation,
    what,
    facts: party.kind === 'organisation' ? {} : { [party.kind]: party.id },
  });
  return partyRecord(party);
};

const commandsOf = (kind: PartyKind, create: Create): readonly CommandSpec[] => {
  const articled = `${kind === 'workspace' ? 'a' : 'an'} ${kind}`;
  const isOwned = kind !== 'organisation';
  const owner = isOwned ? required('--org <id>', 'the organisation it belongs to') : tierOfAll;
  return [
    command({
      usage: 'create',
      description: `create ${articled}`,
      options: [required('--name <name>', `name of the ${kind}`, name), owner],
      run: async ({ ports, notes, options }) =>
        changed(notes, accepted(await create(ports, options)), `${kind}.add`),
    }),
    command({
      usage: 'list',
      description: `list ${kind}s`,
      options: isOwned ? [option('--org <id>', 'filter by organisation')] : [],
      run: async ({ ports, options }) =>
        (await ports.directory.list(kind, options.org)).map(partyRecord),
    }),
    {
      usage: 'show <id>',
      description: `show one ${kind}`,
      run: async ({ ports }, id) =>
        partyRecord(found(await ports.directory.find(kind, id), kind, id)),
    },
    command({
      usage: 'revoke <id>',
      description: `revoke ${articled} and everything that belongs to it`,
      options: [confirmOption],
      async run({ ports, notes, options }, id) {
        found(await ports.directory.find(kind, id), kind, id);
        checkConfirmed(options, id, {
          would: `The ${kind} ${id} would be revoked for good.`,
          means: 'So would its connections. Queues would be deleted, with the messages in them.',
        });
        if (!(await revokeParty(ports, kind, id))) throw new Refused(`There is no ${kind} ${id}.`);
        return changed(
          notes,
          found(await ports.directory.find(kind, id), kind, id),
          `${kind}.revoke`,
        );
      },
    }),
  ];
};

const request = command({
  usage: 'request',
  description: 'ask for an organisation, for the operator to approve',
  options: [
    ...personOptions,
    required('--name <name>', 'name of the organisation', name),
    withDefault(option('--type <type>', 'a broadcaster or a vendor', ['house', 'vendor']), 'house'),
  ],
  async run({ ports, notes, options }) {
    const wanted = { name: options.name, type: options.type, requestedBy: personOf(options) };
    return changed(
      notes,
      accepted(await requestOrganisation(ports, wanted)),
      'organisation.request',
    );
  },
});

type Decide = (ports: OperatorPorts, id: string, tier: Tier) => Promise<Organisation | Declined>;

type Verb = 'approve' | 'decline' | 'suspend' | 'resume';

const decision = (verb: Verb, description: string, decide: Decide): CommandSpec =>
  command({
    usage: `${verb} <id>`,
    description,
    options: verb === 'approve' ? [tierOfAll] : [],
    run: async ({ ports, notes, options: { tier = 'standard' } }, id) =>
      changed(notes, accepted(await decide(ports, id, tier)), `organisation.${verb}`),
  });

export const partyCommands: readonly CommandGroup[] = [
  {
    name: 'org',
    description: 'organisations: broadcasters and vendors',
    commands: [
      ...commandsOf('organisation', (ports, { name, tier }) =>
        createOrganisation(ports, { name, tier }),
      ),
      request,
      decision(
        'approve',
        'approve a requested organisation; who asked for it becomes its owner',
        approveOrganisation,
      ),
      decision('decline', 'decline a requested organisation', declineOrganisation),
      decision(
        'suspend',
        'suspend an organisation: its connections count as revoked until it is resumed',
        suspendOrganisation,
      ),
      decision('resume', 'end the suspension of an organisation', resumeOrganisation),
    ],
  },
  {
    name: 'workspace',
    description: 'workspaces: where producers and consumers exchange messages',
    commands: commandsOf('workspace', (ports, { name, org }) =>
      createWorkspace(ports, { name, organisation: org }),
    ),
  },
  {
    name: 'app',
    description: 'apps: the systems that connect to the bus',
    commands: commandsOf('app', (ports, { name, org }) =>
      createApp(ports, { name, organisation: org }),
    ),
  },
];
