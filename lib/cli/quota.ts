import { Command, Option } from 'commander';
import { customQuota, type Tier } from '../contract/limits.ts';
import { errorMessage } from '../engines/machine.ts';
import type { Allotment } from '../registry/connection.ts';
import { quotaFact, setConnectionQuota, setOrganisationQuota } from '../registry/quotas.ts';
import { accepted, type CommandContext } from './command.ts';
import { newNotes } from './notes.ts';
import { type CommonOptions, common, tier, wholeNumber } from './options.ts';
import { connectionRecord, printRecord, printTable } from './print.ts';

interface QuotaOptions extends CommonOptions {
  readonly connection?: string;
  readonly organisation?: string;
  readonly tier?: Tier;
  readonly rps?: number;
  readonly burst?: number;
  readonly perDay?: number;
}

/** The requested quota: a tier, or three numbers. */
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
  const why = `${left} still ${failed.length === 1 ? 'has its' : 'have their'} old quota. ${errorMessage(first.fault)}`;
  throw new Error(`${why} Repeating the command finishes the change.`, { cause: first.fault });
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

/** `sombus quota set`. */
export const quotaCommand = (context: CommandContext): Command =>
  new Command('quota').description('how many requests a connection may make').addCommand(setCommand(context));
