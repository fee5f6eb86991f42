import fc from 'fast-check';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import {
  copiesOf,
  copyStates,
  recordsAtConnection,
  stateOfCopy,
} from '../../../lib/bus/activity/message-life.ts';
import { frontLimits } from '../../../lib/bus/replay/queue-front.ts';
import { correlation } from '../../support/entries.ts';
import { type Bus, startBus, workspace } from './bus.ts';

let bus: Bus;
beforeAll(async () => {
  bus = await startBus();
});
afterAll(() => bus.close());

/** What a consumer saw of one receive of its own. */
interface Seen {
  readonly messageId: string;
  readonly handle: string;
  readonly takenAt: number;
  readonly count: number;
  acknowledgedAt?: number;
}

/** One consumer, and everything that it was told. */
interface Run {
  readonly consumer: Connection;
  readonly published: Map<string, number>;
  readonly seen: Seen[];
  replays: number;
  readonly stories: readonly string[];
}

const picked = <T>(items: readonly T[], chosen: number): readonly T[] =>
  items.filter((_, index) => (chosen >> (index % 30)) & 1);

const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('publish' as const), story: fc.nat(2) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pull' as const),
      max: fc.integer({ min: 1, max: 10 }),
      visibilitySeconds: fc.integer({ min: 10, max: 90 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ack' as const), chosen: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('nack' as const),
      chosen: fc.nat(),
      delaySeconds: fc.constantFrom(0, 0, 20, 600),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replay' as const), chosen: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), paused: fc.boolean() }) },
);

type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

const replayOne = async (run: Run, chosen: number): Promise<void> => {
  const [messageId] = picked([...run.published.keys()], chosen);
  if (messageId === undefined) return;
  run.replays += 1;
  const replay = `y${'a'.repeat(10)}${String(run.replays).padStart(2, '0')}`;
  await bus.replay(run.consumer, messageId, `${run.consumer.id}${replay}`);
};

const take = async (run: Run, step: Step): Promise<void> => {
  const { consumer, seen } = run;
  const now = bus.clock.now();
  switch (step.do) {
    case 'publish': {
      const messageId = await bus.publish(run.stories[step.story] ?? '');
      if (bus.connections.get(consumer.id)?.status === 'active') run.published.set(messageId, now);
      return;
    }
    case 'pull': {
      const { max, visibilitySeconds } = step;
      for (const one of await bus.pull(consumer, { max, waitSeconds: 0, visibilitySeconds }))
        seen.push({
          messageId: one.messageId,
          handle: one.receiptHandle,
          takenAt: now,
          count: one.receiveCount,
        });
      return;
    }
    case 'ack': {
      const open = seen.filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
      const handles = picked(open, step.chosen).map(({ handle }) => handle);
      const { ok } = await bus.acknowledge(consumer, handles.slice(0, 100));
      for (const one of open) if (ok.includes(one.handle)) one.acknowledgedAt = now;
      return;
    }
    case 'nack': {
      const handles = picked(seen, step.chosen).map(({ handle }) => handle);
      await bus.release(consumer, handles.slice(0, 100), step.delaySeconds);
      return;
    }
    case 'wait':
      return bus.clock.advance(step.seconds * 1000);
    case 'replay':
      return replayOne(run, step.chosen);
    case 'pause':
      bus.connections.set(consumer.id, { ...consumer, status: step.paused ? 'paused' : 'active' });
  }
};

/** The states of all copies of all messages, and the receives that the records tell. */
const told = async (run: Run) => {
  const now = bus.clock.now();
  const lives = await Promise.all(
    [...run.published].map(async ([messageId, acceptedAt]) => {
      const records = recordsAtConnection(
        await bus.ports.history.ofMessage(workspace, { messageId, acceptedAt }),
        run.consumer.id,
      );
      const life = await bus.life(messageId);
      return {
        messageId,
        acceptedAt,
        records,
        life,
        states: copyStates(records, { acceptedAt, now }),
      };
    }),
  );
  return lives;
};

const receiveOf = ({ messageId, takenAt, count, acknowledgedAt }: Omit<Seen, 'handle'>) =>
  [messageId, takenAt, count, acknowledgedAt ?? null].join(' ');

const check = async (run: Run): Promise<void> => {
  const lives = await told(run);
  const states = lives.flatMap(one => one.states);
  const depth = await bus.ports.depths.depth(run.consumer.queue ?? '');
  const count = (...wanted: readonly string[]) =>
    states.filter(state => wanted.includes(state)).length;
  expect({ visible: count('queued'), inFlight: count('received', 'returned') }).toEqual(depth);
  const recorded = lives.flatMap(({ messageId, records }) =>
    records.receives.map(({ takenAt, receiveCount, acknowledgedAt }) =>
      receiveOf({
        messageId,
        takenAt,
        count: receiveCount,
        ...(acknowledgedAt ? { acknowledgedAt } : {}),
      }),
    ),
  );
  expect(recorded.sort()).toEqual(run.seen.map(receiveOf).sort());
  for (const { life, states: ofCopies } of lives) {
    const line = life?.consumers.find(({ connection }) => connection === run.consumer.id);
    expect(line?.state).toBe(ofCopies.at(-1));
  }
  const now = bus.clock.now();
  const left = lives
    .flatMap(({ acceptedAt, records: { receives, replays } }) =>
      copiesOf(receives, { acceptedAt, replays }),
    )
    .filter(copy => stateOfCopy(copy, now) !== 'acknowledged');
  const backlog = await bus.backlog(run.consumer);
  expect(backlog).toMatchObject(depth ?? {});
  const isKnown = run.replays <= frontLimits.replays;
  expect(backlog?.unknown).toBe(left.length === 0 || isKnown ? undefined : 'many_replays');
  if (isKnown) known += 1;
  expect(backlog?.oldestSeconds).toBe(
    left.length === 0 || !isKnown
      ? undefined
      : Math.floor((now - Math.min(...left.map(({ sentAt }) => sentAt))) / 1000),
  );
  const hidden = lives.filter(one =>
    one.states.some(state => state === 'received' || state === 'returned'),
  );
  const correlations = hidden.map(({ life }) => life?.accepted?.correlationId);
  expect([...(backlog?.blocked ?? [])].sort()).toEqual([...new Set(correlations)].sort());
  expect(bus.lost).toEqual([]);
};

/**
 * Of two copies in one pull, one is acknowledged by a receipt that the queue refuses, and then by
 * the same again, when its copy is gone: that ack ends the receive, and was once not recorded.
 */
const refusedThenRepeated: Step[] = [
  { do: 'publish', story: 0 },
  { do: 'replay', chosen: 134160313 },
  { do: 'pull', max: 2, visibilitySeconds: 10 },
  { do: 'wait', seconds: 10 },
  { do: 'replay', chosen: 0 },
  { do: 'pull', max: 1, visibilitySeconds: 10 },
  { do: 'ack', chosen: 9360605 },
  { do: 'ack', chosen: 2147483647 },
  { do: 'pull', max: 1, visibilitySeconds: 10 },
];

let runs = 0;
let known = 0;

test('the life of every message is what its consumer saw and what its queue holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async plan => {
      runs += 1;
      const id = `c${[...String(runs).padStart(12, '0')].map(digit => 'abcdefghij'.charAt(Number(digit))).join('')}`;
      const run: Run = {
        consumer: await bus.addConsumer(id),
        published: new Map(),
        seen: [],
        replays: 0,
        // The stories of other runs would grow so long that the bus no longer reads them all.
        stories: [0, 1, 2].map(story => correlation(runs * 3 + story)),
      };
      for (const step of plan) {
        await take(run, step);
        // Nobody knows which of two releases of one receive in one millisecond was the last.
        bus.clock.advance(1);
      }
      await check(run);
      bus.connections.set(id, { ...run.consumer, status: 'revoked' });
      for (const { life, states } of await told(run)) {
        const line = life?.consumers.find(({ connection }) => connection === id);
        expect(line?.state).toBe(states.at(-1) === 'acknowledged' ? 'acknowledged' : 'lost');
      }
    }),
    { numRuns: 30, examples: [[refusedThenRepeated]] },
  );
  expect(known).toBeGreaterThan(0);
});
