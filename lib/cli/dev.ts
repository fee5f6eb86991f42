import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { databaseOption } from '../local/database.ts';
import { type LocalService, startLocalService } from '../local/start.ts';
import type { CommandContext } from './command-context.ts';
import { devScreen, type ScreenIds } from './dev-screen.ts';
import { dataOption, port } from './options.ts';

interface DevOptions {
  readonly port: number;
  readonly portalPort: number;
  readonly data: string;
  readonly fresh: boolean;
  readonly limits: boolean;
  readonly json: boolean;
}

/** Resolves at the first SIGINT or SIGTERM. */
const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

/** New ones at every start, so that the lines of the screen work on a folder that has seen them before. */
const newIds = (): ScreenIds => ({
  messageId: randomUUID(),
  correlationId: randomUUID(),
  storyId: `harbour-fire-${randomUUID().slice(0, 8)}`,
});

const show = (service: LocalService, json: boolean): string =>
  json ? JSON.stringify(service.ready) : devScreen(service.ready, service.data, newIds());

/** `sombus dev`: the whole service on this machine until it is stopped. */
export const devCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('dev'), 'where everything durable is kept')
    .description('run the whole service on this machine')
    .option('--port <port>', 'the bus (0: any free port)', port, 8787)
    .option('--portal-port <port>', 'the portal (0: any free port)', port, 8788)
    .option('--fresh', 'begin with an empty data folder', false)
    .option('--no-limits', 'never answer 429: for load tests')
    .option('--json', 'print one JSON line when ready, and nothing else', false)
    .action(async (options: DevOptions) => {
      const stopped = stopSignal();
      const service = await startLocalService({
        ...options,
        ...databaseOption(process.env),
        print: options.json ? () => undefined : line => terminal.out(line),
        warn: line => terminal.error(line),
      });
      terminal.out(show(service, options.json));
      const failure = await Promise.race([stopped, service.failed]);
      await service.close();
      if (failure) throw failure;
    });
