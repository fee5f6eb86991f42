import { once } from 'node:events';
import { lstatSync, readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '../support/service-process.ts';
import { fillArchive } from './archive-fill.ts';
import { busReader, nullHandler, publishing } from './bus.ts';
import { type Checkout, type MeasuredService, startMeasured } from './checkout.ts';
import type { Figure, Measure } from './figures.ts';
import { openClient, send } from './load.ts';
import { withService } from './under-load.ts';

const bytes = 4_096;

const folderBytes = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map(name => lstatSync(join(path, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.blocks * 512 : 0), 0);

/** Publishes so many messages, with new tokens now and then. */
const publishMany = async (service: MeasuredService, count: number): Promise<void> => {
  const part = 10_000;
  for (let left = count; left > 0; left -= part) {
    const { refused } = await send(await publishing(service, bytes), Math.min(part, left));
    if (refused > 0) throw new Error(`${refused} of ${part} publishes were refused.`);
  }
};

const now = (): number => performance.now();

/** A port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

/** Milliseconds of a start until the service is healthy and until its consumer has a message. */
const timedStart = async (checkout: Checkout, data: string, byNpm = false) => {
  const port = await freePort();
  const began = now();
  const starting = startMeasured(checkout, data, { port, byNpm });
  const probe = openClient(port);
  // No connection can be made until the service has its port; then its response waits until it is
  // ready.
  while ((await probe.send(nullHandler(port).request())).status !== 200) await setTimeout(5);
  const health = now() - began;
  probe.close();
  const service = await starting;
  const reader = await busReader(service);
  let taken = await reader.take(0);
  if (taken === 0) {
    await publishMany(service, 1);
    taken = await reader.take(5);
  }
  const first = now() - began;
  reader.close();
  if (taken === 0) throw new Error('A consumer got nothing after a start.');
  return { service, health, first, taken };
};

/** Stops a service and starts it again on its data. */
const restarted = async (service: MeasuredService, signal: NodeJS.Signals) => {
  const began = now();
  await service.stop(signal);
  const stop = now() - began;
  return { stop, ...(await timedStart(service.checkout, service.data)) };
};

const fillFigures = async (
  service: MeasuredService,
  waiting: number,
): Promise<readonly Figure[]> => {
  // Caches, and code that is compiled while it runs, are not the messages' memory.
  await publishMany(service, 2_000);
  const before = { ...(await service.usage()), disk: folderBytes(service.data) };
  const began = now();
  await publishMany(service, waiting - 2_000);
  const seconds = (now() - began) / 1000;
  const { residentMegabytes } = await service.usage();
  const resident = (1024 * (residentMegabytes - before.residentMegabytes)) / (waiting - 2_000);
  const disk = (folderBytes(service.data) - before.disk) / 1024 / (waiting - 2_000);
  const count = waiting.toLocaleString('en');
  return [
    {
      name: `filling up to ${count} waiting, 16 clients`,
      unit: 'per s',
      value: (waiting - 2_000) / seconds,
    },
    {
      name: `resident memory per waiting message`,
      unit: 'KB',
      value: resident,
      goal: { atMost: 0.5 },
    },
    { name: `disk per waiting message`, unit: 'KB', value: disk, goal: { atMost: 6 } },
  ];
};

const drain = async (
  service: MeasuredService,
): Promise<{ readonly taken: number; readonly seconds: number }> => {
  const reader = await busReader(service);
  const began = now();
  let taken = 0;
  for (let more = await reader.take(0); more > 0; more = await reader.take(0)) taken += more;
  const seconds = (now() - began) / 1000;
  reader.close();
  return { taken, seconds };
};

const waitingMessages: Measure = {
  name: 'waiting',
  isShort: false,
  async measure(checkout, { waiting }) {
    const folder = temporaryFolder();
    let service = await startMeasured(checkout, folder.path);
    try {
      const filled = await fillFigures(service, waiting);
      const stopped = await restarted(service, 'SIGTERM');
      service = stopped.service;
      const killed = await restarted(service, 'SIGKILL');
      service = killed.service;
      const drained = await drain(service);
      const missing = waiting - drained.taken - stopped.taken - killed.taken;
      if (missing !== 0) throw new Error(`${missing} of ${waiting} messages are missing.`);
      const count = waiting.toLocaleString('en');
      const goal = { atMost: 800 };
      const rate = drained.taken / drained.seconds;
      return [
        ...filled,
        { name: `stop, ${count} waiting`, unit: 'ms', value: stopped.stop },
        {
          name: `start after a stop, ${count} waiting → health`,
          unit: 'ms',
          value: stopped.health,
          goal,
        },
        {
          name: `start after a kill, ${count} waiting → health`,
          unit: 'ms',
          value: killed.health,
          goal,
        },
        {
          name: `pull and ack, by tens, ${count} waiting`,
          unit: 'per s',
          value: rate,
          goal: { atLeast: 3_000 },
        },
      ];
    } finally {
      await service.stop('SIGKILL');
      folder.remove();
    }
  },
};

/** Three starts on one folder: new, after a stop, after a kill. */
const startFigures = async (checkout: Checkout, byNpm: boolean): Promise<readonly Figure[]> => {
  const folder = temporaryFolder();
  const name = byNpm ? 'npm start' : 'start';
  const goals = byNpm ? [{ goal: { atMost: 600 } }, { goal: { atMost: 800 } }] : [];
  const figures: Figure[] = [];
  try {
    for (const when of ['new folder', 'after a stop', 'after a kill']) {
      const { service, health, first } = await timedStart(checkout, folder.path, byNpm);
      await service.stop(when === 'after a stop' ? 'SIGKILL' : 'SIGTERM');
      figures.push({ name: `${name}, ${when} → health`, unit: 'ms', value: health, ...goals[0] });
      figures.push({
        name: `${name}, ${when} → first message`,
        unit: 'ms',
        value: first,
        ...goals[1],
      });
    }
    return figures;
  } finally {
    folder.remove();
  }
};

const starts: Measure = {
  name: 'start',
  isShort: true,
  measure: async checkout => [
    ...(await startFigures(checkout, false)),
    ...(await startFigures(checkout, true)),
  ],
};

const archive: Measure = {
  name: 'archived',
  isShort: false,
  measure: (checkout, { archived }) =>
    withService(checkout, async first => {
      const { workspace, producer } = first.ready;
      await first.stop();
      await fillArchive(first.data, {
        workspace,
        producer: producer.client_id,
        count: archived,
        until: Date.now(),
      });
      const { service, health, first: pulled } = await timedStart(checkout, first.data);
      const { residentMegabytes } = await service.usage();
      await service.stop('SIGKILL');
      const count = archived.toLocaleString('en');
      const goal = { atMost: 1_500 };
      return [
        { name: `start, ${count} archived → health`, unit: 'ms', value: health, goal },
        {
          name: `start, ${count} archived → first message pulled`,
          unit: 'ms',
          value: pulled,
          goal,
        },
        {
          name: `resident memory then`,
          unit: 'MB',
          value: residentMegabytes,
          goal: { atMost: 250 },
        },
      ];
    }),
};

export const storage: readonly Measure[] = [starts, waitingMessages, archive];
