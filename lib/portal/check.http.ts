import { reportOfRun } from '../checks/reporting.ts';
import type { CheckRuns, Run, RunSummary } from '../checks/run.ts';
import { type StartPorts, type StartRequest, startRun } from '../checks/start.ts';
import { checkKinds, type ReportAnswer } from '../contract/checks.ts';
import { limits } from '../contract/limits.ts';
import type { AnswerOf } from '../contract/portal-answers.ts';
import type { RunAnswer } from '../contract/work-answers.ts';
import type { Edge } from '../http/respond.ts';
import type { JsonObject } from '../json/value.ts';
import type { Changes } from '../registry/changes.ts';
import { isDeclined } from '../registry/operator.ts';
import { declinedReply, portalAnswer, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandler, type CallPorts, listIn, serveCalls } from './calls.http.ts';
import { notYours } from './connection-changes.http.ts';
import { noteOn } from './noting.ts';
import { isOwnSide, ownersOf, type PlacePorts, standingAt } from './place.ts';

export type CheckCallPorts = CallPorts &
  PlacePorts &
  StartPorts & {
    readonly checkRuns: Pick<CheckRuns, 'add' | 'find' | 'listOf' | 'stop' | 'seen'>;
    readonly changes: Pick<Changes, 'note'>;
  };

const iso = (time: number): string => new Date(time).toISOString();

const runRecord = ({ id, kind, status, reason, connections, createdAt, endedAt }: RunSummary): RunAnswer => ({
  run_id: id,
  kind,
  status,
  ...(reason === undefined ? {} : { reason }),
  connections,
  started_at: iso(createdAt),
  ...(endedAt === undefined ? {} : { ended_at: iso(endedAt) }),
});

/** The run of a call, if it is one of its connection. */
const runOf = async ({ checkRuns }: CheckCallPorts, { subject: { c, t = '' } }: Call) => {
  const run = await checkRuns.find(t);
  return run?.connections.some(({ connection_id }) => connection_id === c) ? run : undefined;
};

/** A report that fits into one answer: the checks of cases that passed are the first to be left out. */
const fitting = (report: ReportAnswer): ReportAnswer => {
  const fits = (one: ReportAnswer) => Buffer.byteLength(JSON.stringify(one)) <= limits.portalAnswerBytes / 2;
  if (fits(report)) return report;
  const failedOnly = report.cases.map(one => (one.verdict === 'passed' ? { ...one, checks: [] } : one));
  const shorter = { ...report, cases: failedOnly };
  if (fits(shorter)) return shorter;
  return { ...shorter, cases: failedOnly.map(one => ({ ...one, checks: one.checks.slice(0, 5) })) };
};

const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What a body asks for; undefined if it has another form. The connection of the call is the one of its own kind. */
const requestIn = (
  { body, subject: { c = '' } }: Call,
  kindOfConnection: 'producer' | 'consumer',
): StartRequest | undefined => {
  const kind = checkKinds.find(one => one === body['kind']);
  const [cases, messageTypes] = [listIn(body, 'cases'), listIn(body, 'message_types')];
  const { limit_seconds: limit, instances, binds_first_seen: binds } = body;
  if (kind === undefined || cases === 'wrong' || messageTypes === 'wrong') return undefined;
  if (limit !== undefined && typeof limit !== 'number') return undefined;
  if (instances !== undefined && instances !== 'registered' && instances !== 'given') return undefined;
  const other = textIn(body, kindOfConnection === 'consumer' ? 'producer' : 'consumer');
  const [consumer, producer] = kindOfConnection === 'consumer' ? [c, other] : [other, c];
  return {
    kind,
    ...(consumer === undefined ? {} : { consumer }),
    ...(producer === undefined ? {} : { producer }),
    ...(cases === undefined ? {} : { cases }),
    ...(messageTypes === undefined ? {} : { messageTypes }),
    ...(limit === undefined ? {} : { limitSeconds: limit }),
    ...(instances === undefined ? {} : { instances }),
    ...(binds === true ? { bindsFirstSeen: true } : {}),
  };
};

/** Whether all connections of a request belong to one organisation. */
const isOfOneSide = async (
  { connections }: CheckCallPorts,
  { consumer, producer }: StartRequest,
): Promise<boolean> => {
  const ids = [consumer, producer].filter(id => id !== undefined);
  const found = await Promise.all(ids.map(id => connections.find(id)));
  return new Set(found.map(entry => entry?.connection.organisation)).size <= 1;
};

const note = async (
  ports: CheckCallPorts,
  call: Call,
  facts: { readonly what: string; readonly run: string },
) => {
  const { organisation, host } = await ownersOf(ports, call);
  const of = { connection: call.subject['c'] ?? '', organisations: [organisation, host] };
  return noteOn(ports, call, { what: facts.what, of, facts: { run: facts.run } });
};

const mayChange = async (ports: CheckCallPorts, call: Call): Promise<boolean> =>
  isOwnSide(call.standing, await ownersOf(ports, call), 'editor');

const start =
  (ports: CheckCallPorts): CallHandler<'check.start'> =>
  async call => {
    if (!(await mayChange(ports, call))) return portalRefusal('access.denied', notYours);
    const entry = await ports.connections.find(call.subject['c'] ?? '');
    const request = entry && requestIn(call, entry.connection.kind);
    if (!request) return portalRefusal('request.invalid');
    if (!(await isOfOneSide(ports, request)))
      return portalRefusal('access.denied', 'Both connections of a run have to be of one organisation.');
    const run = await startRun(ports, request);
    if (isDeclined(run)) return declinedReply(run);
    const noted = await note(ports, call, { what: 'check.start', run: run.id });
    return portalAnswer({ ...runRecord(run), ...noted });
  };

const reply = async (ports: CheckCallPorts, run: Run): Promise<ReportAnswer> =>
  fitting(reportOfRun(run, await ports.checkRuns.seen(run.id)));

const show =
  (ports: CheckCallPorts): CallHandler<'check.show'> =>
  async call => {
    const run = await runOf(ports, call);
    return run ? portalAnswer(await reply(ports, run)) : portalRefusal('portal.not_found');
  };

const list =
  (ports: CheckCallPorts): CallHandler<'check.list'> =>
  async call => {
    const runs: AnswerOf<'check.list'> = {
      runs: (await ports.checkRuns.listOf(call.subject['c'] ?? '')).map(runRecord),
      may_start: await mayChange(ports, call),
    };
    return portalAnswer(runs);
  };

const stop =
  (ports: CheckCallPorts): CallHandler<'check.stop'> =>
  async call => {
    if (!(await mayChange(ports, call))) return portalRefusal('access.denied', notYours);
    const run = await runOf(ports, call);
    if (!run) return portalRefusal('portal.not_found');
    if (!(await ports.checkRuns.stop(run.id, 'It was stopped in the portal.')))
      return portalRefusal('portal.changed');
    const noted = await note(ports, call, { what: 'check.stop', run: run.id });
    return portalAnswer({ ...runRecord(run), ...noted });
  };

/** `/api/check/…`: runs of checks. */
export const checkEdge: Edge<CheckCallPorts> = (ports, settings) =>
  serveCalls(
    ports,
    {
      group: 'check',
      standingOf: standingAt(ports),
      handlers: {
        'check.list': list(ports),
        'check.start': start(ports),
        'check.show': show(ports),
        'check.stop': stop(ports),
      },
    },
    settings,
  );
