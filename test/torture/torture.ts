import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sombus, startService, temporaryFolder } from '../support/service-process.ts';
import { compareDeliveries, compareLedger, type Event } from './compare.ts';
import { consume } from './consumer.ts';
import { produce, type Story } from './producer.ts';
import { readLedger, readQueue } from './read-back.ts';
import type { Client, Stage } from './stage.ts';

export interface TortureOptions {
  readonly kills: number;
  /** How many messages are to be acknowledged. */
  readonly publishes: number;
  readonly producers: number;
  /** All producers write all stories. */
  readonly stories: number;
  /** They pull, ack and nack during the kills. One more reads its queue byte for byte afterwards. */
  readonly consumers: number;
}

export interface TortureResult {
  readonly kills: number;
  readonly acknowledged: number;
  /** Snapshots that another producer's snapshot overtook. */
  readonly refused: number;
  readonly resent: number;
  readonly delivered: number;
  /** Delivered to a consumer that had got them before: nacked, or not acknowledged in time. */
  readonly repeated: number;
  /** Delivered to a consumer that had been told its ack was done. */
  readonly afterAck: number;
  readonly lost: number;
  readonly outOfOrder: number;
  readonly changed: number;
  readonly committedTwice: number;
  /** In the ledger although the producer was told that nothing was accepted. */
  readonly keptThoughRefused: number;
}

const startAgain = async (stage: Stage): Promise<void> => {
  const { port } = new URL(stage.service.ready.base_url);
  stage.service = await startService(stage.folder, '--no-limits', '--port', port);
};

/** Waits until so many messages are acknowledged, or the producers are finished. */
const acknowledged = (stage: Stage, count: number): Promise<void> =>
  new Promise(resolve => {
    stage.onProgress = () => {
      if (stage.isOver || stage.acknowledged.size >= count) resolve();
    };
    stage.onProgress();
  });

/** Kills the service again and again while the producers work, after about the same number of publishes each time. */
const killAgainAndAgain = async (stage: Stage, kills: number, every: number): Promise<number> => {
  let done = 0;
  for (let next = every; done < kills && !stage.isOver; next += every) {
    await acknowledged(stage, next);
    // Each kill comes a little later after the same number of messages, so that it hits another point of the next one.
    for (let turn = 0; turn < (done * 7) % 23; turn += 1) await setImmediate();
    stage.started = stage.service.stop('SIGKILL').then(() => startAgain(stage));
    await stage.started;
    done += 1;
  }
  return done;
};

const createConsumer = async (stage: Stage, app: string): Promise<Client> => {
  const { workspace } = stage.service.ready;
  const place = ['--workspace', workspace, '--data', stage.folder, '--json'];
  const { stdout, stderr } = await sombus(
    'connection',
    'create',
    '--kind',
    'consumer',
    '--app',
    app,
    ...place,
  );
  if (stdout === '') throw new Error(stderr);
  const { connection_id, client_secret } = JSON.parse(stdout);
  return { client_id: connection_id, client_secret };
};

const createConsumers = async (stage: Stage, count: number): Promise<readonly Client[]> => {
  const consumers: Client[] = [];
  while (consumers.length < count) consumers.push(await createConsumer(stage, `app-${consumers.length}`));
  return consumers;
};

const produceAll = async (stage: Stage, { publishes, producers, stories }: TortureOptions): Promise<void> => {
  const shared = Array.from({ length: stories }, (): Story => ({ id: randomUUID(), snapshots: 0 }));
  const share = (index: number) => Math.floor((publishes + index) / producers);
  await Promise.all(
    Array.from({ length: producers }, (_, index) => produce(stage, shared, share(index))),
  ).finally(() => {
    stage.isOver = true;
    stage.onProgress();
  });
};

const compared = async (stage: Stage, seen: readonly (readonly Event[])[]) => {
  const ledger = await readLedger(stage);
  const kept = compareLedger(ledger, stage.acknowledged);
  const results = seen.map(events => compareDeliveries(ledger, stage.acknowledged, events));
  const sum = (name: keyof ReturnType<typeof compareDeliveries>) =>
    results.reduce((total, one) => total + one[name], 0);
  return {
    acknowledged: stage.acknowledged.size,
    refused: stage.refused,
    resent: stage.resent,
    delivered: sum('delivered'),
    repeated: sum('repeated'),
    afterAck: sum('afterAck'),
    ...kept,
    lost: kept.lost + sum('lost'),
    outOfOrder: kept.outOfOrder + sum('outOfOrder'),
    changed: sum('changed'),
  };
};

const onStage = async (stage: Stage, options: TortureOptions) => {
  const clients = await createConsumers(stage, options.consumers);
  const every = Math.floor(options.publishes / (options.kills + 1));
  const killing = killAgainAndAgain(stage, options.kills, every);
  const producing = produceAll(stage, options);
  const consuming = clients.map(client => consume(stage, client));
  // Also when one of them fails: no service may be started after the end.
  await Promise.allSettled([killing, producing, ...consuming]);
  await producing;
  const kills = await killing;
  const seen = await Promise.all(consuming);
  return { kills, ...(await compared(stage, [...seen, await readQueue(stage)])) };
};

/**
 * Publishes from many producers to shared stories, and pulls, acks and nacks, while the whole service is killed again
 * and again; then compares everything that anybody was told with the ledger.
 */
export const torture = async (options: TortureOptions): Promise<TortureResult> => {
  const folder = temporaryFolder();
  const service = await startService(folder.path, '--no-limits');
  const stage: Stage = {
    folder: folder.path,
    service,
    started: Promise.resolve(),
    onProgress: () => undefined,
    acknowledged: new Map(),
    refused: 0,
    resent: 0,
    isOver: false,
  };
  try {
    return await onStage(stage, options);
  } finally {
    await stage.service.stop('SIGKILL');
    folder.remove();
  }
};
