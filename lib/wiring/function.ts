import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { AccountMaker } from '../access/people/accounts.ts';
import type { Invitations } from '../access/people/invitations.ts';
import type { Members } from '../access/people/members.ts';
import type { Changes } from '../access/people/noting.ts';
import type { Directory } from '../access/people/organisations.ts';
import type { Connections, Credentials } from '../access/registry/connection.ts';
import type { IdentityProviders, RaisedBounds, UsagePlans } from '../access/registry/ports.ts';
import type { Registry } from '../access/registry/registry.ts';
import type { TestMarks, TestRuns } from '../access/registry/test-runs.ts';
import type { Seals } from '../access/seals/seal.ts';
import type { Principals } from '../access/trust/principals.ts';
import type { GuardedQueues, QueueAdmin, QueueReaders } from '../access/trust/queue-access.ts';
import type { CountHistory } from '../bus/activity/counts.ts';
import type {
  AttemptRecorder,
  History,
  IdentityRefusals,
  Recorder,
  RefusedTexts,
} from '../bus/activity/records.ts';
import type { WaitingPolls } from '../bus/consuming/pull.ts';
import type { AgeReport, ConsumerQueues, QueueAges } from '../bus/consuming/queue-ages.ts';
import type { Inbox, Receipts } from '../bus/consuming/receipts.ts';
import type { Acceptances, Ledger, Log, Stories } from '../bus/delivery/log.ts';
import type { HeldMessages, QueueDepths, Queues } from '../bus/delivery/queues.ts';
import type { PendingLogs, RelayMetrics } from '../bus/delivery/relay.ts';
import type { Archive, ArchiveTail, ReplayList, Replays } from '../bus/replay/replay.ts';
import type { TokenRequests } from '../bus/tokens/issue-token.ts';
import type { Signer } from '../bus/tokens/key-ring.ts';
import type { CheckRuns } from '../checks/run.ts';
import { envVars } from '../contract/environments.ts';
import type { PortAccess, PortOf } from '../contract/functions.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import { routeAt } from '../contract/paths.ts';
import { type RouteAccess, type RouteId, routes } from '../contract/routes.ts';
import { type Reader, ReadingStopped, readingFor } from '../platform/aws/table.ts';
import { type InProcess, withoutEndedCaller } from '../platform/http/request.ts';
import {
  type Edge,
  type EdgeSettings,
  proxyResult,
  type RequestLog,
  respond,
  unrouted,
} from '../platform/http/respond.ts';
import type { Alerts } from '../portal/alerts/alerts.ts';
import type { Mails } from '../portal/alerts/mail.ts';
import type { Webhooks } from '../portal/alerts/webhook.ts';
import type { AlarmStates } from '../portal/health.ts';
import type { Sessions, SignInProvider } from '../portal/session.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import { clock, type Env, madeOnce, requiredVariable } from './env.ts';

/**
 * One structured line per request on standard output: identifiers, never a body, a token or a
 * secret.
 */
const requestLog = (route: RouteId, env: Env): RequestLog => {
  const environment = env[envVars.environment] ?? 'unknown';
  const { AWS_LAMBDA_FUNCTION_NAME: name = '', AWS_LAMBDA_FUNCTION_VERSION: number } = env;
  // By it a release knows its own errors (lib/infra/release.ts).
  const version = `${name.replace(`sombus-${environment}-`, '')}:${number}`;
  const persistentKeys = { route, environment, ...(number !== undefined && { version }) };
  const logger = new Logger({ serviceName: 'som-bus', persistentKeys });
  return {
    answered: facts => logger.info('answered', { ...facts }),
    failed(thrown, facts) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      // An error rolls a release back: what a caller causes is none.
      const level = error instanceof ReadingStopped ? 'warn' : 'error';
      logger[level]('failed', { ...facts, error });
    },
  };
};

