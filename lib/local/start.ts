import { resolve } from 'node:path';
import { envVars, queueName } from '../contract/environments.ts';
import { registry } from '../wiring/env.ts';
import { operatorPorts } from '../wiring/operator.ts';
import { localIssuerName } from '../wiring/portal.ts';
import { type DataFolder, dataFiles, openDataFolder, storeFile } from './data-folder.ts';
import { localAccount, systemClock } from './engines/machine.ts';
import { openStore, type Store } from './engines/store.ts';
import { startEngines, startSweeping } from './engines.ts';
import type { Endpoints, LocalEnv } from './env.ts';
import { FaultInjector, faultsControl } from './faults.ts';
import type { GatewayEndpoint } from './gateway-endpoint.ts';
import { abandonGateways, openGateways } from './gateway-server.ts';
import { provision } from './provision.ts';
import {
  accessKeyRecord,
  checkAccessKeys,
  demoRole,
  localAccessKeys,
  operatorKey,
} from './roles.ts';
import { parseSeed, type Seed, seed } from './seed.ts';
import { startService } from './service.ts';
import { endpointsBefore, type ServiceNote } from './service-note.ts';
import { admitLocalOwner, browserHost, localOwner, signInLink, startSignIn } from './sign-in.ts';
import { signedService, verifyRequest } from './sigv4.ts';
import { folderRefusal, missingParts, StartRefusal } from './start-refusal.ts';

interface LocalOptions {
  readonly port: number;
  readonly portalPort: number;
  /**
   * Where the bus and the portal listen; the engines always listen on loopback, and so do all
   * without it.
   */
  readonly endpoint?: GatewayEndpoint;
  readonly data: string;
  readonly fresh: boolean;
  readonly limits: boolean;
  /** Whether the engines answer everybody, whatever the signature: for experiments. */
  readonly openEngines: boolean;
  /** Host names that every port responds to, besides those of the loopback addresses. */
  readonly hosts: readonly string[];
  print(line: string): void;
  warn(line: string): void;
}

/**
 * What a person or program needs to use a running local service: the JSON that `sombus dev --json`
 * prints.
 */
export interface Ready {
  readonly ready: true;
  readonly base_url: string;
  readonly portal_url: string;
  readonly workspace: string;
  readonly producer: Seed['producer'];
  readonly consumer: Seed['consumer'] & { readonly queue_url: string };
  readonly endpoints: Endpoints;
  /** The AWS region to sign requests for. */
  readonly region: string;
  /** The demo producer's verified cloud role, with credentials for an AWS SDK. */
  readonly role: ReturnType<typeof accessKeyRecord>;
}

export interface LocalService {
  readonly ready: Ready;
  readonly data: string;
  /** Opens the portal as the folder's owner: it works once, for ten minutes. */
  readonly signInLink: string;
  /** Resolves with the reason if the service cannot continue: close it then. */
  readonly failed: Promise<StartRefusal>;
  /** Answers pending requests, then stops the engines. */
  close(): Promise<void>;
}

/** A log that was removed or a database of another folder shows here first. */
const checkConnections = async (env: LocalEnv, { producer, consumer }: Seed, folder: string) => {
  const { connection } = registry(env);
  for (const { client_id } of [producer, consumer])
    if (!(await connection(client_id))) throw missingParts(folder, [`the connection ${client_id}`]);
};

const seeded = async (
  folder: DataFolder,
  env: LocalEnv,
  saved: () => Promise<void>,
): Promise<Seed> => {
  const known = folder.read(dataFiles.credentials);
  const before =
    known === undefined ? undefined : parseSeed(known, folder.file(dataFiles.credentials));
  await provision(env);
  if (before) {
    await checkConnections(env, before, folder.path);
    return before;
  }
  const made = await seed(operatorPorts(env));
  await saved();
  folder.write(dataFiles.credentials, made);
  return made;
};

const storeFailed = (error: Error): StartRefusal =>
  new StartRefusal(
    `The disk did not take what the service wrote (${error.message}): check the disk, then ` +
      'start the service again. No accepted message is lost.',
  );

/** Tells once that the disk is full, and once that it has room again. */
const tellFullDisk = (store: Store, folder: string, warn: LocalOptions['warn']): void => {
  const full =
    `There is no room for the data folder ${folder}: requests get 503 until there is some ` +
    'again. No accepted message is lost.';
  const again = `There is room again for the data folder ${folder}.`;
  store.onFull(isFull => warn(isFull ? full : again));
};

