import { setTimeout } from 'node:timers/promises';
import { functionSizes, type JobId, jobs, servedBy } from '../contract/functions.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import type { RequestLog } from '../platform/http/respond.ts';
import { alertsFunction } from '../wiring/alerts.ts';
import {
  checksFunction,
  evidenceFunction,
  listRunsFunction,
  showRunFunction,
  startRunFunction,
  stopRunFunction,
} from '../wiring/checks.ts';
import { ackFunction, nackFunction, pullFunction } from '../wiring/consuming.ts';
import {
  docsFunction,
  docsPageFunction,
  healthFunction,
  openApiFunction,
  portalFunction,
  portalPageFunction,
} from '../wiring/descriptions.ts';
import { lambda, type ProxyHandler, type RouteFunction } from '../wiring/function.ts';
import { backlogFunction, messageFunction } from '../wiring/history.ts';
import { type ScheduledRun, scheduled } from '../wiring/job.ts';
import { relayFunction, replayFunction } from '../wiring/jobs.ts';
import { portalCallFunction } from '../wiring/portal.ts';
import {
  iamPublishFunction,
  iamValidateFunction,
  jwtPublishFunction,
  operatorPublishFunction,
  publishFunction,
  validateFunction,
} from '../wiring/publishing.ts';
import { verifyPrincipalFunction } from '../wiring/registry.ts';
import {
  registrationsFunction,
  skillLibraryFunction,
  skillValidateFunction,
} from '../wiring/skills.ts';
import { jwksFunction, oauthMetadataFunction, tokenFunction } from '../wiring/tokens.ts';
import type { LocalEnv } from './env.ts';

type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Runs at most `max` tasks at once; the others wait in order of arrival. */
export const limitConcurrency = (max: number): InTurn => {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = async (): Promise<void> => {
    if (running === max) return new Promise(resolve => waiting.push(resolve));
    running += 1;
  };
  const end = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async function inTurn(task) {
    await turn();
    try {
      return await task();
    } finally {
      end();
    }
  };
};

type LogFor = (route: RouteId) => RequestLog;

const functions: { readonly [R in RouteId]: RouteFunction<R> } = {
  health: healthFunction,
  token: tokenFunction,
  jwks: jwksFunction,
  'oauth-metadata': oauthMetadataFunction,
  openapi: openApiFunction,
  publish: publishFunction,
  validate: validateFunction,
  'iam-publish': iamPublishFunction,
  'iam-validate': iamValidateFunction,
  'verify-principal': verifyPrincipalFunction,
  pull: pullFunction,
  ack: ackFunction,
  nack: nackFunction,
  message: messageFunction,
  backlog: backlogFunction,
  registrations: registrationsFunction,
  'check-start': startRunFunction,
  'check-list': listRunsFunction,
  'check-report': showRunFunction,
  'check-evidence': evidenceFunction,
  'check-stop': stopRunFunction,
  'portal-call': portalCallFunction,
  'jwt-publish': jwtPublishFunction,
  'operator-publish': operatorPublishFunction,
  'skill-library': skillLibraryFunction,
  'skill-validate': skillValidateFunction,
  portal: portalFunction,
  'portal-page': portalPageFunction,
  docs: docsFunction,
  'docs-page': docsPageFunction,
};

/**
 * On AWS, every request has its own processor; here they all share one. If a burst were served all
 * at once, every request would miss the deadline of its sends.
 */
const maxConcurrentRequests = 48;

/**
 * A long poll waits for messages, not for the processor: it needs no turn. Routes that send to
 * queues have their own limit, so that a hanging queue delays no token and no acknowledgement.
 */
const turnsByRoute = (): ((route: RouteId) => InTurn) => {
  const sending = limitConcurrency(maxConcurrentRequests);
  const others = limitConcurrency(maxConcurrentRequests);
  return route => {
    if (route === 'pull') return task => task();
    if (routes[route].ports.some(port => port === 'queues.send')) return sending;
    return others;
  };
};