interface Accesses {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly busVersion: string;
  readonly metrics: RelayMetrics;
  readonly 'registry.connection': Pick<Registry, 'connection' | 'isRegistered'>;
  readonly 'registry.consumers': Pick<Registry, 'consumersOf'>;
  readonly 'registry.roles': Pick<Registry, 'principalsOf'>;
  readonly 'registry.providers': Pick<Registry, 'provider' | 'boundConnection'>;
  readonly marks: TestMarks;
  readonly 'testRuns.ask': Pick<TestRuns, 'audienceOf'>;
  readonly 'testRuns.faults': Pick<TestRuns, 'takeFault'>;
  readonly 'testRuns.note': Pick<TestRuns, 'note'>;
  readonly 'checkRuns.drive': Omit<CheckRuns, 'add' | 'find' | 'listOf' | 'evidence'>;
  readonly 'checkRuns.start': Pick<CheckRuns, 'add' | 'find'>;
  readonly 'checkRuns.list': Pick<CheckRuns, 'listOf'>;
  readonly 'checkRuns.read': Pick<CheckRuns, 'find' | 'seen'>;
  readonly 'checkRuns.evidence': Pick<CheckRuns, 'evidence'>;
  readonly 'checkRuns.stop': Pick<CheckRuns, 'find' | 'stop'>;
  readonly 'skills.change': Omit<SkillRegistrations, 'of' | 'page'>;
  readonly 'skills.read': Pick<SkillRegistrations, 'of' | 'page'>;
  readonly 'principals.verify': Omit<Principals, 'put'>;
  readonly 'queueReaders.set': QueueReaders;
  readonly 'credentials.check': Credentials;
  readonly 'tokenRequests.count': TokenRequests;
  readonly 'signer.keys': Pick<Signer, 'keys'>;
  readonly 'signer.sign': Pick<Signer, 'sign'>;
  readonly 'ledger.read': Pick<Ledger, 'read' | 'bodyOf'>;
  readonly 'ledger.commit': Pick<Ledger, 'commit'>;
  readonly 'log.read': Pick<Log, 'head' | 'entries'>;
  readonly 'log.update': Omit<Log, 'head' | 'entries'>;
  readonly 'queues.send': Queues;
  readonly 'inbox.receive': Pick<Inbox, 'receive'>;
  readonly 'inbox.delete': Pick<Inbox, 'delete'>;
  readonly 'inbox.release': Pick<Inbox, 'release'>;
  readonly 'receipts.save': Pick<Receipts, 'save'>;
  readonly 'receipts.find': Pick<Receipts, 'find'>;
  readonly 'receipts.settle': Pick<Receipts, 'acknowledge' | 'block' | 'markReturned'>;
  readonly seals: Seals;
  readonly 'polls.wait': WaitingPolls;
  readonly 'recorder.receives': Recorder;
  readonly 'recorder.attempts': AttemptRecorder;
  readonly 'recorder.limited': Recorder;
  readonly identityRefusals: IdentityRefusals;
  readonly 'recorder.tokens': Recorder;
  readonly 'history.message': Pick<History, 'copyRecords' | 'ofMessage' | 'receivesOf'>;
  readonly 'history.feed': Pick<History, 'feed'>;
  readonly 'history.copies': Pick<History, 'copyRecords'>;
  readonly 'history.inFlight': Pick<History, 'inFlight'>;
  readonly 'history.titles': Pick<History, 'titles'>;
  readonly counts: CountHistory;
  readonly refusedTexts: RefusedTexts;
  readonly 'acceptances.find': Acceptances;
  readonly 'stories.startOver': Stories;
  readonly 'depths.read': QueueDepths;
  readonly 'archiveTail.read': ArchiveTail;
  readonly sessions: Sessions;
  readonly provider: SignInProvider;
  readonly members: Members;
  readonly 'members.affiliation': Pick<Members, 'affiliationOf'>;
  readonly directory: Directory;
  readonly 'directory.find': Pick<Directory, 'find'>;
  readonly bounds: RaisedBounds;
  readonly invitations: Invitations;
  readonly accounts: AccountMaker;
  readonly 'invitations.guest': Pick<Invitations, 'guestOf'>;
  readonly 'connections.find': Pick<Connections, 'find'>;
  readonly 'connections.list': Pick<Connections, 'ofWorkspace' | 'credentialsOf'>;
  readonly 'connections.manage': Connections;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
  readonly 'principals.list': Pick<Principals, 'list'>;
  readonly 'principals.manage': Principals;
  readonly identityProviders: IdentityProviders;
  readonly changes: Changes;
  readonly 'backlog.read': PendingLogs;
  readonly 'archive.read': Archive;
  readonly 'replays.manage': Pick<Replays, 'add' | 'find' | 'findAll' | 'end'>;
  readonly 'replays.find': Pick<Replays, 'findAll'>;
  readonly replayList: ReplayList;
  readonly archiveDays: number;
  readonly 'replays.run': Omit<Replays, 'add' | 'find' | 'findAll'>;
  readonly 'consumers.list': ConsumerQueues;
  readonly guardedQueues: GuardedQueues;
  readonly 'queueAges.measure': QueueAges & HeldMessages;
  readonly ageReport: AgeReport;
  readonly alarmStates: AlarmStates;
  readonly 'alerts.manage': Pick<Alerts, 'of' | 'find' | 'add' | 'save' | 'remove'>;
  readonly 'alerts.watch': Pick<Alerts, 'all' | 'save' | 'remove'>;
  readonly webhooks: Webhooks;
  readonly mails: Mails;
}

