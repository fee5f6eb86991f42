import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { runResponse, wholeReport } from '../../checks/reports/report.ts';
import { reportForms } from '../../checks/reports/report-forms.ts';
import { byReason, countsOf, failureWords, resultOf } from '../../checks/reports/report-text.ts';
import type { Run } from '../../checks/run.ts';
import { type StartRequest, startRun } from '../../checks/start.ts';
import { limits } from '../../contract/limits.ts';
import { defined, type Entries } from '../../contract/outside.ts';
import { type CaseReport, checkRoles, type ReportResponse } from '../../contract/portal/checks.ts';
import type { RunResponse } from '../../contract/portal/work-responses.ts';
import { textAsWritten } from '../../platform/json/as-written.ts';
import { isJsonObject, type JsonObject, textOf } from '../../platform/json/value.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { busAccount } from '../frame/account.ts';
import { acceptedBody, type BusSession, openSession } from '../frame/bus.ts';
import type { CommandRun, Notes } from '../frame/command.ts';
import { accepted, ChecksFailed, CommandRefused, found } from '../frame/failures.ts';
import { flag, matching, type OptionsOf, option, repeatable } from '../frame/options.ts';
import type { Terminal } from '../frame/terminal.ts';

const lookMilliseconds = 1000;

const noteRun = async (
  notes: Notes,
  run: Run,
  what: 'check.start' | 'check.stop',
): Promise<void> => {
  for (const { connection_id } of run.connections)
    await notes.onId(connection_id, what, { run: run.id });
};

/** All of a list that is read page by page. */
const allOf = async <T>(
  read: (after: string | undefined) => Promise<Entries<T>>,
): Promise<readonly T[]> => {
  const found: T[] = [];
  let page: Entries<T> | undefined;
  do {
    page = await read(page?.next);
    found.push(...page.entries);
  } while (page.next !== undefined);
  return found;
};

/** Runs with the operator's rights. What is declined or not there is thrown as `CommandRefused`. */
const operatorRuns = (ports: OperatorPorts, notes: Notes) => ({
  async start(request: StartRequest): Promise<string> {
    const run = accepted(await startRun(ports, request, 'operator'));
    await noteRun(notes, run, 'check.start');
    return run.id;
  },

  async report(id: string): Promise<ReportResponse> {
    const run = found(await ports.checkRuns.find(id), 'run', id);
    return wholeReport(run, await ports.checkRuns.seen(id));
  },

  /** The runs of a workspace or connection. */
  async list(owner: string): Promise<readonly RunResponse[]> {
    const runs = await allOf(after =>
      ports.checkRuns.listOf([owner], { after, max: limits.portalPage }),
    );
    return runs.map(runResponse);
  },

  async stop(id: string): Promise<void> {
    if (!(await ports.checkRuns.stop(id, 'It was stopped with sombus check stop.')))
      throw new CommandRefused(`There is no run ${id}, or it is over.`);
    const run = await ports.checkRuns.find(id);
    if (run) await noteRun(notes, run, 'check.stop');
  },

  pause: () => ports.clock.sleep(lookMilliseconds),
});

export type ReachedRuns = ReturnType<typeof operatorRuns>;

const bodyOf = (request: StartRequest): object => ({
  kind: request.kind,
  role: request.role,
  producer: request.producer,
  cases: request.cases?.length ? request.cases : undefined,
  message_types: request.messageTypes?.length ? request.messageTypes : undefined,
  limit_seconds: request.limitSeconds,
  instances: request.instances,
  binds_first_seen: request.bindsFirstSeen,
  system_version: request.systemVersion,
  restarts: request.restarts,
  reaction: request.reaction,
  within_seconds: request.withinSeconds,
  own_cases: request.ownCases,
});

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isCase = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['case_id'] === 'string' && isList(value['checks']);

/**
 * Whether a response is a report, as far as a command reads it: another release of the bus may have
 * another form.
 */
const isReport = (body: JsonObject): body is JsonObject & ReportResponse => {
  const { status, passed, totals, cases } = body;
  const isWhole = typeof status === 'string' && typeof passed === 'boolean' && isJsonObject(totals);
  const lists = [body['words'], body['notes'], body['unproven'], cases];
  return isWhole && lists.every(isList) && isList(cases) && cases.every(isCase);
};

const isRun = (value: unknown): value is RunResponse =>
  isJsonObject(value) && typeof value['run_id'] === 'string' && isList(value['connections']);

const otherRelease = () =>
  new Error(
    'The bus answered in a form that this command does not know: use the release of the bus.',
  );

/** The same with a token: always the connection's own. */
const ownRuns = (session: BusSession): ReachedRuns => {
  const call = async (path: string, body?: string) =>
    acceptedBody(await session.call(`checks${path}`, body));
  return {
    start: async request => textOf(await call('', textAsWritten(bodyOf(request))), 'run_id'),

    async report(id) {
      const report = await call(`/${encodeURIComponent(id)}`);
      if (!isReport(report)) throw otherRelease();
      return report;
    },

    list: () =>
      allOf(async after => {
        const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
        const { runs, next } = await call(query);
        const isEnd = next === undefined;
        if (!isList(runs) || !runs.every(isRun) || !(isEnd || typeof next === 'string'))
          throw otherRelease();
        return { entries: runs, ...defined({ next }) };
      }),

    async stop(id) {
      await call(`/${encodeURIComponent(id)}/stop`, '{}');
    },

    pause: () => setTimeout(2 * lookMilliseconds),
  };
};

