import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { version } from '../../package.json';
import { historyReport } from '../checks/history.ts';
import { countsOf, resultOf } from '../checks/report-groups.ts';
import { htmlReport } from '../checks/report-html.ts';
import { junitReport } from '../checks/report-junit.ts';
import { markdownReport } from '../checks/report-markdown.ts';
import { reportOfRun } from '../checks/reporting.ts';
import type { RunSummary } from '../checks/run.ts';
import { type StartRequest, startRun } from '../checks/start.ts';
import { isUndecided } from '../checks/verdict.ts';
import type { CaseAnswer, ReportAnswer } from '../contract/checks.ts';
import { limits } from '../contract/limits.ts';
import { families, messageTypes } from '../contract/message-types.ts';
import { skillRulebook } from '../skills/describe-library.ts';
import { checkRegistrationFile } from '../skills/registrations.ts';
import type { CheckPorts } from '../wiring/operator.ts';
import {
  accepted,
  ChecksFailed,
  type CommandContext,
  inputBytes,
  Refused,
  type Terminal,
} from './command.ts';
import { type CommonOptions, common, repeated, wholeNumber } from './options.ts';
import { printTable } from './print.ts';

/** What a report is written as, by the end of its file's name. */
const writers: readonly (readonly [end: string, make: (report: ReportAnswer) => string])[] = [
  ['.html', htmlReport],
  ['.xml', junitReport],
  ['.json', report => `${JSON.stringify(report, undefined, 2)}\n`],
  ['.md', markdownReport],
];

const writerOf = (file: string) => writers.find(([end]) => file.endsWith(end))?.[1];

/** One more file for the report. */
const reportFile = (file: string, before: readonly string[]): readonly string[] => {
  if (writerOf(file)) return repeated(file, before);
  throw new InvalidArgumentError(`Its name has to end in ${writers.map(([end]) => end).join(', ')}.`);
};

const reportOption = (command: Command): Command =>
  command.option(
    '--report <file>',
    'write the report: .html, .xml (JUnit), .json or .md (repeatable)',
    reportFile,
    [],
  );

interface ReportOptions extends CommonOptions {
  readonly report: readonly string[];
}

const reportNow = async ({ checkRuns }: CheckPorts, id: string): Promise<ReportAnswer> => {
  const run = await checkRuns.find(id);
  if (!run) throw new Refused(`There is no run ${id}.`);
  return reportOfRun(run, await checkRuns.seen(id));
};

/** What a line says about a case that is decided. */
const caseLine = ({ verdict, case_id, reason, checks, advice }: CaseAnswer): string => {
  const failed = checks.filter(({ passed }) => !passed);
  const why = failed.map(({ name, expected, found }) => `${name}: expected ${expected}; found ${found}`);
  const words = verdict === 'failed' ? [...why, ...(advice === undefined ? [] : [advice])] : [reason ?? ''];
  const text = words.filter(word => word !== '').join(' · ');
  return `${verdict.padEnd(7)}  ${case_id}${verdict === 'passed' || text === '' ? '' : `  ${text}`}`;
};

const lookMilliseconds = 1000;

/** Prints one line for each case as it is decided, until the run is over. */
const watch = async (terminal: Terminal, ports: CheckPorts, id: string): Promise<ReportAnswer> => {
  const printed = new Map<string, string>();
  for (;;) {
    const report = await reportNow(ports, id);
    for (const one of report.cases) {
      if (one.verdict === 'pending spec' || isUndecided(one)) continue;
      const line = caseLine(one);
      // What comes late can change a verdict.
      if (printed.get(one.case_id) !== line) terminal.out(line);
      printed.set(one.case_id, line);
    }
    if (report.status !== 'running') return report;
    await ports.clock.sleep(lookMilliseconds);
  }
};

const finish = (terminal: Terminal, report: ReportAnswer, { report: files, json }: ReportOptions): void => {
  for (const file of files) writeFileSync(file, writerOf(file)?.(report) ?? '');
  if (json) terminal.out(JSON.stringify(report));
  else for (const line of [...report.notes, ...report.words]) terminal.out(line);
  const result = `${resultOf(report)} ${countsOf(report.totals)}.`;
  if (!report.passed) throw new ChecksFailed(result);
  if (!json) terminal.out(result);
};

/** Starts a run, watches it to its end and writes its reports. */
const runChecks = async (
  { terminal, checks }: CommandContext,
  request: StartRequest,
  options: ReportOptions,
): Promise<void> => {
  const ports = checks(options.data);
  const { id } = accepted(await startRun(ports, request));
  const silent: Terminal = { ...terminal, out: () => undefined };
  if (!options.json) terminal.out(`run ${id} (to stop it: sombus check stop ${id})`);
  finish(terminal, await watch(options.json ? silent : terminal, ports, id), options);
};

interface ExecutorOptions extends ReportOptions {
  readonly consumer: string;
  readonly producer: string;
  readonly case: readonly string[];
  readonly limit: number;
  readonly given: boolean;
  readonly skills?: string;
  readonly binds?: string;
}

/** The instances that an executor has from a file. */
const handedIn = (file: string | undefined): Pick<StartRequest, 'handedIn'> => {
  if (file === undefined) return {};
  const read = checkRegistrationFile(inputBytes(file), skillRulebook);
  if (read.kind === 'refused') throw new Refused(`The file ${file} has no valid instances.`, read.problems);
  return { handedIn: read.instances };
};

const binds = (value: string): string => {
  if (value === 'first-seen') return value;
  throw new InvalidArgumentError('The only binding that cases are about is first-seen.');
};