/** Issues tokens without counting how many a client asks for. */
const uncountedToken: RouteFunction<'token'> = {
  ...tokenFunction,
  ports: { ...tokenFunction.ports, tokenRequests: () => ({ count: async () => undefined }) },
};

/**
 * The function of every route, as it is deployed.
 *
 * @param limited false: no caller is ever limited
 */
export const handlers = (
  env: LocalEnv,
  logFor: LogFor,
  limited: boolean,
): Readonly<Record<RouteId, ProxyHandler>> => {
  const turnOf = turnsByRoute();
  const served = limited ? functions : { ...functions, token: uncountedToken };
  const handlerOf = <R extends RouteId>(id: R): ProxyHandler => {
    const handler = lambda<R>(served[id], env, logFor(id));
    const inTurn = turnOf(id);
    const { timeoutSeconds } = functionSizes[servedBy(id)];
    return function localFunction(event) {
      const end = performance.now() + timeoutSeconds * 1000;
      return inTurn(() =>
        handler(event, { getRemainingTimeInMillis: () => end - performance.now() }),
      );
    };
  };
  const ids = Object.keys(functions) as readonly RouteId[];
  // `ids` are the keys of `functions`
  return Object.fromEntries(ids.map(id => [id, handlerOf(id)])) as Record<RouteId, ProxyHandler>;
};

export interface Schedule {
  runNow(): Promise<void>;
  /** Starts no more runs, and waits for those in progress. */
  close(): Promise<void>;
}

type OnError = (job: JobId, error: unknown) => void;

type LocalJob = 'relay' | 'replay' | 'checks' | 'alerts';

/** Seconds for which a run starts new work, if not until the next one. */
export type JobBudgets = Partial<Record<LocalJob, number>>;

const localJobs: Readonly<Record<LocalJob, (env: LocalEnv) => ScheduledRun>> = {
  // Nothing reads metrics here.
  relay: env => scheduled(relayFunction, env, { metrics: () => ({ report: () => undefined }) }),
  replay: env => scheduled(replayFunction, env),
  checks: env => scheduled(checksFunction, env),
  alerts: env => scheduled(alertsFunction, env),
};

/**
 * Lets each run begin after the one before: a second one would find all work leased, and do
 * nothing.
 */
const oneAtATime = (run: ScheduledRun): ScheduledRun => {
  let last: Promise<void> = Promise.resolve();
  return budgetSeconds => {
    const next = last.then(() => run(budgetSeconds));
    last = next.catch(() => undefined);
    return next;
  };
};

const repeat = async (
  id: LocalJob,
  run: () => Promise<void>,
  { stop, onError }: { stop: AbortSignal; onError: OnError },
) => {
  while (!stop.aborted) {
    const milliseconds = jobs[id].everySecondsLocally * 1000;
    await setTimeout(milliseconds, undefined, { signal: stop }).catch(() => undefined);
    // Stopping the service waits for a run, which is short.
    if (!stop.aborted) await run().catch((error: unknown) => onError(id, error));
  }
};

/**
 * Runs the scheduled functions as the deployment does, but more often; a failed run is repeated at
 * the next interval.
 */
export const startSchedule = (
  env: LocalEnv,
  onError: OnError,
  budgets: JobBudgets = {},
): Schedule => {
  const stopping = new AbortController();
  const ids: readonly LocalJob[] = ['relay', 'replay', 'checks', 'alerts'];
  const all = ids.map(id => ({ id, run: oneAtATime(localJobs[id](env)) }));
  const running = all.map(({ id, run }) =>
    repeat(id, () => run(budgets[id] ?? jobs[id].everySecondsLocally), {
      stop: stopping.signal,
      onError,
    }),
  );
  return {
    async runNow() {
      for (const { id, run } of all) await run(budgets[id]);
    },
    async close() {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