/** @param kind whose demo connection it is, if the environment names none */
export const reachedRuns = async (
  call: CommandRun<ReachOptions>,
  kind: 'producer' | 'consumer' = 'consumer',
): Promise<ReachedRuns> => {
  if (!call.options.own) return operatorRuns(call.ports, call.notes);
  const session = await openSession(busAccount(call.options, kind), { say: call.terminal.error });
  return ownRuns(session);
};

export const reachOptions = {
  own: flag(
    '--own',
    'with a token of the connection itself: SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET',
  ).conflicts('environment'),
  baseUrl: option(
    '--base-url <url>',
    '--own: URL of the bus (default: SOMBUS_BASE_URL, or the local service)',
  ),
};

export const roleOption = option(
  '--role <role>',
  'what the system is: it says what the run has to prove',
  checkRoles,
);

export type RoleOptions = OptionsOf<{ readonly role: typeof roleOption }>;

export type ReachOptions = OptionsOf<typeof reachOptions>;

/** What a pipeline keeps of a run, if nobody names other files. */
const pipelineFiles = ['sombus-check.xml', 'sombus-check.html', 'sombus-check.svg'] as const;

const ends = Object.keys(reportForms).map(form => `.${form}`);

const writerOf = (file: string) =>
  Object.entries(reportForms).find(([form]) => file.endsWith(`.${form}`))?.[1];

const reportFile = matching(
  file => writerOf(file) !== undefined,
  `Its name has to end in ${ends.join(', ')}.`,
);

export const reportOption = repeatable(
  '--report <file>',
  'write the report: .html, .xml (JUnit), .json, .md or .svg (a badge; repeatable)',
  reportFile,
);

export const pipelineOption = flag(
  '--ci',
  `for pipelines: also writes ${pipelineFiles.join(', ')}, and prints no hints`,
);

export type ReportOptions = ReachOptions &
  OptionsOf<{ readonly report: typeof reportOption; readonly ci: typeof pipelineOption }>;

const caseLine = (one: CaseReport): string => {
  const { verdict, case_id, reason } = one;
  const words = verdict === 'failed' ? failureWords(one) : [reason ?? ''];
  const text = words.filter(word => word !== '').join(' · ');
  return `${verdict.padEnd(7)}  ${case_id}${verdict === 'passed' || text === '' ? '' : `  ${text}`}`;
};

export const caseLines = (cases: readonly CaseReport[]): readonly string[] => {
  const without = (['not run', 'not applicable'] as const).flatMap(verdict => {
    const own = cases.filter(one => one.verdict === verdict);
    return byReason(own).map(([ids, reason]) => `${verdict}  ${ids}  ${reason}`);
  });
  const others = cases.filter(({ verdict }) => !verdict.startsWith('not '));
  return [...others.map(caseLine), ...without];
};

/** Starts a command line, and says so if it fails. What it prints is no part of a report. */
const startCommand = (terminal: Terminal, line: string): void => {
  const child = spawn(line, { shell: true, stdio: 'ignore' });
  const tell = (reason: string) => terminal.error(`${line}: ${reason}`);
  child.once('error', error => tell(error.message));
  child.once('exit', (code, signal) => {
    if (code !== 0) tell(signal ? `it was ended by ${signal}.` : `it ended with code ${code}.`);
  });
};

/** What a run asks of whoever runs the system: a command does it, or a person. */
export interface AskedFor {
  /** Command lines, by the case that asks: whatever a bus calls its cases. */
  readonly commands: ReadonlyMap<string, string>;
  start(terminal: Terminal, line: string): void;
}

/** @param line undefined: a person does what the cases ask for */
export const askedOf = (caseIds: readonly string[], line: string | undefined): AskedFor => ({
  commands: new Map(line === undefined ? [] : caseIds.map(id => [id, line])),
  start: startCommand,
});

const nothingAsked: AskedFor = { commands: new Map(), start: startCommand };

export const watch = async (
  terminal: Terminal,
  runs: ReachedRuns,
  { id, asked = nothingAsked }: { readonly id: string; readonly asked?: AskedFor | undefined },
): Promise<ReportResponse> => {
  const printed = new Map<string, string>();
  const told = new Set<string>();
  for (;;) {
    const report = await runs.report(id);
    for (const { case_id, ask } of report.cases) {
      if (ask === undefined || told.has(case_id)) continue;
      told.add(case_id);
      terminal.out(`now      ${case_id}  ${ask}`);
      const line = asked.commands.get(case_id);
      if (line !== undefined) asked.start(terminal, line);
    }
    const decided = report.cases.filter(
      one => one.verdict !== 'pending spec' && one.verdict !== 'undecided',
    );
    // What comes late can change a verdict.
    const news = decided.filter(one => printed.get(one.case_id) !== caseLine(one));
    for (const line of caseLines(news)) terminal.out(line);
    for (const one of news) printed.set(one.case_id, caseLine(one));
    if (report.status !== 'running') return report;
    await runs.pause();
  }
};

/** Writes the wanted files, and prints the result. @throws ChecksFailed unless the run passed */
export const finish = (
  { terminal, options: { report: named, json, ci } }: CommandRun<ReportOptions>,
  report: ReportResponse,
): void => {
  const files = ci && named.length === 0 ? pipelineFiles : named;
  for (const file of files) writeFileSync(file, writerOf(file)?.(report) ?? '');
  const lines = json ? [JSON.stringify(report)] : [...report.notes, ...report.words];
  for (const line of lines) terminal.out(line);
  const result = `${resultOf(report)} ${countsOf(report.totals)}.`;
  if (!report.passed) throw new ChecksFailed(result);
  if (!json) terminal.out(result);
};