/** `A & B` for `A | B`: what takes each member of a union as argument takes all of them at once. */
type UnionToIntersection<Union> = (
  Union extends unknown
    ? (member: Union) => void
    : never
) extends (all: infer Intersection) => void
  ? Intersection
  : never;

/** What the accesses of one port allow: for `log`, those of `log.read` and `log.update`. */
type AccessTo<Port extends string, A extends PortAccess> = A extends Port | `${Port}.${string}`
  ? Accesses[A]
  : never;

/** By the names of the ports, what a row with these accesses may do with each. */
export type Ports<A extends PortAccess> = {
  readonly [Port in PortOf<A>]: UnionToIntersection<AccessTo<Port, A>>;
};

/** The ports of a route's row: a handler that uses more does not compile. */
export type RoutePorts<R extends RouteId> = Ports<RouteAccess<R>>;

export type Factories<P> = { readonly [Name in keyof P]: (env: Env) => P[Name] };

/**
 * What the platform says of a run (AWS: "Using the Lambda context object"); without it, a run has
 * no end.
 */
export type RunContext = Pick<Context, 'getRemainingTimeInMillis'>;

export type ProxyHandler = (
  event: APIGatewayProxyEvent,
  context?: RunContext,
) => Promise<APIGatewayProxyResult>;

export const made = <P>(factories: Factories<P>, env: Env): P => {
  const ports: Partial<P> = {};
  for (const name in factories) ports[name] = factories[name](env);
  return ports as P; // every key of `factories` was just filled in
};

/** How a row of the route table is served: what answers its requests, over which ports. */
export interface RouteFunction<R extends RouteId> {
  readonly route: R;
  readonly edge: Edge<RoutePorts<R>>;
  readonly ports: Factories<RoutePorts<R>>;
}

const settingsOf = (env: Env): EdgeSettings => ({
  origin: requiredVariable(env, envVars.origin),
  portalPath: env[envVars.portalPath] ?? '',
  isLocal: env[envVars.localService] === 'true',
  region: env['AWS_REGION'] ?? '',
});

/**
 * Whether a request changes nothing, so that it may end at any point. A pull hides what it
 * receives.
 */
const onlyReads = (route: RouteId, { httpMethod }: APIGatewayProxyEvent): boolean =>
  httpMethod !== 'POST' && !routes[route].ports.some(port => port === 'inbox.receive');

/** A response that nobody has time to send is not worth its reads. */
const sendMilliseconds = 500;

const readerOf = (
  { gone }: APIGatewayProxyEvent & InProcess,
  context: RunContext | undefined,
): Reader => ({
  isLate: () => context !== undefined && context.getRemainingTimeInMillis() < sendMilliseconds,
  ...(gone && { gone }),
});

export const lambda = <R extends RouteId>(
  { route, edge, ports }: RouteFunction<R>,
  env: Env,
  log: RequestLog = requestLog(route, env),
): ProxyHandler => {
  const handler = madeOnce(env, () =>
    respond(route, edge(made(ports, env), settingsOf(env)), { log, now: () => performance.now() }),
  );
  return function lambda(event, context) {
    const work = () => handler()(withoutEndedCaller(event, clock(env).now()));
    if (onlyReads(route, event)) return readingFor(readerOf(event, context), work);
    return work();
  };
};

/** One function behind several routes, also behind the URLs that no route has. */
export const sharedLambda = (handlers: Partial<Record<RouteId, ProxyHandler>>): ProxyHandler =>
  async function sharedHandler(event, context) {
    const { httpMethod, resource, requestContext } = event;
    const route = routeAt({ stage: requestContext.stage, resource, method: httpMethod });
    const handler = route && handlers[route];
    if (handler) return handler(event, context);
    return proxyResult(unrouted(event), requestContext.requestId);
  };
