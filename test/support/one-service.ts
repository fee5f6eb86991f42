import type { OperatorPorts } from '../../lib/wiring/operator.ts';
import { runningRegistry } from './running-registry.ts';
import { type ServiceProcess, sombus, startService, temporaryFolder } from './service-process.ts';

/** Runs commands on a data folder, and parses what they print. */
const runOn =
  (data: string) =>
  async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await sombus(...args, '--data', data, '--json');
    return { code, stderr, record: stdout === '' ? {} : JSON.parse(stdout) };
  };

/** The service that all tests of a file share: starts before them, and is expected to stop well after them. */
export const oneService = (...args: readonly string[]) => {
  const folder = temporaryFolder();
  let service: ServiceProcess;
  let registry: OperatorPorts | undefined;
  beforeAll(async () => {
    service = await startService(folder.path, ...args);
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
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
