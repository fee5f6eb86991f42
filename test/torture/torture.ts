import { randomUUID } from 'node:crypto';
import { sombus, startService, temporaryFolder } from '../support/service-process.ts';
import { compareDeliveries, compareLedger, type Event } from './compare.ts';
import { consume } from './consumer.ts';
import { type Disturbances, disturbAgainAndAgain } from './disturb.ts';
import { produce, type Story } from './producer.ts';
import { readLedger, readQueue } from './read-back.ts';
import type { Client, Stage } from './stage.ts';

export interface TortureOptions extends Disturbances {
  /** How many messages are to be acknowledged. */
  readonly publishes: number;
  readonly producers: number;
  /** All producers write all stories. */
  readonly stories: number;
  /**
   * They pull, ack and nack during the kills. One more reads its queue byte for byte afterwards.
   */
  readonly consumers: number;
}

export interface TortureResult extends Disturbances {
  readonly acknowledged: number;
  /** Snapshots that another producer's snapshot overtook. */
  readonly refused: number;
  readonly resent: number;
  /** Publishes that were answered with 503, as while a disk is full. */
  readonly unavailable: number;
  /** Responds with a status of 500 or more that is not 503. */
  readonly faults: number;
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

const createConsumer = async (stage: Stage, app: string): Promise<Client> => {
  const place = ['--workspace', stage.service.ready.workspace, '--data', stage.folder, '--json'];
  const create = ['connection', 'create', '--kind', 'consumer', '--app', app];
  const { stdout, stderr } = await sombus(...create, ...place);
  if (stdout === '') throw new Error(stderr);
  const { connection_id, client_secret } = JSON.parse(stdout);
  return { client_id: connection_id, client_secret };
};

const produceAll = async (
  stage: Stage,
  { publishes, producers, stories }: TortureOptions,
): Promise<void> => {
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
  const { acknowledged, refused, resent, unavailable, faults } = stage;
  return {
    acknowledged: acknowledged.size,
    refused,
    resent,
    unavailable,
    faults,
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
  const clients: Client[] = [];
  while (clients.length < options.consumers)
    clients.push(await createConsumer(stage, `app-${clients.length}`));
  const every = Math.floor(options.publishes / (options.kills + options.fullDisks + 1));
  const disturbing = disturbAgainAndAgain(stage, options, every);
  const producing = produceAll(stage, options);
  const consuming = clients.map(client => consume(stage, client));
  // Also when one of them fails: no service may be started after the end.
  await Promise.allSettled([disturbing, producing, ...consuming]);
  await producing;
  const done = await disturbing;
  const seen = await Promise.all(consuming);
  return { ...done, ...(await compared(stage, [...seen, await readQueue(stage)])) };
};

/**
 * Publishes from many producers to shared stories, and pulls, acks and nacks, while the whole
 * service is killed, or its disk full, again and again; then compares everything that anybody was
 * told with the ledger.
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
    unavailable: 0,
    faults: 0,
    isOver: false,
  };
  try {
    return await onStage(stage, options);
  } finally {
    await stage.service.stop('SIGKILL');
    folder.remove();
  }
};