/** What ends the parts of a service, in the order of their starts. */
type Ends = (() => unknown)[];

/** Ends all parts, the last one first. @throws the error of one of them, when all have ended */
const endAll = async (ends: Ends): Promise<void> => {
  const end = ends.pop();
  if (!end) return;
  try {
    await end();
  } finally {
    await endAll(ends);
  }
};

/**
 * Everything that works on the database, and the ports of the gateways: their requests wait until
 * the service starts.
 */
const openParts = async (folder: DataFolder, options: LocalOptions, ends: Ends) => {
  const { hosts, warn } = options;
  const gateways = await openGateways(options);
  ends.push(() => abandonGateways(gateways));
  folder.begin();
  checkAccessKeys(folder.path);
  const operator = operatorKey(folder);
  const role = localAccessKeys(folder.path);
  const store = openStore(folder.file(storeFile));
  ends.push(() => store.close());
  tellFullDisk(store, folder.path, warn);
  const before = endpointsBefore(folder.readHint(dataFiles.service));
  const keys = options.openEngines ? undefined : { operator, role, now: Date.now };
  const engines = await startEngines(store, { hosts, before, warn, clock: systemClock, keys });
  ends.push(() => engines.close());
  const portal = gateways.portal.origin;
  const signIn = await startSignIn(store, process.env, { portal, operator, hosts, warn });
  ends.push(() => signIn.close(), startSweeping(engines, options));
  return { gateways, store, engines, operator, role, variables: signIn.variables };
};

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Makes what the functions need before the first request, and notes where the service listens. */
const prepare = async (
  folder: DataFolder,
  { gateways, engines, store }: Parts,
  env: LocalEnv,
): Promise<Ready> => {
  const ports = operatorPorts(env);
  const saved = () => store.saved();
  const seed = await seeded(folder, env, saved);
  const role = await demoRole(folder, ports, { seed, saved });
  await admitLocalOwner(ports, localIssuerName, seed);
  await saved();
  folder.complete();
  const { workspace, producer, consumer } = seed;
  const base_url = `${env[envVars.origin]}/v1`;
  const portal_url = gateways.portal.origin;
  const { endpoints } = engines;
  const note: ServiceNote = { base_url, portal_url, endpoints, pid: process.pid };
  folder.write(dataFiles.service, note);
  return {
    ready: true,
    base_url,
    portal_url,
    workspace,
    producer,
    consumer: { ...consumer, queue_url: env[envVars.queueBaseUrl] + queueName(consumer.client_id) },
    endpoints,
    region: localAccount.region,
    role: accessKeyRecord(role),
  };
};

const startOn = async (
  folder: DataFolder,
  options: LocalOptions,
  ends: Ends,
): Promise<LocalService> => {
  const parts = await openParts(folder, options, ends);
  const { gateways, operator, store, role } = parts;
  const faults = new FaultInjector(systemClock);
  const scope = { region: localAccount.region, service: signedService };
  const service = await startService(
    {
      ...{ ...parts, faults, limits: options.limits, print: options.print },
      verifySignature: request => verifyRequest(request, { ...scope, now: Date.now(), find: role }),
      control: faultsControl(faults, operator, Date.now),
      hosts: [
        ...options.hosts,
        browserHost(operator),
        ...(options.endpoint ? [options.endpoint.host] : []),
      ],
    },
    env => prepare(folder, parts, env),
  );
  ends.push(() => service.close());
  let closing: Promise<void> | undefined;
  return {
    ready: service.prepared,
    data: folder.path,
    signInLink: signInLink(gateways.portal.origin, operator, { name: localOwner, now: Date.now() }),
    failed: store.failed.then(storeFailed),
    close: async () => {
      closing ??= endAll(ends);
      await closing;
    },
  };
};

/**
 * Starts the whole service on this machine: engines, tables, key, seed workspace and gateways.
 *
 * @throws StartRefusal when it cannot start, with the reason in one sentence
 */
export const startLocalService = async (options: LocalOptions): Promise<LocalService> => {
  const ends: Ends = [];
  try {
    const folder = openDataFolder(options.data, options);
    ends.push(() => folder.release());
    return await startOn(folder, options, ends);
  } catch (error) {
    // What stopped the start is what to say, whatever ending adds.
    await endAll(ends).catch(() => undefined);
    throw folderRefusal(error, resolve(options.data));
  }
};
