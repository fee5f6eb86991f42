import { limits } from '../../lib/contract/limits.ts';
import { type LocalService, type Ready, startLocalService } from '../../lib/local/start.ts';
import type { OperatorPorts } from '../../lib/wiring/operator.ts';
import { sombus } from './commands.ts';
import { runningRegistry } from './running-registry.ts';
import { type ServiceProcess, startService, temporaryFolder } from './service-process.ts';
import { startOptions } from './start-options.ts';

/** Runs commands on a data folder, and parses what they print. */
const runOn =
  (data: string) =>
  async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await sombus(...args, '--data', data, '--json');
    return { code, stderr, record: stdout === '' ? {} : JSON.parse(stdout) };
  };

interface Running {
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** The service that all tests of a file share. */
const shared = (start: (data: string) => Promise<Running>) => {
  const folder = temporaryFolder();
  let service: Running;
  let registry: OperatorPorts | undefined;
  beforeAll(async () => {
    service = await start(folder.path);
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });
  return {
    data: folder.path,
    run: runOn(folder.path),
    get ready() {
      return service.ready;
    },
    /** Ends in `/v1`. */
    get base() {
      return service.ready.base_url;
    },
    /** The address of the demo workspace. */
    get tenant() {
      return `${service.ready.base_url}/tenants/${service.ready.workspace}`;
    },
    get registry() {
      registry ??= runningRegistry(folder.path, service.ready);
      return registry;
    },
  };
};

export type SharedService = ReturnType<typeof shared>;

/**
 * As a person starts it, in a process of its own, which is expected to stop well after the tests.
 */
export const oneService = (...args: readonly string[]): SharedService =>
  shared(async data => {
    const service: ServiceProcess = await startService(data, ...args);
    return { ready: service.ready, stop: async () => expect(await service.stop()).toBe(0) };
  });

/** In this process. */
export const serviceHere = (): SharedService =>
  shared(async data => {
    const service: LocalService = await startLocalService(startOptions(data));
    return { ready: service.ready, stop: () => service.close() };
  });

/**
 * Lets the replays of a service in this process send what was archived just now, or only what is so
 * old.
 */
export const withoutReplayLag = (milliseconds = 0): void => {
  jest.replaceProperty<Record<string, unknown>, string>(
    limits,
    'replayLagMilliseconds',
    milliseconds,
  );
};
