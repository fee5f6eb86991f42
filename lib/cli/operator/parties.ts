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
import type { Declined } from '../../access/registry/declined.ts';
import { revokeParty } from '../../access/registry/revoking.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandGroup, type CommandRun, type CommandSpec, command } from '../frame/command.ts';
import { accepted, CommandRefused, checkConfirmed, found } from '../frame/failures.ts';
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

const ownRecord = (party: Party): object => {
  if (party.kind !== 'organisation') return { organisation_id: party.organisation };
  const { type, tier } = party;
  return { type, tier };
};

const partyRecord = (party: Party): object => ({
  [`${party.kind}_id`]: party.id,
  name: party.name,
  status: party.status,
  ...ownRecord(party),
  created_at: party.createdAt,
});

const tierOfAll = withDefault(tierOption('quota of each of its connections'), 'standard');

const changed = async (
  notes: CommandRun['notes'],
  party: Party,
  what: ChangeName,
): Promise<object> => {
  const { kind, id } = party;
  const isWhole = kind === 'organisation';
  const organisation = isWhole ? id : party.organisation;
  await notes.change({ organisation, what, facts: isWhole ? {} : { [kind]: id } });
  return partyRecord(party);
};

const named = (kind: PartyKind): string => (kind === 'workspace' ? 'a workspace' : `an ${kind}`);

const nameOption = (kind: PartyKind) => required('--name <name>', `name of the ${kind}`, name);

const createOrganisations = command({
  usage: 'create',
  description: 'create an organisation',
  options: { name: nameOption('organisation'), tier: tierOfAll },
  run: async ({ ports, notes, options: { name, tier } }) =>
    changed(notes, accepted(await createOrganisation(ports, { name, tier })), 'organisation.add'),
});

const createOwned = (
  kind: 'workspace' | 'app',
  create: typeof createWorkspace | typeof createApp,
) =>
  command({
    usage: 'create',
    description: `create ${named(kind)}`,
    options: {
      name: nameOption(kind),
      org: required('--org <id>', 'the organisation it belongs to'),
    },
    run: async ({ ports, notes, options: { name, org: organisation } }) =>
      changed(notes, accepted(await create(ports, { name, organisation })), `${kind}.add`),
  });

const listOwned = (kind: 'workspace' | 'app') =>
  command({
    usage: 'list',
    description: `list ${kind}s`,
    options: { org: option('--org <id>', 'filter by organisation') },
    run: async ({ ports, options }) =>
      (await ports.directory.list(kind, options.org)).map(partyRecord),
  });

const listOrganisations: CommandSpec = {
  usage: 'list',
  description: 'list organisations',
  run: async ({ ports }) =>
    (await ports.directory.list('organisation', undefined)).map(partyRecord),
};

const commandsOf = (kind: PartyKind): readonly CommandSpec[] => [
  {
    usage: 'show <id>',
    description: `show one ${kind}`,
    run: async ({ ports }, id) =>
      partyRecord(found(await ports.directory.find(kind, id), kind, id)),
  },
  command({
    usage: 'revoke <id>',
    description: `revoke ${named(kind)} and everything that belongs to it`,
    options: { confirm: confirmOption },
    async run({ ports, notes, options }, id) {
      found(await ports.directory.find(kind, id), kind, id);
      checkConfirmed(options, id, {
        would: `The ${kind} ${id} would be revoked for good.`,
        means: 'So would its connections. Queues would be deleted, with the messages in them.',
      });
      if (!(await revokeParty(ports, kind, id)))
        throw new CommandRefused(`There is no ${kind} ${id}.`);
      return changed(
        notes,
        found(await ports.directory.find(kind, id), kind, id),
        `${kind}.revoke`,
      );
    },
  }),
];

const request = command({
  usage: 'request',
  description: 'ask for an organisation, for the operator to approve',
  options: {
    ...personOptions,
    name: required('--name <name>', 'name of the organisation', name),
    type: withDefault(
      option('--type <type>', 'a broadcaster or a vendor', ['house', 'vendor']),
      'house',
    ),
  },
  async run({ ports, notes, options }) {
    const wanted = { name: options.name, type: options.type, requestedBy: personOf(options) };
    return changed(
      notes,
      accepted(await requestOrganisation(ports, wanted)),
      'organisation.request',
    );
  },
});

const decision = (
  verb: 'decline' | 'suspend' | 'resume',
  description: string,
  decide: (ports: OperatorPorts, id: string) => Promise<Organisation | Declined>,
): CommandSpec => ({
  usage: `${verb} <id>`,
  description,
  run: async ({ ports, notes }, id) =>
    changed(notes, accepted(await decide(ports, id)), `organisation.${verb}`),
});

const approve = command({
  usage: 'approve <id>',
  description: 'approve a requested organisation; who asked for it becomes its owner',
  options: { tier: tierOfAll },
  run: async ({ ports, notes, options: { tier } }, id) =>
    changed(notes, accepted(await approveOrganisation(ports, id, tier)), 'organisation.approve'),
});

export const partyCommands: readonly CommandGroup[] = [
  {
    name: 'org',
    description: 'organisations: broadcasters and vendors',
    commands: [
      createOrganisations,
      listOrganisations,
      ...commandsOf('organisation'),
      request,
      approve,
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
    commands: [
      createOwned('workspace', createWorkspace),
      listOwned('workspace'),
      ...commandsOf('workspace'),
    ],
  },
  {
    name: 'app',
    description: 'apps: the systems that connect to the bus',
    commands: [createOwned('app', createApp), listOwned('app'), ...commandsOf('app')],
  },
];
