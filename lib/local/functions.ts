import { setTimeout } from 'node:timers/promises';
import { type JobId, jobs } from '../contract/functions.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import type { RequestLog } from '../http/respond.ts';
import { ackFunction, nackFunction, pullFunction } from '../wiring/consuming.ts';
import {
  lambda,
  type ProxyHandler,
  type RouteFunction,
  type ScheduledRun,
  scheduled,
} from '../wiring/function.ts';
import {
  iamPublishFunction,
  iamValidateFunction,
  jwtPublishFunction,
  operatorPublishFunction,
  publishFunction,
  validateFunction,
} from '../wiring/publishing.ts';
import { registrationsFunction, verifyPrincipalFunction } from '../wiring/registry.ts';
import { relayFunction } from '../wiring/relay.ts';
import { replayFunction } from '../wiring/replay.ts';
import {
  docsFunction,
  docsViewerFunction,
  healthFunction,
  openApiFunction,
  skillLibraryFunction,
  skillValidateFunction,
} from '../wiring/routes-without-ports.ts';
import { jwksFunction, oauthMetadataFunction, tokenFunction } from '../wiring/tokens.ts';
import type { LocalEnv } from './env.ts';

/** Runs a task now, or in its turn. */
type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Lets so many tasks run at once; the others wait, in the order in which they came. */
export const turns = (max: number): InTurn => {
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
  return async task => {
    await turn();
    try {
      return await task();
    } finally {
      end();
    }
  };
};

/** Where the request lines of a route go. */
export type LogFor = (route: RouteId) => RequestLog;

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
  registrations: registrationsFunction,
  'jwt-publish': jwtPublishFunction,
  'operator-publish': operatorPublishFunction,
  'skill-library': skillLibraryFunction,
  'skill-validate': skillValidateFunction,
  docs: docsFunction,
  'docs-viewer': docsViewerFunction,
};

/**
 * On AWS every request has a processor of its own. Here they share one: of a burst served all at once, each would miss the
 * time it has for its sends. The others wait, in the order in which they came.
 */
const requestsAtOnce = 48;

/**
 * A long poll waits for messages, not for a processor: it takes nobody's turn. What sends to queues has turns of its own, so that a
 * queue which hangs keeps nobody from a token or an acknowledgement.
 */
const turnsFor = (): ((route: RouteId) => InTurn) => {
  const sending = turns(requestsAtOnce);
  const others = turns(requestsAtOnce);
  return route => {
    if (route === 'pull') return task => task();
    return routes[route].ports.some(port => port === 'queues') ? sending : others;
  };
};

/** The functions of every route, as they are deployed, for one environment. */
export const handlers = (env: LocalEnv, logFor: LogFor): Readonly<Record<RouteId, ProxyHandler>> => {
  const turnOf = turnsFor();
  const handlerOf = <R extends RouteId>(id: R): ProxyHandler => {
    const handler = lambda<R>(functions[id], env, logFor(id));
    const inTurn = turnOf(id);
    return event => inTurn(() => handler(event));
  };
  const ids = Object.keys(functions) as readonly RouteId[];
  return Object.fromEntries(ids.map(id => [id, handlerOf(id)])) as Record<RouteId, ProxyHandler>; // one for each of the functions
};

/** The scheduled functions at work. */
export interface Schedule {
  /** Lets the runs under way end, and begins none. */
  close(): Promise<void>;
}

type Fail = (job: JobId, fault: unknown) => void;

const runs: Readonly<Record<JobId, (env: LocalEnv) => ScheduledRun>> = {
  // Nobody reads metrics here.
  relay: env => scheduled(relayFunction, env, { metrics: () => ({ report: () => undefined }) }),
  replay: env => scheduled(replayFunction, env),
};

const repeat = async (id: JobId, run: ScheduledRun, outside: { stop: AbortSignal; fail: Fail }) => {
  const { stop, fail } = outside;
  const seconds = jobs[id].everySecondsLocally;
  while (!stop.aborted) {
    await setTimeout(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    // A short run: stopping the service waits for it.
    if (!stop.aborted) await run(seconds).catch((fault: unknown) => fail(id, fault));
  }
};

/** Runs the scheduled functions as the deployment does, only more often; a run that fails is repeated in its turn. */
export const startSchedule = (env: LocalEnv, fail: Fail): Schedule => {
  const stopping = new AbortController();
  const ids: readonly JobId[] = ['relay', 'replay'];
  const running = ids.map(id => repeat(id, runs[id](env), { stop: stopping.signal, fail }));
  return {
    async close() {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
