import { Command, Option } from 'commander';
import { setConnectionQuota, setOrganisationQuota } from '../app/registry/set-quota.ts';
import { customQuota, type Tier } from '../contract/limits.ts';
import type { Allotment } from '../ports/operator/allotment.ts';
import type { CommandContext, CommonOptions } from './command-context.ts';
import { common } from './common.ts';
import { Refused } from './exit-codes.ts';
import { tier, wholeNumber } from './options.ts';
import { printRecord, printTable } from './print.ts';
import { connectionRecord } from './records.ts';

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
