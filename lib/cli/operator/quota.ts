import { WAFV2Client } from '@aws-sdk/client-wafv2';
import type { Allotment } from '../../access/registry/connection.ts';
import {
  quotaFact,
  raiseLimit,
  setConnectionQuota,
  setOrganisationQuota,
} from '../../access/registry/quotas.ts';
import { awsFirewall, type FirewallView } from '../../access/trust/firewall.wafv2.ts';
import { boundNames, highestMax } from '../../contract/bounds.ts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { customQuota } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { type CommandGroup, type CommandRun, command } from '../frame/command.ts';
import { accepted } from '../frame/failures.ts';
import {
  deployedOptions,
  type OptionsOf,
  option,
  required,
  tierOption,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';
import { notedRecord, printedConnection } from './connections.ts';

const quotaOptions = {
  connection: option('--connection <id>', 'one connection').conflicts('organisation'),
  organisation: option(
    '--organisation <id>',
    'all connections of one organisation, including future ones',
  ),
  tier: tierOption('instead of numbers'),
  rps: option('--rps <number>', 'requests per second', wholeNumber(1, customQuota.perSecond)),
  burst: option('--burst <number>', 'requests in a burst', wholeNumber(1, customQuota.burst)),
  perDay: option(
    '--per-day <number>',
    'requests per day (UTC)',
    wholeNumber(1, customQuota.perDay),
  ),
};

const allotmentOf = ({
  options: { tier, rps, burst, perDay },
  misused,
}: CommandRun<OptionsOf<typeof quotaOptions>>): Allotment => {
  const isCustom = rps !== undefined && burst !== undefined && perDay !== undefined;
  if (isCustom && !tier) return { tier: 'standard', quota: { perSecond: rps, burst, perDay } };
  if (tier && (rps ?? burst ?? perDay) === undefined) return { tier };
  return misused('give either --tier, or --rps, --burst and --per-day together');
};

const setForOrganisation = async (
  { ports, notes, print }: CommandRun,
  organisation: string,
  allotment: Allotment,
) => {
  const { changed, failed } = accepted(await setOrganisationQuota(ports, organisation, allotment));
  await notes.change({ organisation, what: 'organisation.quota', facts: quotaFact(allotment) });
  print(changed.map(entry => printedConnection(entry, ports.queueAdmin.url)));
  const [first] = failed;
  if (!first) return;
  const left = failed.map(({ id }) => id).join(', ');
  const why =
    `${left} still ${failed.length === 1 ? 'has its' : 'have their'} old quota. ` +
    `${errorMessage(first.error)}`;
  throw new Error(`${why} Repeating the command finishes the change.`, { cause: first.error });
};

const set = command({
  usage: 'set',
  description: 'change the quota of a connection, or of all connections of an organisation',
  options: quotaOptions,
  async run(call) {
    const { connection, organisation } = call.options;
    if (connection === undefined && organisation === undefined)
      return call.misused('give either --connection or --organisation');
    const allotment = allotmentOf(call);
    if (connection === undefined) return setForOrganisation(call, organisation ?? '', allotment);
    const result = await setConnectionQuota(call.ports, connection, allotment);
    return notedRecord(call, result, ['connection.quota', quotaFact(allotment)]);
  },
});

const raise = command({
  usage: 'raise',
  description: 'let an organisation have more of something than the contract says',
  options: {
    organisation: required('--organisation <id>', 'whose limit it is'),
    workspace: option(
      '--workspace <id>',
      "one of its workspaces, or one of somebody else's in which it is a guest",
    ),
    limit: required('--limit <name>', 'which limit', boundNames),
    to: required(
      '--to <number>',
      'how many there may be at the same time',
      wholeNumber(1, highestMax),
    ),
  },
  async run({ ports, notes, options: { organisation, workspace, limit, to } }) {
    const choice = {
      bound: limit,
      organisation,
      ...defined({ workspace }),
    };
    const { slot, max } = accepted(await raiseLimit(ports, choice, to));
    const facts = { limit: slot.bound, of: slot.scope, max: `${max}` };
    await notes.change({ organisation, what: 'organisation.limit', facts });
    return { limit: slot.bound, of: slot.scope, id: slot.of, max };
  },
});

export const quotaCommand: CommandGroup = {
  name: 'quota',
  description:
    'how many requests a connection may make, and how much of everything an organisation may have',
  commands: [set, raise],
};

const minuteMilliseconds = 60_000;
/** AWS WAF keeps samples for three hours. */
const maxMinutes = 180;

/** The firewall of an environment, in the account and region of the operator's AWS credentials. */
const firewallOf = (environment: EnvironmentName): FirewallView =>
  awsFirewall(
    new WAFV2Client(clientConfig(process.env, 'WAFV2')),
    resourceNames(environment).firewall,
  );

export const limitsCommand: CommandGroup = {
  name: 'limits',
  description: 'see what the firewall of a deployed environment blocks',
  commands: [
    command({
      usage: 'blocked',
      description: 'list the addresses that a rate rule is blocking now',
      target: 'none',
      options: deployedOptions,
      run: ({ options: { environment } }) => firewallOf(environment).blocked(),
    }),
    command({
      usage: 'sampled',
      description: 'list a sample of the requests that matched a firewall rule, newest first',
      target: 'none',
      options: {
        ...deployedOptions,
        minutes: withDefault(
          option('--minutes <number>', 'how many minutes to look back', wholeNumber(1, maxMinutes)),
          15,
        ),
      },
      async run({ options: { environment, minutes } }) {
        const to = Date.now();
        const from = new Date(to - minutes * minuteMilliseconds);
        const hits = await firewallOf(environment).sampled(from, new Date(to));
        return hits.map(hit => ({ ...hit, at: hit.at.toISOString() }));
      },
    }),
  ],
};
