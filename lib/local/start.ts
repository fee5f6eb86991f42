import type { Server } from 'node:http';
import * as authoriser from '../../lambdas/authoriser.ts';
import { registry } from '../../lambdas/ports/registry.ts';
import { envVars } from '../contract/env-vars.ts';
import { queueName } from '../domain/delivery/queue-name.ts';
import { authorise } from './authorise.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type Engines, provision, startEngines } from './engines.ts';
import { loopback } from './free-port.ts';
import { gateway } from './gateway.ts';
import { type GatewayLimits, gatewayLimits } from './gateway-limits.ts';
import { handlers } from './handlers.ts';
import { listen, probe } from './listen.ts';
import { type Endpoints, type LocalEnv, localEnv } from './local-env.ts';
import { registryPorts } from './registry-ports.ts';
import { requestLines } from './request-lines.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { parseSeed, type Seed, seed } from './seed.ts';

export interface LocalOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly portalPort: number;
  readonly data: string;
  /** Empties the data folder first. */
  readonly fresh: boolean;
  /** Whether the limits of `lib/contract/limits.ts` are enforced. */
  readonly limits: boolean;
  /** Gets one readable line per request. */
  print(line: string): void;
}

/** What somebody needs to use a running local service; the JSON that `sombus dev --json` prints. */
export interface Ready {
  readonly ready: true;
  readonly base_url: string;
  readonly portal_url: string;
  readonly workspace: string;
  readonly producer: Seed['producer'];
  readonly consumer: Seed['consumer'] & { readonly queue_url: string };
  readonly endpoints: Endpoints;
}

export interface LocalService {
  readonly ready: Ready;
  /** Where everything durable is. */
  readonly data: string;
  /** Answers what is under way, then stops the engines. */
  close(): Promise<void>;
}

/** Where the last run's engines listened, so that clients set up for them go on working. */
const endpointsBefore = (folder: DataFolder): Partial<Endpoints> => {
  const value = folder.read('service.json');
  const endpoints =
    typeof value === 'object' && value !== null && 'endpoints' in value ? value.endpoints : undefined;
  return typeof endpoints === 'object' && endpoints !== null ? endpoints : {};
};

const seeded = async (folder: DataFolder, env: LocalEnv): Promise<Seed> => {
  const known = folder.read('credentials.json');
  if (known !== undefined) return parseSeed(known, folder.file('credentials.json'));
  const made = await seed(registryPorts(env));
  folder.write('credentials.json', made);
  return made;
};

const closeServer = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });

const servers = async (
  env: LocalEnv,
  options: LocalOptions,
  limits: GatewayLimits | undefined,
): Promise<readonly Server[]> => {
  const parts = {
    ...(limits ? { limits } : {}),
    handlers: handlers(env, requestLines(options.print)),
    authorise: authorise(authoriser.handlerFor(env), Date.now),
  };
  const bus = gateway({ ...parts, api: 'bus' });
  const portal = gateway({ ...parts, api: 'portal' });
  await listen(bus, options.port, '--port');
  await listen(portal, options.portalPort, '--portal-port');
  return [bus, portal];
};

const origin = (port: number): string => `http://${loopback}:${port}`;

const readyLine = (env: LocalEnv, engines: Engines, facts: { seed: Seed; portalPort: number }): Ready => {
  const { workspace, producer, consumer } = facts.seed;
  return {
    ready: true,
    base_url: `${env[envVars.origin]}/v1`,
    portal_url: origin(facts.portalPort),
    workspace,
    producer,
    consumer: { ...consumer, queue_url: env[envVars.queueBaseUrl] + queueName(consumer.client_id) },
    endpoints: engines.endpoints,
  };
};

/** Fails early where a port is taken: before anything else is started. */
const ports = async (options: LocalOptions): Promise<LocalOptions> => ({
  ...options,
  port: await probe(options.port, '--port'),
  portalPort: await probe(options.portalPort, '--portal-port'),
});

/** A fault of a scheduled run, with what it consists of. */
const wordsOf = (fault: unknown): string => {
  if (fault instanceof AggregateError) return [fault.message, ...fault.errors.map(wordsOf)].join(' ');
  return fault instanceof Error ? fault.message : String(fault);
};

const startJobs = (env: LocalEnv, { print }: LocalOptions): Schedule =>
  startSchedule(env, (job, fault) => print(`${job}  failed: ${wordsOf(fault)}`));

const startIn = async (folder: DataFolder, wanted: LocalOptions): Promise<LocalService> => {
  const options = await ports(wanted);
  const engines = await startEngines(folder, endpointsBefore(folder));
  try {
    const env = localEnv(origin(options.port), engines.endpoints);
    await provision(env);
    const ready = readyLine(env, engines, {
      seed: await seeded(folder, env),
      portalPort: options.portalPort,
    });
    const limits = options.limits ? gatewayLimits(registry(env), folder, Date.now) : undefined;
    const listening = await servers(env, options, limits);
    const schedule = startJobs(env, options);
    folder.write('service.json', { base_url: ready.base_url, endpoints: ready.endpoints, pid: process.pid });
    return {
      ready,
      data: folder.path,
      async close() {
        const answered = listening.map(closeServer);
        engines.endPolls();
        await Promise.all([...answered, schedule.close()]);
        await engines.close();
        limits?.save();
        folder.release();
      },
    };
  } catch (fault) {
    await engines.close();
    throw fault;
  }
};

/**
 * Starts the whole service on this machine: engines, tables, key, seed workspace and gateways.
 *
 * @throws StartRefusal when it cannot start, with the reason in one sentence
 */
export const startLocalService = async (options: LocalOptions): Promise<LocalService> => {
  const folder = openDataFolder(options.data, options);
  try {
    return await startIn(folder, options);
  } catch (fault) {
    folder.release();
    throw fault;
  }
};
