import { type ServiceProcess, startService, temporaryFolder } from './service-process.ts';

/** Data folders and services for the tests of a file: each test has its own, which are gone after it. */
export const services = () => {
  const folders: { remove(): void }[] = [];
  const running: ServiceProcess[] = [];
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop('SIGKILL');
    for (const { remove } of folders.splice(0)) remove();
  });
  return {
    folder(): string {
      const made = temporaryFolder();
      folders.push(made);
      return made.path;
    },
    async started(data: string, ...args: readonly string[]): Promise<ServiceProcess> {
      const service = await startService(data, ...args);
      running.push(service);
      return service;
    },
  };
};
