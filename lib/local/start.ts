import { envVars, queueName } from '../contract/environments.ts';
import { localAccount, systemClock } from '../engines/machine.ts';
import { registry } from '../wiring/env.ts';
import { operatorPorts } from '../wiring/operator.ts';
import { localIssuerName } from '../wiring/portal.ts';
import type { Proofs } from './authorise.ts';
import { type DataFolder, dataFiles, openDataFolder, storeFile } from './data-folder.ts';
import { openStoredEngines, type StoredEngines } from './engines.ts';
import type { Endpoints, LocalEnv } from './env.ts';
import { FaultInjector, faultsControl } from './faults.ts';
import type { GatewayEndpoint } from './gateway-endpoint.ts';
import { abandonGateways, type Gateways, openGateways } from './gateway-server.ts';
import { provision } from './provision.ts';
import {
  type AccessKey,
  accessKeyRecord,
  checkAccessKeys,
  demoRole,
  localAccessKeys,
  operatorKey,
} from './roles.ts';
import { parseSeed, type Seed, seed } from './seed.ts';
import { startService } from './service.ts';
import { endpointsBefore, type ServiceNote } from './service-note.ts';
import { admitLocalOwner, browserHost, localOwner, signInLink } from './sign-in.ts';
import { type SigningKey, signedService, verifyRequest } from './sigv4.ts';
import { missingParts, type StartRefusal } from './start-refusal.ts';

interface LocalOptions {
  readonly port: number;
  readonly portalPort: number;
  /** Where the bus and the portal listen; the engines always listen on loopback, and so do all without it. */
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

/** What a person or program needs to use a running local service: the JSON that `sombus dev --json` prints. */
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

const seeded = async (folder: DataFolder, env: LocalEnv, saved: () => Promise<void>): Promise<Seed> => {
  const known = folder.read(dataFiles.credentials);
  if (known !== undefined) {
    const seedBefore = parseSeed(known, folder.file(dataFiles.credentials));
    await provision(env);
    await checkConnections(env, seedBefore, folder.path);
    return seedBefore;
  }
  await provision(env);
  const made = await seed(operatorPorts(env));
  await saved();
  folder.write(dataFiles.credentials, made);
  return made;
};

const signatureVerifier = (folder: DataFolder): Proofs['verifySignature'] => {
  const find = localAccessKeys(folder.path);
  const scope = { region: localAccount.region, service: signedService };
  return request => verifyRequest(request, { ...scope, now: Date.now(), find });
};

const readyLine = (
  env: LocalEnv,
  facts: { seed: Seed; role: AccessKey; portal: string; endpoints: Endpoints },
): Ready => {
  const { workspace, producer, consumer } = facts.seed;
  return {
    ready: true,
    base_url: `${env[envVars.origin]}/v1`,
    portal_url: facts.portal,
    workspace,
    producer,
    consumer: { ...consumer, queue_url: env[envVars.queueBaseUrl] + queueName(consumer.client_id) },
    endpoints: facts.endpoints,
    region: localAccount.region,
    role: accessKeyRecord(facts.role),
  };
};

/** Everything between the open engines and the open gateways: tables, key, seed, functions. */
const startOn = async (
  folder: DataFolder,
  options: LocalOptions,
  open: { gateways: Gateways; engines: StoredEngines; operator: SigningKey },
): Promise<LocalService> => {
  const { gateways, engines, operator } = open;
  const { endpoints, store } = engines;
  const portal = gateways.portal.origin;
  const saved = () => store.saved();
  const faults = new FaultInjector(systemClock);
  const parts = {
    ...{ gateways, store, faults, operator, engines, variables: engines.signIn },
    ...{ limits: options.limits, print: options.print, verifySignature: signatureVerifier(folder) },
    control: faultsControl(faults, operator, Date.now),
    hosts: [...options.hosts, browserHost(operator), ...(options.endpoint ? [options.endpoint.host] : [])],
  };
  const service = await startService(parts, async env => {
    const seed = await seeded(folder, env, saved);
    const role = await demoRole(folder, operatorPorts(env), { seed, saved });
    await admitLocalOwner(operatorPorts(env), localIssuerName, seed);
    await saved();
    folder.complete();
    const ready = readyLine(env, { seed, role, portal, endpoints });
    const { base_url, portal_url } = ready;
    const note: ServiceNote = { base_url, portal_url, endpoints, pid: process.pid };
    folder.write(dataFiles.service, note);
    return ready;
  });
  return {
    ready: service.prepared,
    data: folder.path,
    signInLink: signInLink(portal, operator, { name: localOwner, now: Date.now() }),
    failed: engines.failed,
    close: () =>
      service
        .close()
        .finally(() => engines.close())
        .finally(() => folder.release()),
  };
};

const startIn = async (folder: DataFolder, options: LocalOptions): Promise<LocalService> => {
  const gateways = await openGateways(options);
  let engines: StoredEngines | undefined;
  try {
    folder.begin();
    checkAccessKeys(folder.path);
    const operator = operatorKey(folder);
    const { openEngines, hosts, warn } = options;
    engines = await openStoredEngines({
      folder: folder.path,
      database: folder.file(storeFile),
      operator,
      openEngines,
      hosts,
      before: endpointsBefore(folder.readHint(dataFiles.service)),
      portal: gateways.portal.origin,
      warn,
    });
    return await startOn(folder, options, { gateways, engines, operator });
  } catch (error) {
    abandonGateways(gateways);
    // What stopped the start is what to say, whatever closing adds.
    await engines?.close().catch(() => undefined);
    throw error;
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
  } catch (error) {
    folder.release();
    throw error;
  }
};
