import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { Command, Option } from 'commander';
import { clientConfig } from '../aws/clients.ts';
import { type EnvironmentName, environments, resourceNames } from '../contract/environments.ts';
import { customQuota, type Tier } from '../contract/limits.ts';
import type { Allotment } from '../registry/connection.ts';
import { awsFirewall, type Firewall } from '../registry/firewall.wafv2.ts';
import { setConnectionQuota, setOrganisationQuota } from '../registry/quotas.ts';
import { type CommandContext, type CommonOptions, common, Refused } from './command.ts';
import { tier, wholeNumber } from './options.ts';
import { connectionRecord, printRecord, printTable } from './print.ts';

interface LimitsOptions {
  readonly environment: EnvironmentName;
  readonly json: boolean;
}

const minuteMilliseconds = 60_000;
/** AWS WAF keeps samples for three hours. */
const mostMinutes = 180;

/** The firewalls of an environment, in the account and region of the operator's AWS credentials. */
const deployedFirewall = (environment: EnvironmentName): Firewall => {
  const { firewall } = resourceNames(environment);
  return awsFirewall(new WAFV2Client(clientConfig(process.env, 'WAFV2')), [
    firewall('bus'),
    firewall('portal'),
  ]);
};

const onEnvironment = (command: Command): Command =>
  command
    .addOption(
      new Option('--environment <name>', 'the deployed environment')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    )
    .option('--json', 'print JSON', false);

/** `sombus limits blocked|sampled`: what the firewall of a deployed environment does now. */
export const limitsCommand = (
  { terminal }: CommandContext,
  firewallOf: (environment: EnvironmentName) => Firewall = deployedFirewall,
  now: () => number = Date.now,
): Command => {
  const blocked = onEnvironment(new Command('blocked'))
    .description('the addresses that a rate rule refuses at this moment')
    .action(async ({ environment, json }: LimitsOptions) => {
      printTable(terminal, await firewallOf(environment).blocked(), json);
    });
  const sampled = onEnvironment(new Command('sampled'))
    .description('a sample of the requests that rules of the firewall matched, newest first')
    .option('--minutes <number>', 'how far back', wholeNumber(1, mostMinutes), 15)
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
    .description('what the firewall of a deployed environment does now')
    .addCommand(blocked)
    .addCommand(sampled);
};

interface QuotaOptions extends CommonOptions {
  readonly connection?: string;
  readonly organisation?: string;
  readonly tier?: Tier;
  readonly rps?: number;
  readonly burst?: number;
  readonly perDay?: number;
}

/** What the options ask for: a tier, or three numbers. */
const allotmentOf = ({ tier, rps, burst, perDay }: QuotaOptions, command: Command): Allotment => {
  const numbers = [rps, burst, perDay].filter(number => number !== undefined);
  const custom = rps !== undefined && burst !== undefined && perDay !== undefined;
  if (tier ? numbers.length > 0 : !custom) {
    command.error('error: either --tier is needed, or --rps, --burst and --per-day together');
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
  const { connection, organisation, json } = options;
  if (connection !== undefined) {
    const result = await setConnectionQuota(ports, connection, allotment);
    if (result.kind === 'declined') throw new Refused(result.reason);
    printRecord(terminal, connectionRecord(result, ports.queueAdmin.url), json);
    return;
  }
  const changed = await setOrganisationQuota(ports, organisation ?? '', allotment);
  if ('reason' in changed) throw new Refused(changed.reason);
  const records = changed.map(entry => connectionRecord(entry, ports.queueAdmin.url));
  printTable(terminal, records, json);
};

const setCommand = (context: CommandContext): Command =>
  common(new Command('set'))
    .description('change the quota of a connection, or of all connections of an organisation')
    .addOption(new Option('--connection <id>', 'one connection').conflicts('organisation'))
    .option('--organisation <id>', 'its connections, each, and those to come')
    .option('--tier <tier>', 'minimal, standard or high', tier)
    .option('--rps <number>', 'requests a second', wholeNumber(1, customQuota.perSecond))
    .option('--burst <number>', 'requests at once', wholeNumber(1, customQuota.burst))
    .option('--per-day <number>', 'requests a day (UTC)', wholeNumber(1, customQuota.perDay))
    .action(async (options: QuotaOptions, command: Command) => {
      if (options.connection === undefined && options.organisation === undefined) {
        command.error('error: one of --connection and --organisation is needed');
      }
      await change(context, options, allotmentOf(options, command));
    });

/** `sombus quota set`. */
export const quotaCommand = (context: CommandContext): Command =>
  new Command('quota').description('how much connections may send').addCommand(setCommand(context));
