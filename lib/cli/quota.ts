import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { Command, Option } from 'commander';
import { clientConfig } from '../aws/clients.ts';
import { type BoundName, boundNames, highestMax } from '../contract/bounds.ts';
import { type EnvironmentName, environments, resourceNames } from '../contract/environments.ts';
import { customQuota, type Tier } from '../contract/limits.ts';
import { errorMessage } from '../engines/machine.ts';
import type { Allotment } from '../registry/connection.ts';
import { awsFirewall, type Firewall } from '../registry/firewall.wafv2.ts';
import { quotaFact, raiseLimit, setConnectionQuota, setOrganisationQuota } from '../registry/quotas.ts';
import { accepted, type CommandContext, newNotes } from './command.ts';
import { type CommonOptions, common, jsonOption, tier, wholeNumber } from './options.ts';
import { connectionRecord, printRecord, printTable } from './print.ts';

interface QuotaOptions extends CommonOptions {
  readonly connection?: string;
  readonly organisation?: string;
  readonly tier?: Tier;
  readonly rps?: number;
  readonly burst?: number;
  readonly perDay?: number;
}

const allotmentOf = ({ tier, rps, burst, perDay }: QuotaOptions, command: Command): Allotment => {
  const numbers = [rps, burst, perDay].filter(number => number !== undefined);
  const custom = rps !== undefined && burst !== undefined && perDay !== undefined;
  if (tier ? numbers.length > 0 : !custom) {
    command.error('error: give either --tier, or --rps, --burst and --per-day together');
  }
  return custom
    ? { tier: 'standard', quota: { perSecond: rps, burst, perDay } }
    : { tier: tier ?? 'standard' };
};

const change = async (
  { terminal, registry }: CommandContext,
  options: QuotaOptions,
  allotment: Allotment,
): Promise<void> => {
  const ports = registry(options.data);
  const { connection, organisation = '', json } = options;
  const notes = newNotes(terminal, ports);
  if (connection !== undefined) {
    const changed = accepted(await setConnectionQuota(ports, connection, allotment));
    await notes.on(changed, 'connection.quota', quotaFact(allotment));
    printRecord(terminal, connectionRecord(changed, ports.queueAdmin.url), json);
    return;
  }
  const { changed, failed } = accepted(await setOrganisationQuota(ports, organisation, allotment));
  await notes.change({ organisation, what: 'organisation.quota', facts: quotaFact(allotment) });
  const records = changed.map(entry => connectionRecord(entry, ports.queueAdmin.url));
  printTable(terminal, records, json);
  const [first] = failed;
  if (!first) return;
  const left = failed.map(({ id }) => id).join(', ');
  const why = `${left} still ${failed.length === 1 ? 'has its' : 'have their'} old quota. ${errorMessage(first.error)}`;
  throw new Error(`${why} Repeating the command finishes the change.`, { cause: first.error });
};

const setCommand = (context: CommandContext): Command =>
  common(new Command('set'))
    .description('change the quota of a connection, or of all connections of an organisation')
    .addOption(new Option('--connection <id>', 'one connection').conflicts('organisation'))
    .option('--organisation <id>', 'all connections of one organisation, including future ones')
    .option('--tier <tier>', 'minimal, standard or high', tier)
    .option('--rps <number>', 'requests per second', wholeNumber(1, customQuota.perSecond))
    .option('--burst <number>', 'requests in a burst', wholeNumber(1, customQuota.burst))
    .option('--per-day <number>', 'requests per day (UTC)', wholeNumber(1, customQuota.perDay))
    .action(async (options: QuotaOptions, command: Command) => {
      if (options.connection === undefined && options.organisation === undefined) {
        command.error('error: give either --connection or --organisation');
      }
      await change(context, options, allotmentOf(options, command));
    });

interface RaiseOptions extends CommonOptions {
  readonly organisation: string;
  readonly workspace?: string;
  readonly limit: BoundName;
  readonly to: number;
}

const raiseCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('raise'))
    .description('let an organisation have more of something than the contract says')
    .requiredOption('--organisation <id>', 'whose limit it is')
    .option('--workspace <id>', "one of its workspaces, or one of somebody else's in which it is a guest")
    .addOption(new Option('--limit <name>', 'which limit').choices(boundNames).makeOptionMandatory())
    .requiredOption('--to <number>', 'how many there may be at the same time', wholeNumber(1, highestMax))
    .action(async ({ organisation, workspace, limit, to, data, json }: RaiseOptions) => {
      const ports = registry(data);
      const choice = { bound: limit, organisation, ...(workspace === undefined ? {} : { workspace }) };
      const { slot, max } = accepted(await raiseLimit(ports, choice, to));
      const facts = { limit: slot.bound, of: slot.scope, max: `${max}` };
      await newNotes(terminal, ports).change({ organisation, what: 'organisation.limit', facts });
      printRecord(terminal, { limit: slot.bound, of: slot.scope, id: slot.of, max }, json);
    });

export const quotaCommand = (context: CommandContext): Command =>
  new Command('quota')
    .description(
      'how many requests a connection may make, and how much of everything an organisation may have',
    )
    .addCommand(setCommand(context))
    .addCommand(raiseCommand(context));

interface LimitsOptions {
  readonly environment: EnvironmentName;
  readonly json: boolean;
}

const minuteMilliseconds = 60_000;
/** AWS WAF keeps samples for three hours. */
const maxMinutes = 180;

/** The firewall of an environment, in the account and region of the operator's AWS credentials. */
const deployedFirewall = (environment: EnvironmentName): Firewall => {
  const { firewall } = resourceNames(environment);
  return awsFirewall(new WAFV2Client(clientConfig(process.env, 'WAFV2')), firewall);
};

const onEnvironment = (command: Command): Command =>
  jsonOption(
    command.addOption(
      new Option('--environment <name>', 'the deployed environment')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    ),
  );

export const limitsCommand = (
  { terminal }: Pick<CommandContext, 'terminal'>,
  firewallOf: (environment: EnvironmentName) => Firewall = deployedFirewall,
  now: () => number = Date.now,
): Command => {
  const blocked = onEnvironment(new Command('blocked'))
    .description('list the addresses that a rate rule is blocking now')
    .action(async ({ environment, json }: LimitsOptions) => {
      printTable(terminal, await firewallOf(environment).blocked(), json);
    });
  const sampled = onEnvironment(new Command('sampled'))
    .description('list a sample of the requests that matched a firewall rule, newest first')
    .option('--minutes <number>', 'how many minutes to look back', wholeNumber(1, maxMinutes), 15)
    .action(async (options: LimitsOptions & { readonly minutes: number }) => {
      const to = now();
      const from = to - options.minutes * minuteMilliseconds;
      const hits = await firewallOf(options.environment).sampled(new Date(from), new Date(to));
      printTable(
        terminal,
        hits.map(hit => ({ ...hit, at: hit.at.toISOString() })),
        options.json,
      );
    });
  return new Command('limits')
    .description('see what the firewall of a deployed environment blocks')
    .addCommand(blocked)
    .addCommand(sampled);
};
