import { setTimeout } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { reportOfRun, runResponse } from '../checks/report.ts';
import type { Run } from '../checks/run.ts';
import { type StartRequest, startRun } from '../checks/start.ts';
import type { ReportResponse } from '../contract/checks.ts';
import { limits } from '../contract/limits.ts';
import type { RunResponse } from '../contract/work-responses.ts';
import { isJsonObject, type JsonObject, textOf } from '../json/value.ts';
import type { CheckPorts } from '../wiring/operator.ts';
import { busAccount } from './account.ts';
import { type BusResponse, type BusSession, openSession, reasonOf } from './bus.ts';
import { accepted, type CommandContext, Refused } from './command.ts';
import { type Notes, newNotes } from './notes.ts';
import { type CommonOptions, common } from './options.ts';

/** Runs, however they are reached. What is declined or not there is thrown as `Refused`. */
export interface ReachedRuns {
  start(request: StartRequest): Promise<string>;
  report(id: string): Promise<ReportResponse>;
  /** The runs of a workspace or connection; with a token, always the connection's own. */
  list(owner: string): Promise<readonly RunResponse[]>;
  stop(id: string): Promise<void>;
  pause(): Promise<void>;
}

export interface ReachOptions extends CommonOptions {
  readonly own: boolean;
  readonly baseUrl?: string;
}

const noRun = (id: string): Refused => new Refused(`There is no run ${id}.`);

const lookMilliseconds = 1000;

const noteRun = async (notes: Notes, run: Run, what: 'check.start' | 'check.stop'): Promise<void> => {
  for (const { connection_id } of run.connections) await notes.onId(connection_id, what, { run: run.id });
};

const operatorRuns = (ports: CheckPorts, notes: Notes): ReachedRuns => ({
  async start(request) {
    const run = accepted(await startRun(ports, request, 'operator'));
    await noteRun(notes, run, 'check.start');
    return run.id;
  },

  async report(id) {
    const run = await ports.checkRuns.find(id);
    if (!run) throw noRun(id);
    return reportOfRun(run, await ports.checkRuns.seen(id));
  },

  list: async owner =>
    (await ports.checkRuns.listOf(owner, { max: limits.portalPage })).entries.map(runResponse),

  async stop(id) {
    if (!(await ports.checkRuns.stop(id, 'It was stopped with sombus check stop.')))
      throw new Refused(`There is no run ${id}, or it is over.`);
    const run = await ports.checkRuns.find(id);
    if (run) await noteRun(notes, run, 'check.stop');
  },

  pause: () => ports.clock.sleep(lookMilliseconds),
});

const bodyOf = (request: StartRequest): object => ({
  kind: request.kind,
  producer: request.producer,
  cases: request.cases?.length ? request.cases : undefined,
  message_types: request.messageTypes?.length ? request.messageTypes : undefined,
  limit_seconds: request.limitSeconds,
  instances: request.instances,
  binds_first_seen: request.bindsFirstSeen,
});

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isCase = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['case_id'] === 'string' && isList(value['checks']);

/** Whether a response is a report, as far as a command reads it: another release of the bus may have another form. */
const isReport = (body: JsonObject): body is JsonObject & ReportResponse => {
  const { status, passed, words, notes, totals, cases } = body;
  const isWhole = typeof status === 'string' && typeof passed === 'boolean' && isJsonObject(totals);
  return isWhole && isList(words) && isList(notes) && isList(cases) && cases.every(isCase);
};

const isRun = (value: unknown): value is RunResponse =>
  isJsonObject(value) && typeof value['run_id'] === 'string' && isList(value['connections']);

const otherRelease = () =>
  new Error('The bus answered in a form that this command does not know: use the release of the bus.');

/** @throws Refused with the bus's reason */
const settled = ({ status, body, ...response }: BusResponse): JsonObject => {
  if (status < 300) return body;
  throw new Refused(reasonOf({ status, body, ...response }));
};

const ownRuns = (session: BusSession): ReachedRuns => {
  const call = async (path: string, body?: string) => settled(await session.call(`checks${path}`, body));
  return {
    start: async request => textOf(await call('', JSON.stringify(bodyOf(request))), 'run_id'),

    async report(id) {
      const report = await call(`/${encodeURIComponent(id)}`);
      if (!isReport(report)) throw otherRelease();
      return report;
    },

    async list() {
      const { runs } = await call('');
      if (!isList(runs) || !runs.every(isRun)) throw otherRelease();
      return runs;
    },

    async stop(id) {
      await call(`/${encodeURIComponent(id)}/stop`, '{}');
    },

    pause: () => setTimeout(2 * lookMilliseconds),
  };
};

/** @param kind whose demo connection it is, if the environment names none */
export const reachedRuns = async (
  { terminal, checks, registry }: CommandContext,
  options: ReachOptions,
  kind: 'producer' | 'consumer' = 'consumer',
): Promise<ReachedRuns> => {
  if (!options.own) return operatorRuns(checks(options.data), newNotes(terminal, registry(options.data)));
  const account = busAccount(options, kind, process.env);
  return ownRuns(await openSession(account, { say: line => terminal.error(line) }));
};

export const reaching = (command: Command): Command =>
  common(command)
    .addOption(
      new Option('--own', 'with a token of the connection itself: SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET')
        .default(false)
        .conflicts('environment'),
    )
    .option('--base-url <url>', '--own: URL of the bus (default: SOMBUS_BASE_URL, or the local service)');
