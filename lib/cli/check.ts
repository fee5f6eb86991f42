import { Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../../package.json';
import { historyReport } from '../checks/history.ts';
import type { StartRequest } from '../checks/start.ts';
import { limits } from '../contract/limits.ts';
import { families, messageTypes } from '../contract/message-types.ts';
import type { RunResponse } from '../contract/work-responses.ts';
import { skillRulebook } from '../skills/describe-library.ts';
import { checkRegistrationFile } from '../skills/registrations.ts';
import {
  caseLines,
  finish,
  type ReachOptions,
  type ReportOptions,
  reachedRuns,
  reaching,
  reportOption,
  watch,
} from './check-runs.ts';
import { type CommandContext, inputBytes, Refused, type Terminal } from './command.ts';
import { repeated, wholeNumber } from './options.ts';
import { printTable } from './print.ts';

const hints: Readonly<Partial<Record<StartRequest['kind'], string>>> = {
  executor: 'It begins when the executor has read the instances that the run registers.',
  producer: 'Use the product now, and keep using it until the run is over.',
};

const runChecks = async (
  context: CommandContext,
  request: StartRequest,
  options: ReportOptions,
): Promise<void> => {
  const { terminal } = context;
  const runs = await reachedRuns(context, options, request.kind === 'producer' ? 'producer' : 'consumer');
  const id = await runs.start(request);
  const silent: Terminal = { ...terminal, out: () => undefined };
  const stop = `sombus check stop ${id}${options.own ? ' --own' : ''}`;
  if (!options.json) terminal.out(`run ${id} (to stop it: ${stop})`);
  const hint = request.instances === 'given' ? undefined : hints[request.kind];
  if (!options.json && hint !== undefined) terminal.out(hint);
  finish(terminal, await watch(options.json ? silent : terminal, runs, id), options);
};

const tested = (
  command: Command,
  name: 'producer' | 'consumer',
  { own, [name]: id }: { readonly own: boolean; readonly producer?: string; readonly consumer?: string },
): Partial<Record<typeof name, string>> => {
  if (own && id !== undefined)
    command.error(`error: --own checks the connection of the token: leave out --${name}`);
  if (!own && id === undefined) command.error(`error: give --${name} <id>, or --own`);
  return id === undefined ? {} : { [name]: id };
};

interface ExecutorOptions extends ReportOptions {
  readonly consumer?: string;
  readonly producer: string;
  readonly case: readonly string[];
  readonly limit: number;
  readonly given: boolean;
  readonly skills?: string;
  readonly binds?: string;
}

const handedIn = (file: string | undefined): Pick<StartRequest, 'handedIn'> => {
  if (file === undefined) return {};
  const read = checkRegistrationFile(inputBytes(file), skillRulebook);
  if (read.kind === 'invalid') throw new Refused(`The file ${file} has no valid instances.`, read.problems);
  return { handedIn: read.instances };
};

const binds = (value: string): string => {
  if (value === 'first-seen') return value;
  throw new InvalidArgumentError('The only binding that cases are about is first-seen.');
};

const { min, max, default: usual } = limits.checks.limitSeconds;

const executorCommand = (context: CommandContext): Command =>
  reportOption(reaching(new Command('executor')))
    .description('check a skill executor: play stories to it, and judge its warnings')
    .option('--consumer <id>', 'the consumer connection of the executor')
    .requiredOption('--producer <id>', 'its producer connection')
    .option('--case <name>', 'only this case, or this skill (repeatable)', repeated, [])
    .option('--limit <seconds>', 'how long a response may take', wholeNumber(min, max), usual)
    .option('--given', 'register nothing: use the instances that the executor has already', false)
    .addOption(
      new Option(
        '--skills <file>',
        'instances that the executor has from this file (implies --given)',
      ).conflicts('own'),
    )
    .option(
      '--binds <how>',
      'first-seen: an asset holds the value that its story had when it appeared',
      binds,
    )
    .addHelpText(
      'after',
      `
It prints one line for each case as it is decided, and exits with 1 unless at least
one case passed and none failed. docs/checks.md says what each verdict means.`,
    )
    .action(async (options: ExecutorOptions, command: Command) => {
      const { producer, case: cases, limit, given, skills } = options;
      const request: StartRequest = {
        kind: 'executor',
        ...tested(command, 'consumer', options),
        producer,
        cases,
        limitSeconds: limit,
        instances: given || skills !== undefined ? 'given' : 'registered',
        bindsFirstSeen: options.binds !== undefined,
        ...handedIn(skills),
      };
      await runChecks(context, request, options);
    });

interface ProducerOptions extends ReportOptions {
  readonly producer?: string;
  readonly type: readonly string[];
  readonly history?: string;
  readonly case: readonly string[];
}

const messageType = (text: string, before: readonly string[]): readonly string[] => {
  if (families.has(text)) return repeated(text, before);
  throw new InvalidArgumentError(`The types are ${messageTypes.join(', ')}.`);
};

const judgeHistory = (
  { terminal }: CommandContext,
  file: string,
  options: ProducerOptions & { readonly producer: string },
): void => {
  const text = Buffer.from(inputBytes(file)).toString();
  const { producer, type: messageTypes } = options;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const report = historyReport({ lines, producer, messageTypes, busVersion: version, now: Date.now() });
  if (!options.json) for (const line of caseLines(report.cases)) terminal.out(line);
  if (!options.json && report.coverage) terminal.out(`coverage ${report.coverage.percent} %`);
  finish(terminal, report, options);
};

const producerCommand = (context: CommandContext): Command =>
  reportOption(reaching(new Command('producer')))
    .description('check a producer: watch what it sends, and let things go wrong for it')
    .option('--producer <id>', 'the producer connection')
    .option(
      '--type <message type>',
      'it should send this (repeatable; default: what it sends)',
      messageType,
      [],
    )
    .option('--case <name>', 'only this case, or this group (repeatable)', repeated, [])
    .addOption(
      new Option(
        '--history <file>',
        'judge recorded messages instead: lines as sombus tail prints them',
      ).conflicts('own'),
    )
    .addHelpText(
      'after',
      `
Use the product during the run: each case waits some minutes for a message.
First it only watches. Then it refuses publishes, loses responses and ends tokens, for
this connection only. docs/checks.md says what each verdict means.`,
    )
    .action(async (options: ProducerOptions, command: Command) => {
      const { type: types, case: cases, history } = options;
      const { producer } = tested(command, 'producer', options);
      if (history !== undefined && producer !== undefined)
        return judgeHistory(context, history, { ...options, producer });
      const own = producer === undefined ? {} : { producer };
      await runChecks(context, { kind: 'producer', ...own, messageTypes: types, cases }, options);
    });

interface ConsumerOptions extends ReportOptions {
  readonly consumer?: string;
  readonly case: readonly string[];
  readonly limit: number;
}

const consumerCommand = (context: CommandContext): Command =>
  reportOption(reaching(new Command('consumer')))
    .description('check a consumer: play messages to it, and look how it acknowledges them')
    .option('--consumer <id>', 'the consumer connection')
    .option('--case <name>', 'only this case, or this group (repeatable)', repeated, [])
    .option('--limit <seconds>', 'how long an acknowledgement may take', wholeNumber(min, max), usual)
    .addHelpText(
      'after',
      `
The last case wants the consumer to be stopped in the middle of its work, and to be
started again. docs/checks.md says what each verdict means.`,
    )
    .action(async (options: ConsumerOptions, command: Command) => {
      const { case: cases, limit } = options;
      const consumer = tested(command, 'consumer', options);
      await runChecks(context, { kind: 'consumer', ...consumer, cases, limitSeconds: limit }, options);
    });

const summaryRow = ({ run_id, kind, status, connections, started_at, ended_at }: RunResponse): object => ({
  run_id,
  kind,
  status,
  connections: connections.map(({ connection_id }) => connection_id),
  started_at,
  ended_at: ended_at ?? null,
});

const listCommand = (context: CommandContext): Command =>
  reaching(new Command('list').argument('[id]', 'a workspace or a connection; none with --own'))
    .description('list the runs of a workspace or a connection in the last 90 days, the newest first')
    .action(async (id: string | undefined, options: ReachOptions, command: Command) => {
      if (options.own === (id !== undefined))
        command.error('error: give the id of a workspace or connection, or --own');
      const runs = await reachedRuns(context, options);
      printTable(context.terminal, (await runs.list(id ?? '')).map(summaryRow), options.json);
    });

const showCommand = (context: CommandContext): Command =>
  reportOption(reaching(new Command('show').argument('<run>')))
    .description('show what a run found, judged again from its record')
    .action(async (id: string, options: ReportOptions) => {
      const { terminal } = context;
      const report = await (await reachedRuns(context, options)).report(id);
      if (!options.json)
        for (const line of caseLines(report.cases.filter(({ verdict }) => verdict !== 'pending spec')))
          terminal.out(line);
      finish(terminal, report, options);
    });

const stopCommand = (context: CommandContext): Command =>
  reaching(new Command('stop').argument('<run>'))
    .description('stop a run; its instances are removed, messages in the queue stay')
    .action(async (id: string, options: ReachOptions) => {
      await (await reachedRuns(context, options)).stop(id);
      context.terminal.out(
        `The run ${id} ends within a minute, and removes its instances. What it has sent already stays in the queue.`,
      );
    });

export const checkCommand = (context: CommandContext): Command => {
  const command = new Command('check').description('checks: does a system speak SOM as it should?');
  for (const make of [
    producerCommand,
    consumerCommand,
    executorCommand,
    listCommand,
    showCommand,
    stopCommand,
  ])
    command.addCommand(make(context));
  return command;
};