const { min, max, default: usual } = limits.checks.limitSeconds;

const executorCommand = (context: CommandContext): Command =>
  reportOption(common(new Command('executor')))
    .description('check a skill executor: play stories to it, and judge its warnings')
    .requiredOption('--consumer <id>', 'the consumer connection of the executor')
    .requiredOption('--producer <id>', 'its producer connection')
    .option('--case <name>', 'only this case, or this skill (repeatable)', repeated, [])
    .option('--limit <seconds>', 'how long an answer may take', wholeNumber(min, max), usual)
    .option('--given', 'register nothing: use the instances that the executor has already', false)
    .option('--skills <file>', 'instances that the executor has from this file (implies --given)')
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
    .action(async (options: ExecutorOptions) => {
      const { consumer, producer, case: cases, limit, given, skills } = options;
      const request: StartRequest = {
        kind: 'executor',
        consumer,
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
  readonly producer: string;
  readonly type: readonly string[];
  readonly history?: string;
  readonly case: readonly string[];
}

const messageType = (text: string, before: readonly string[]): readonly string[] => {
  if (families.has(text)) return repeated(text, before);
  throw new InvalidArgumentError(`The types are ${messageTypes.join(', ')}.`);
};

/** Judges recorded messages, without a run. */
const judgeHistory = ({ terminal }: CommandContext, file: string, options: ProducerOptions): void => {
  const text = Buffer.from(inputBytes(file)).toString();
  const { producer, type: messageTypes } = options;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const report = historyReport({ lines, producer, messageTypes, busVersion: version, now: Date.now() });
  if (!options.json) for (const one of report.cases) terminal.out(caseLine(one));
  if (!options.json && report.coverage) terminal.out(`coverage ${report.coverage.percent} %`);
  finish(terminal, report, options);
};

const producerCommand = (context: CommandContext): Command =>
  reportOption(common(new Command('producer')))
    .description('check a producer: watch what it sends, and let things go wrong for it')
    .requiredOption('--producer <id>', 'the producer connection')
    .option(
      '--type <message type>',
      'it should send this (repeatable; default: what it sends)',
      messageType,
      [],
    )
    .option('--case <name>', 'only this case, or this group (repeatable)', repeated, [])
    .option('--history <file>', 'judge recorded messages instead: lines as sombus tail prints them')
    .addHelpText(
      'after',
      `
Use the product while the run goes on: each case waits some minutes for a message.
First it only watches. Then it refuses publishes, loses answers and ends tokens, for
this connection only. docs/checks.md says what each verdict means.`,
    )
    .action(async (options: ProducerOptions) => {
      const { producer, type: types, case: cases, history } = options;
      if (history !== undefined) return judgeHistory(context, history, options);
      await runChecks(context, { kind: 'producer', producer, messageTypes: types, cases }, options);
    });

interface ConsumerOptions extends ReportOptions {
  readonly consumer: string;
  readonly case: readonly string[];
  readonly limit: number;
}

const consumerCommand = (context: CommandContext): Command =>
  reportOption(common(new Command('consumer')))
    .description('check a consumer: play messages to it, and look how it acknowledges them')
    .requiredOption('--consumer <id>', 'the consumer connection')
    .option('--case <name>', 'only this case, or this group (repeatable)', repeated, [])
    .option('--limit <seconds>', 'how long an acknowledgement may take', wholeNumber(min, max), usual)
    .addHelpText(
      'after',
      `
The last case wants the consumer to be stopped in the middle of its work, and to be
started again. docs/checks.md says what each verdict means.`,
    )
    .action(async (options: ConsumerOptions) => {
      const { consumer, case: cases, limit } = options;
      await runChecks(context, { kind: 'consumer', consumer, cases, limitSeconds: limit }, options);
    });

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

const summaryRow = ({ id, kind, status, connections, createdAt, endedAt }: RunSummary): object => ({
  run_id: id,
  kind,
  status,
  connections: connections.map(({ connection_id }) => connection_id),
  started_at: iso(createdAt),
  ended_at: iso(endedAt) ?? null,
});

const listCommand = ({ terminal, checks }: CommandContext): Command =>
  common(new Command('list').argument('<id>', 'a workspace or a connection'))
    .description('list the runs of a workspace or a connection in the last 90 days, the newest first')
    .action(async (id: string, { data, json }: CommonOptions) => {
      printTable(terminal, (await checks(data).checkRuns.listOf(id)).map(summaryRow), json);
    });

const showCommand = ({ terminal, checks }: CommandContext): Command =>
  reportOption(common(new Command('show').argument('<run>')))
    .description('show what a run found, judged again from its record')
    .action(async (id: string, options: ReportOptions) => {
      const report = await reportNow(checks(options.data), id);
      if (!options.json)
        for (const one of report.cases.filter(({ verdict }) => verdict !== 'pending spec'))
          terminal.out(caseLine(one));
      finish(terminal, report, options);
    });

const stopCommand = ({ terminal, checks }: CommandContext): Command =>
  common(new Command('stop').argument('<run>'))
    .description('stop a run; what it made is removed')
    .action(async (id: string, { data }: CommonOptions) => {
      const { checkRuns } = checks(data);
      if (!(await checkRuns.stop(id, 'It was stopped with sombus check stop.')))
        throw new Refused(`There is no run ${id}, or it is over.`);
      terminal.out(`The run ${id} ends within a minute, and removes what it made.`);
    });

/** `sombus check producer|consumer|executor|list|show|stop`. */
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
