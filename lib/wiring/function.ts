import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { History, Recorder } from '../activity/records.ts';
import type { Inbox, Receipts } from '../consuming/receipts.ts';
import { envVars } from '../contract/environments.ts';
import { type JobId, type JobPort, jobs } from '../contract/functions.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import type { PortName, RouteId, RoutePort } from '../contract/routes.ts';
import type { Acceptances, Ledger, Log } from '../delivery/log.ts';
import type { QueueDepths, Queues } from '../delivery/queues.ts';
import type { Backlog, RelayMetrics } from '../delivery/relay.ts';
import { type Edge, type RequestLog, respond } from '../http/respond.ts';
import type { Sessions } from '../portal/session.ts';
import type { SignInProvider } from '../portal/sign-in.ts';
import type { Changes } from '../registry/changes.ts';
import type { Connections, Credentials } from '../registry/connection.ts';
import type { Invitations } from '../registry/invitations.ts';
import type { Members } from '../registry/members.ts';
import type { Directory } from '../registry/organisations.ts';
import type { Principals } from '../registry/principals.ts';
import type { QueueReaders } from '../registry/queue-access.ts';
import type { Registry } from '../registry/registry.ts';
import type { Archive, ArchiveTail, Replays } from '../replay/replay.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import type { Signer } from '../tokens/key-ring.ts';
import { clock, type Env, required } from './env.ts';

/** One structured line per request on standard output: identifiers, never a body, a token or a secret. */
const requestLog = (route: RouteId, env: Env): RequestLog => {
  const environment = env[envVars.environment] ?? 'unknown';
  const logger = new Logger({ serviceName: 'som-bus', persistentKeys: { route, environment } });
  return {
    answered: facts => logger.info('answered', { ...facts }),
    failed: (fault, facts) =>
      logger.error('failed', { ...facts, error: fault instanceof Error ? fault : new Error(String(fault)) }),
  };
};

/** The type of each port name in the route table. */
interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly skills: Pick<SkillRegistrations, 'of'>;
  readonly principals: Principals;
  readonly queueReaders: QueueReaders;
  readonly credentials: Credentials;
  readonly signer: Signer;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
  readonly recorder: Recorder;
  readonly history: History;
  readonly acceptances: Acceptances;
  readonly depths: QueueDepths;
  readonly archiveTail: ArchiveTail;
  readonly sessions: Sessions;
  readonly provider: SignInProvider;
  readonly members: Members;
  readonly directory: Directory;
  readonly invitations: Invitations;
  readonly connections: Connections;
  readonly changes: Changes;
  readonly backlog: Backlog;
  readonly archive: Archive;
  readonly replays: Replays;
  readonly metrics: RelayMetrics;
}

/** The ports of a route's row: a handler that uses another one does not compile. */
export type RoutePorts<R extends RouteId> = Pick<Ports, RoutePort<R>>;

type Factories<P extends PortName> = { readonly [Name in P]: (env: Env) => Ports[Name] };

export type ProxyHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Every port, made by its factory. */
const made = <P extends PortName>(factories: Factories<P>, env: Env): Pick<Ports, P> => {
  const ports: Partial<Pick<Ports, P>> = {};
  for (const name in factories) ports[name] = factories[name](env);
  return ports as Pick<Ports, P>; // every key of `factories` was just filled in
};

/** How a row of the route table is served: what answers its requests, over which ports. */
export interface RouteFunction<R extends RouteId> {
  readonly route: R;
  readonly edge: Edge<RoutePorts<R>>;
  readonly ports: Factories<RoutePort<R>>;
}

/** A route's function for one environment: ports and clients are made on the first request and kept. */
export const lambda = <R extends RouteId>(
  { route, edge, ports }: RouteFunction<R>,
  env: Env,
  log: RequestLog = requestLog(route, env),
): ProxyHandler => {
  let handler: ProxyHandler | undefined;
  return function lambda(event) {
    const settings = () => ({
      origin: required(env, envVars.origin),
      isLocal: env[envVars.localService] === 'true',
    });
    handler ??= respond(route, edge(made(ports, env), settings()), { log, now: () => performance.now() });
    return handler(event);
  };
};

/** How a scheduled job runs, over which ports. */
export interface JobFunction<J extends JobId> {
  readonly job: J;
  /** @param deadline epoch milliseconds: nothing new is started after it */
  readonly use: (ports: Pick<Ports, JobPort<J>>) => (deadline: number) => Promise<void>;
  readonly ports: Factories<JobPort<J>>;
}

/** Runs once; it starts nothing new after its budget (default: the job's own). */
export type ScheduledRun = (budgetSeconds?: number) => Promise<void>;

/**
 * A scheduled job's function for one environment: ports and clients are made on the first run and kept. `instead`
 * replaces some of them: the local service has no metrics.
 */
export const scheduled = <J extends JobId>(
  { job, use, ports }: JobFunction<J>,
  env: Env,
  instead: Partial<Factories<JobPort<J>>> = {},
): ScheduledRun => {
  let run: ((deadline: number) => Promise<void>) | undefined;
  return function scheduled(budgetSeconds = jobs[job].budgetSeconds) {
    run ??= use(made({ ...ports, ...instead }, env));
    return run(clock().now() + budgetSeconds * 1000);
  };
};

/** What the platform calls on a schedule. */
export const scheduledLambda = <J extends JobId>(job: JobFunction<J>, env: Env): (() => Promise<void>) => {
  const run = scheduled(job, env);
  return function scheduledLambda() {
    return run();
  };
};
