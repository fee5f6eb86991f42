import type { Connection } from '../../lib/access/registry/connection.ts';
import { startReplay } from '../../lib/bus/replay/start-replay.ts';
import { connectionOf } from '../corpus/connections.ts';
import {
  consume,
  produce,
  publishUntilDecided,
  type Run,
  relayOnce,
  replayOnce,
} from './actors.ts';
import { correlationOf, draftOf, workspace } from './messages.ts';
import { NackWatch } from './nack-watch.ts';
import { Observer } from './observer.ts';
import { type PlannedReplay, planOf, type ReplayPlan, replayPlanOf } from './plan.ts';
import { portsOf } from './ports-of.ts';
import { faultsOf, noFaults } from './process.ts';
import { Random } from './random.ts';
import { SimQueue } from './sim-queue.ts';
import { right, type Variant } from './variant.ts';
import { Violation, World } from './world.ts';

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** Entries committed. */
  readonly committed: number;
  readonly trace: readonly string[];
}

/** Who takes part in a run. */
export interface Parties {
  readonly producer: Connection;
  readonly consumers: readonly Connection[];
}

/** The operator starts one replay, and perhaps cancels it. */
const startOne = async (
  { world }: Run,
  planned: PlannedReplay,
  consumer: Connection,
): Promise<void> => {
  const operator = world.process('operator');
  const ports = portsOf(world, operator);
  const now = ports.clock.now();
  const connections = {
    noteUse: async () => undefined,
    find: async () => ({
      connection: consumer,
      credential: { version: 1, current: { hash: '', issuedAt: '' } },
    }),
  };
  const started = await startReplay({ ...ports, connections, archiveDays: 30 }, consumer.id, {
    from: now - planned.back - 1,
    to: now,
    ...(planned.type === undefined ? {} : { type: planned.type }),
    ...(planned.correlation === undefined
      ? {}
      : { correlationId: correlationOf(planned.correlation) }),
  }).catch(() => undefined);
  if (started === undefined || 'kind' in started || planned.cancelAfter === undefined) return;
  await world.replayWatch.begins(started.id);
  await world.scheduler.sleep(planned.cancelAfter);
  await ports.replays.end(started.id, { status: 'cancelled' }).catch(() => undefined);
};

/** Publishes what the replays will find, and schedules the replays and what disturbs them. */
export const planReplays = async (
  run: Run,
  { producer, consumers }: Parties,
  { replays, messages, pageSize, indexLag, freezes, outage }: ReplayPlan,
): Promise<readonly Promise<void>[]> => {
  const { world, plan } = run;
  const consumerAt = (index: number) =>
    consumers[consumers.length - 1 - (index % consumers.length)];
  world.pageSize = pageSize;
  world.indexLag = indexLag;
  world.freezes = freezes ? 1 : 0;
  for (let count = 0; count < messages; count += 1)
    await publishUntilDecided(run, producer, draftOf(world, count % plan.correlations, 0));
  const broken = outage && consumerAt(outage.consumer)?.queue;
  if (broken) world.scheduler.after(outage.after, () => world.breakQueue(broken, outage.lasts));
  return replays.map(async planned => {
    const target = consumerAt(planned.consumer);
    await world.scheduler.sleep(planned.after);
    for (let count = 0; count < planned.burst; count += 1)
      await publishUntilDecided(run, producer, draftOf(world, count % plan.correlations, 0));
    if (target) void startOne(run, planned, target);
  });
};

const connection = (index: number, kind: Connection['kind']): Connection =>
  connectionOf(`c22222222222${'abcdefgh'.charAt(index)}`, kind, workspace);

const populate = (world: World, consumers: number): Parties => {
  const producer = connection(0, 'producer');
  const made = Array.from({ length: consumers }, (_, index) => connection(index + 1, 'consumer'));
  for (const connection of [producer, ...made]) {
    world.connections.set(connection.id, connection);
    if (connection.queue) world.queues.set(connection.queue, new SimQueue());
  }
  return { producer, consumers: made };
};

const every = async (run: Run, milliseconds: number, work: (run: Run) => Promise<unknown>) => {
  while (!run.isOver) {
    await run.world.scheduler.sleep(milliseconds);
    await work(run);
  }
};

const mostCalmRounds = 40;
const longestPause = 420_000;

