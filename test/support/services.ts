import { cpSync } from 'node:fs';
import { startLocalService } from '../../lib/local/start.ts';
import { type ServiceProcess, startService, temporaryFolder } from './service-process.ts';
import { startOptions } from './start-options.ts';

/**
 * Data folders and services for the tests of a file: each test has its own, which are gone after
 * it.
 */
export const services = () => {
  const folders: { remove(): void }[] = [];
  const running: ServiceProcess[] = [];
  let left: ReturnType<typeof temporaryFolder> | undefined;
  const folder = (): string => {
    const made = temporaryFolder();
    folders.push(made);
    return made.path;
  };
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop('SIGKILL');
    for (const { remove } of folders.splice(0)) remove();
  });
  afterAll(() => left?.remove());
  return {
    folder,
    /** A folder that a service has used and left: each is a copy of the first. */
    async used(): Promise<string> {
      if (!left) {
        left = temporaryFolder();
        await (await startLocalService(startOptions(left.path))).close();
      }
      const data = folder();
      cpSync(left.path, data, { recursive: true });
      return data;
    },
    async started(data: string, ...args: readonly string[]): Promise<ServiceProcess> {
      const service = await startService(data, ...args);
      running.push(service);
      return service;
    },
  };
};
