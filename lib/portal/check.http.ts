import { fitting, reportOfRun, runResponse } from '../checks/report.ts';
import type { Run } from '../checks/run.ts';
import { runRequest } from '../checks/run-request.ts';
import { startRun } from '../checks/start.ts';
import type { ReportResponse } from '../contract/checks.ts';
import { limits } from '../contract/limits.ts';
import { includesRole } from '../contract/portal.ts';
import type { ResponseOf } from '../contract/portal-responses.ts';
import { isDeclined } from '../registry/operator.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { changeable, noteHere, notYours } from './connection-changes.http.ts';
import { nextOf, partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide, ownersOf, standingAt } from './standing.ts';

const runOf = async ({ checkRuns }: PortalPorts, { subject: { c, t = '' } }: Call) => {
  const run = await checkRuns.find(t);
  return run?.connections.some(({ connection_id }) => connection_id === c) ? run : undefined;
};

const start: CallHandler<'check.start'> = async (ports, call) => {
  const owners = await changeable(ports, call);
  if (!owners) return portalRefusal('access.denied', notYours);
  const entry = await ports.connections.find(call.subject['c'] ?? '');
  if (!entry) return portalRefusal('portal.not_found');
  const request = runRequest(call.body, entry.connection);
  if (isDeclined(request)) return portalRefusal('request.invalid', request.reason);
  const run = await startRun(ports, request, entry.connection);
  if (isDeclined(run)) return declinedReply(run);
  const noted = await noteHere(ports, call, { what: 'check.start', facts: { run: run.id }, owners });
  return portalResponse({ ...runResponse(run), ...noted });
};

const reply = async (ports: PortalPorts, run: Run): Promise<ReportResponse> =>
  fitting(reportOfRun(run, await ports.checkRuns.seen(run.id)), limits.portalResponseBytes / 2);

const show: CallHandler<'check.show'> = async (ports, call) => {
  const run = await runOf(ports, call);
  return run ? portalResponse(await reply(ports, run)) : portalRefusal('portal.not_found');
};

const list: CallHandler<'check.list'> = async (ports, call) => {
  // Each run is read, and some are large.
  const page = await ports.checkRuns.listOf(call.subject['c'] ?? '', partIn(call, limits.portalPage));
  const runs: ResponseOf<'check.list'> = {
    runs: page.entries.map(runResponse),
    may_start: (await changeable(ports, call)) !== undefined,
    ...nextOf(page),
  };
  return portalResponse(runs);
};

const stop: CallHandler<'check.stop'> = async (ports, call) => {
  // The house may stop whatever runs in its workspace.
  const owners = await ownersOf(ports, call);
  if (!includesRole(call.standing.own, 'editor') && !isOwnSide(call.standing, owners, 'editor'))
    return portalRefusal('access.denied', notYours);
  const run = await runOf(ports, call);
  if (!run) return portalRefusal('portal.not_found');
  if (!(await ports.checkRuns.stop(run.id, 'It was stopped in the portal.')))
    return portalRefusal('portal.changed');
  const noted = await noteHere(ports, call, { what: 'check.stop', facts: { run: run.id }, owners });
  return portalResponse({ ...runResponse(run), ...noted });
};

export const checkCalls: CallService<'check'> = {
  standingOf: standingAt,
  handlers: {
    'check.list': list,
    'check.start': start,
    'check.show': show,
    'check.stop': stop,
  },
};
