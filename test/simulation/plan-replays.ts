import type { Connection } from '../../lib/registry/connection.ts';
import { startReplay } from '../../lib/replay/replay.ts';
import { publishUntilDecided, type Run } from './actors.ts';
import { correlationOf, draftOf } from './messages.ts';
import { portsOf } from './ports-of.ts';
import type { PlannedReplay, ReplayPlan } from './replay-plan.ts';

/** Who takes part in a run. */
export interface Parties {
  readonly producer: Connection;
  readonly consumers: readonly Connection[];
}

/** The operator starts one replay, and perhaps cancels it. */
const startOne = async ({ world }: Run, planned: PlannedReplay, consumer: Connection): Promise<void> => {
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
    ...(planned.correlation === undefined ? {} : { correlationId: correlationOf(planned.correlation) }),
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
  const consumerAt = (index: number) => consumers[consumers.length - 1 - (index % consumers.length)];
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
