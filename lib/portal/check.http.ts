import { isDeclined } from '../access/registry/declined.ts';
import { runResponse, shortReport } from '../checks/reports/report.ts';
import { runRequest } from '../checks/run-request.ts';
import { startRun } from '../checks/start.ts';
import { limits } from '../contract/limits.ts';
import { includesRole } from '../contract/portal/portal.ts';
import { notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, nextOf, note, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide, onlyOf } from './standing.ts';

const runOf = async ({ checkRuns }: PortalPorts, { subject: { c, t } }: Call) => {
  const run = await checkRuns.find(t);
  return run?.connections.some(({ connection_id }) => connection_id === c) ? run : undefined;
};

export const checkCalls: CallHandlers<'check'> = {
  /** The runs of a workspace, the newest first; a guest sees those of its own connections. */
  'check.all': async (ports, call) => {
    const only = await onlyOf(ports, call);
    // From the lists of its own: how many runs there are of others shows nowhere.
    const owners = [...(only ?? [call.subject.w])];
    const page = await ports.checkRuns.listOf(owners, partIn(call, limits.portalPage));
    return { runs: page.entries.map(runResponse), ...nextOf(page) };
  },

  'check.list': async (ports, call) => {
    // Each run is read, and some are large.
    const page = await ports.checkRuns.listOf([call.subject.c], partIn(call, limits.portalPage));
    return {
      runs: page.entries.map(runResponse),
      may_start: isOwnSide(call, 'editor'),
      ...nextOf(page),
    };
  },

  'check.start': async (ports, call) => {
    const { entry, body } = call;
    if (!entry || !isOwnSide(call, 'editor')) return notYours;
    const request = runRequest(body, entry.connection);
    if (isDeclined(request)) return portalRefusal('request.invalid', request.reason);
    const run = await startRun(ports, request, entry.connection);
    if (isDeclined(run)) return run;
    return {
      ...runResponse(run),
      ...(await note(ports, call, { what: 'check.start', facts: { run: run.id } })),
    };
  },

  'check.show': async (ports, call) => {
    const run = await runOf(ports, call);
    return (
      run && shortReport(run, await ports.checkRuns.seen(run.id), limits.portalResponseBytes / 2)
    );
  },

  'check.stop': async (ports, call) => {
    // The house may stop whatever runs in its workspace.
    if (!includesRole(call.standing.own, 'editor') && !isOwnSide(call, 'editor')) return notYours;
    const run = await runOf(ports, call);
    if (!run) return undefined;
    if (!(await ports.checkRuns.stop(run.id, 'It was stopped in the portal.')))
      return portalRefusal('portal.changed');
    return {
      ...runResponse(run),
      ...(await note(ports, call, { what: 'check.stop', facts: { run: run.id } })),
    };
  },
};
