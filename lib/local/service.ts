import { randomUUID } from 'node:crypto';
import { admitRole } from '../access/registry/registry.ts';
import { operatorScope, workspaceScope } from '../access/trust/principals.ts';
import type { Clock } from '../contract/outside.ts';
import type { RouteId } from '../contract/routes.ts';
import { serveInProcess } from '../platform/aws/clients.ts';
import type { RequestLog } from '../platform/http/respond.ts';
import { limitedRequests } from '../wiring/activity.ts';
import { authoriserFunction } from '../wiring/authoriser.ts';
import { clock, registry, setClock } from '../wiring/env.ts';
import { countUsageBy } from '../wiring/registry.ts';
import { authorise, cachedAuthoriser, type Proofs } from './authorise.ts';
import { errorMessage } from './engines/machine.ts';
import type { Store } from './engines/store.ts';
import type { Engines } from './engines.ts';
import { type LocalEnv, localEnv } from './env.ts';
import type { ConnectionOfRole, FaultInjector } from './faults.ts';
import { handlers, type JobBudgets, type Schedule, startSchedule } from './functions.ts';
import type { GatewayParts } from './gateway.ts';
import { type GatewayLimits, gatewayLimits, usageNoteIn } from './gateway-limits.ts';
import { closeGateways, type Gateways, serveGateways } from './gateway-server.ts';
import { sendsInProcess } from './in-process.ts';
import type { SigV4Key } from './sigv4.ts';

/**
 * One line per request for a terminal: time, status, route (`-`: none), milliseconds, and the
 * subject of the request.
 *
 * @param now epoch milliseconds
 */
export const requestLines =
  (print: (line: string) => void, now: () => number) =>
  (route?: RouteId): RequestLog => ({
    answered({
      status,
      milliseconds,
      rule,
      connection,
      messageType,
      messageId,
      correlationId,
      foreignMessages,
      error,
      errorQueue,
    }) {
      const time = new Date(now()).toISOString().slice(11, 23);
      const foreign =
        foreignMessages === undefined
          ? undefined
          : `ignored messages that the bus did not send: ${foreignMessages}`;
      const about = [
        rule,
        connection,
        messageType,
        messageId,
        correlationId,
        foreign,
        error,
        errorQueue,
      ].filter(fact => fact !== undefined);
      print(
        `${time}  ${status}  ${(route ?? '-').padEnd(14)} ${String(milliseconds).padStart(5)} ` +
          `ms  ${about.join(' ')}`,
      );
    },
    failed(error, { requestId }) {
      print(`${requestId}  failed: ${errorMessage(error)}`);
    },
  });

interface ServiceParts extends Pick<GatewayParts, 'control' | 'hosts'> {
  readonly gateways: Gateways;
  readonly store: Store;
  readonly engines: Pick<Engines, 'endpoints' | 'operations' | 'endPolls'>;
  readonly faults: FaultInjector;
  readonly clock?: Clock;
  readonly limits: boolean;
  /** Signs requests to the engines; absent: they do not check signatures. */
  readonly operator?: SigV4Key;
  readonly variables?: Readonly<Record<string, string>>;
  readonly budgets?: JobBudgets;
  verifySignature: Proofs['verifySignature'];
  print(line: string): void;
}

interface Service<Prepared> {
  readonly env: LocalEnv;
  readonly prepared: Prepared;
  readonly schedule: Schedule;
  readonly limits: GatewayLimits | undefined;
  /** Finishes pending requests and jobs. The database stays open. */
  close(): Promise<void>;
}

const fullMessage = (error: unknown): string => {
  if (error instanceof AggregateError)
    return [error.message, ...error.errors.map(fullMessage)].join(' ');
  return errorMessage(error);
};

const connectionOfRole =
  (env: LocalEnv): ConnectionOfRole =>
  async (role, workspace) => {
    const scope = workspace === undefined ? operatorScope : workspaceScope(workspace);
    const found = await admitRole(registry(env), role, scope);
    return found.kind === 'admitted' ? found.connection.id : undefined;
  };

/**
 * Starts the functions of a bus on its engines.
 *
 * @param prepare makes what the functions need before the first request
 */
export const startService = async <Prepared>(
  parts: ServiceParts,
  prepare: (env: LocalEnv) => Promise<Prepared>,
): Promise<Service<Prepared>> => {
  const { gateways, store, faults, print } = parts;
  const { endpoints, operations, endPolls } = parts.engines;
  const env = { ...localEnv(gateways.bus.origin, endpoints, parts.operator), ...parts.variables };
  const faulty = { ...operations, sqs: faults.aroundQueues(operations.sqs) };
  serveInProcess(env, sendsInProcess({ endpoints, operations: faulty }));
  if (parts.clock) setClock(env, parts.clock);
  const prepared = await prepare(env);
  const { now } = clock(env);
  const limits = parts.limits
    ? gatewayLimits(
        { registry: registry(env), limited: limitedRequests(env) },
        usageNoteIn(store),
        now,
      )
    : undefined;
  if (limits) countUsageBy(env, limits.usedToday);
  const logFor = requestLines(print, now);
  serveGateways(gateways, {
    handlers: faults.around(handlers(env, logFor, parts.limits), connectionOfRole(env)),
    logFor,
    authorise: authorise({
      authoriseToken: cachedAuthoriser(authoriserFunction(env), now),
      verifySignature: parts.verifySignature,
    }),
    newRequestId: randomUUID,
    now: () => performance.now(),
    saved: () => store.saved(),
    disk: store,
    loses: faults.loses,
    hosts: parts.hosts ?? [],
    ...(parts.control && { control: parts.control }),
    ...(limits && { limits }),
  });
  const failed = (job: string, error: unknown) => print(`${job}  failed: ${fullMessage(error)}`);
  const schedule = startSchedule(env, failed, parts.budgets);
  return {
    env,
    prepared,
    schedule,
    limits,
    async close() {
      faults.end();
      const finished = closeGateways(gateways);
      endPolls();
      await Promise.all([finished, schedule.close()]);
      limits?.save();
    },
  };
};
