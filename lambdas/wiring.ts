import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { envVars } from '../lib/contract/env-vars.ts';
import type { PortName } from '../lib/contract/route.ts';
import type { RouteId, RoutePort } from '../lib/contract/routes.ts';
import type { Edge } from '../lib/http/edge.ts';
import { faultAnswer } from '../lib/http/fault-answer.ts';
import { type RequestLog, respond } from '../lib/http/respond.ts';
import type { Archive } from '../lib/ports/archive.ts';
import type { Backlog } from '../lib/ports/backlog.ts';
import type { Clock } from '../lib/ports/clock.ts';
import type { Credentials } from '../lib/ports/credentials.ts';
import type { Ids } from '../lib/ports/ids.ts';
import type { Inbox } from '../lib/ports/inbox.ts';
import type { Ledger } from '../lib/ports/ledger.ts';
import type { Log } from '../lib/ports/log.ts';
import type { Principals } from '../lib/ports/principals.ts';
import type { QueueReaders } from '../lib/ports/queue-readers.ts';
import type { Queues } from '../lib/ports/queues.ts';
import type { Receipts } from '../lib/ports/receipts.ts';
import type { Registry } from '../lib/ports/registry.ts';
import type { RelayMetrics } from '../lib/ports/relay-metrics.ts';
import type { Replays } from '../lib/ports/replays.ts';
import type { Signer } from '../lib/ports/signer.ts';
import { type Env, required } from './env.ts';
import { requestLog } from './request-log.ts';

/** What each port name of the route table stands for. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly principals: Principals;
  readonly queueReaders: QueueReaders;
  readonly credentials: Credentials;
  readonly signer: Signer;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
  readonly backlog: Backlog;
  readonly archive: Archive;
  readonly replays: Replays;
  readonly metrics: RelayMetrics;
}

/** The ports of a route's row: a handler that uses another one does not compile. */
export type RoutePorts<R extends RouteId> = Pick<Ports, RoutePort<R>>;

export type Factories<P extends PortName> = { readonly [Name in P]: (env: Env) => Ports[Name] };

export type ProxyHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Every port, made by its factory. */
export const made = <P extends PortName>(factories: Factories<P>, env: Env): Pick<Ports, P> => {
  const ports: Partial<Pick<Ports, P>> = {};
  for (const name in factories) ports[name] = factories[name](env);
  return ports as Pick<Ports, P>; // every key of `factories` was just filled in
};

/** A route's function for one environment: ports and clients are made on the first request and kept. */
export const lambda =
  <R extends RouteId>(route: R, edge: Edge<RoutePorts<R>>, factories: Factories<RoutePort<R>>) =>
  (env: Env, logFor: (route: RouteId, env: Env) => RequestLog = requestLog): ProxyHandler => {
    let handler: ProxyHandler | undefined;
    return event => {
      handler ??= respond(edge(made(factories, env), { origin: required(env, envVars.origin) }), {
        log: logFor(route, env),
        onFault: faultAnswer(route),
        now: () => performance.now(),
      });
      return handler(event);
    };
  };