/** Without faults, everything that was left must finish. */
const settleDown = async (run: Run, consumers: readonly Connection[]): Promise<void> => {
  const { world } = run;
  const unfinished = (): string | undefined => {
    const pending = world.ledger.pending(Number.POSITIVE_INFINITY, 10);
    if (pending.length > 0) return `the log ${pending[0]?.correlationId} is still pending`;
    const full = consumers.find(
      ({ queue }) => queue !== undefined && (world.queue(queue)?.size ?? 0) > 0,
    );
    if (full) return `the queue of ${full.id} is not empty`;
    const replay = [...world.ledger.replays.values()].find(({ status }) => status === 'running');
    return replay && `the replay ${replay.id} does not end`;
  };
  for (let round = 0; round < mostCalmRounds; round += 1) {
    if (unfinished() === undefined) return;
    await world.scheduler.sleep(5_000);
    await Promise.all([relayOnce(run), replayOnce(run)]);
  }
  const left = unfinished();
  if (left) world.fail('I1', `${left} when nothing goes wrong any more`);
};

const program = async (run: Run): Promise<void> => {
  const { world, plan, observer } = run;
  const { random } = world.scheduler;
  const { producer, consumers } = populate(world, plan.consumers);
  observer.watch();
  const old = draftOf(world, 0, 0);
  if (plan.outlastsWindow) {
    await publishUntilDecided(run, producer, old);
    world.scheduler.now += 7 * 86_400_000 + 2 * 3_600_000;
  }
  const replaying = plan.replays
    ? await planReplays(
        run,
        { producer, consumers },
        replayPlanOf(new Random(world.seed ^ 0x2545f491)),
      )
    : [];
  world.faults = faultsOf(plan.faultRate);
  world.scheduler.after(plan.faultyMilliseconds, () => {
    world.faults = noFaults;
    world.trace('nothing goes wrong from here on');
  });
  const background = [
    ...consumers.map(consumer => consume(run, consumer)),
    every(run, plan.relayEveryMilliseconds, relayOnce),
    ...(plan.replays ? [every(run, 1_000, replayOnce)] : []),
  ];
  const [first] = consumers;
  if (plan.deletesQueue && first)
    world.scheduler.after(random.below(8_000), () => world.remove(first));
  const target = consumers.at(-1);
  const { pause } = plan;
  if (pause && target) world.scheduler.after(pause.after, () => world.pause(target, pause.lasts));
  const producing = [
    ...replaying,
    ...Array.from({ length: plan.producers }, () => produce(run, producer)),
  ];
  if (plan.outlastsWindow) producing.push(publishUntilDecided(run, producer, old));
  await Promise.all(producing);
  world.faults = noFaults;
  await settleDown(run, consumers);
  run.isOver = true;
  await Promise.all(background);
  // A process that still sleeps wakes up and finds its work done by others.
  if (plan.replays) await world.scheduler.sleep(longestPause);
  observer.checkAll();
};

const maxSteps = 200_000;

/** Runs one world from its seed to its end, and reports what broke. */
export const simulate = async (
  seed: number,
  variant: Variant = right,
  tracing = false,
): Promise<Outcome> => {
  const plan = planOf(new Random(seed ^ 0x5f3759df));
  const deduplicationIdOf = variant.deduplicationIdOf?.();
  const world = new World({
    seed,
    tracing,
    ...(variant.rules ? { rules: variant.rules } : {}),
    ...(deduplicationIdOf ? { deduplicationIdOf } : {}),
  });
  const run: Run = {
    world,
    plan,
    variant,
    observer: new Observer(world),
    nacks: new NackWatch(world),
    isOver: false,
  };
  world.trace(`seed ${seed}: ${JSON.stringify(plan)}`);
  await world.scheduler.run(program(run), maxSteps).catch((fault: unknown) => {
    world.violation ??=
      fault instanceof Violation ? fault : new Violation('liveness', String(fault));
  });
  return {
    seed,
    violation: world.violation,
    steps: world.scheduler.steps,
    committed: world.ledger.committed.length,
    trace: world.lines,
  };
};

const firstSeeds = Array.from({ length: 1_000 }, (_, index) => index + 1);

/**
 * The first seed that shows a planted bug, and the invariant that it breaks there.
 *
 * @param known the seed to try first
 */
export const findPlanted = async (bug: Variant, known?: number) => {
  for (const seed of known === undefined ? firstSeeds : [known, ...firstSeeds]) {
    const { violation } = await simulate(seed, bug);
    if (violation) return { seed, invariant: violation.invariant };
  }
  return undefined;
};
