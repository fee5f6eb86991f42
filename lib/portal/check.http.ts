import { isDeclined } from '../access/registry/operator.ts';
import { runResponse, shortReport } from '../checks/reports/report.ts';
import type { RunSummary } from '../checks/run.ts';
import { runRequest } from '../checks/run-request.ts';
import { startRun } from '../checks/start.ts';
import { limits } from '../contract/limits.ts';
import type { Part } from '../contract/outside.ts';
import { includesRole } from '../contract/portal/portal.ts';
import { notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, nextOf, note, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide, onlyOf } from './standing.ts';

type RunPage = Awaited<ReturnType<PortalPorts['checkRuns']['listOf']>>;

interface SeenRuns {
  /** The workspace or connection whose runs they are. */
  readonly of: string;
  readonly part: Part;
  readonly isSeen: (run: RunSummary) => boolean;
}

const runOf = async ({ checkRuns }: PortalPorts, { subject: { c, t } }: Call) => {
  const run = await checkRuns.find(t);
  return run?.connections.some(({ connection_id }) => connection_id === c) ? run : undefined;
};

/** Pages passed over at once for having no run that the reader may see. Each run is read. */
const maxPassedOver = 3;

/** A page of the runs that the reader may see. It is empty only after so many without one. */
export const pageSeen = async (
  checkRuns: Pick<PortalPorts['checkRuns'], 'listOf'>,
  { of, part, isSeen }: SeenRuns,
): Promise<RunPage> => {
  let page = await checkRuns.listOf(of, part);
  for (let passed = 0; passed < maxPassedOver; passed += 1) {
    if (page.next === undefined || page.entries.some(isSeen)) break;
    page = await checkRuns.listOf(of, { ...part, after: page.next });
  }
  return { ...page, entries: page.entries.filter(isSeen) };
};

export const checkCalls: CallHandlers<'check'> = {
  /** The runs of a workspace, the newest first; a guest sees those of its own connections. */
  'check.all': async (ports, call) => {
    const only = await onlyOf(ports, call);
    const isSeen = ({ connections }: RunSummary) =>
      connections.some(one => only?.has(one.connection_id) ?? true);
    const part = partIn(call, limits.portalPage);
    const page = await pageSeen(ports.checkRuns, { of: call.subject.w, part, isSeen });
    return { runs: page.entries.map(runResponse), ...nextOf(page) };
  },

  'check.list': async (ports, call) => {
    // Each run is read, and some are large.
    const page = await ports.checkRuns.listOf(call.subject.c, partIn(call, limits.portalPage));
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
