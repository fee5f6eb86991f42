import { randomUUID } from 'node:crypto';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { consumerPlan } from '../../lib/checks/consumer-plan.ts';
import { playStep } from '../../lib/checks/play.ts';
import type { DrivePorts } from '../../lib/checks/run.ts';
import { limits } from '../../lib/contract/limits.ts';
import { checksFunction } from '../../lib/wiring/checks.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

const drivePorts = (): DrivePorts => {
  const { env } = bus.service;
  const made = Object.entries(checksFunction.ports).map(([name, make]) => [name, make(env)]);
  return Object.fromEntries(made) as DrivePorts; // what the job's own wiring makes
};

/** A case of a run that begins with one message, and its first step as it was planned. */
const plannedCase = async () => {
  const consumer = await bus.connect('consumer');
  // Its own job plays nothing of it here.
  const run = await bus.start({ kind: 'consumer', consumer: consumer.id });
  if (isDeclined(run)) throw new Error(run.reason);
  bus.clock.turn((limits.registryCacheSeconds + 1) * 1000);
  const one = consumerPlan().find(
    ({ steps: [first] }) => first?.action.kind === 'play' && first.action.fixtures.length === 1,
  );
  const own = run.state.cases.find(record => record.id === one?.id);
  const action = one?.steps[0]?.action;
  if (!one || !own || action?.kind !== 'play') throw new Error('There is such a case.');
  const at = bus.clock.now();
  const messageType = action.fixtures[0]?.messageType ?? '';
  const played = [{ messageId: randomUUID(), messageType, at, rules: [] }];
  const planned = { at, plannedAt: at, isPlanned: true, played } as const;
  return { run, one, own: { ...own, steps: [planned] as const } };
};

test('a step that a stopped turn had played counts from when its message was accepted', async () => {
  const { run, one, own } = await plannedCase();
  bus.clock.turn(5_000);
  const before = bus.clock.now();
  const { steps } = await playStep(drivePorts(), run, { testCase: one, own });
  const [first] = steps;
  expect(first?.at).toBeGreaterThanOrEqual(before);
  expect(first?.played).toEqual([{ ...own.steps[0].played[0], at: first?.at }]);
  expect(first).not.toHaveProperty('deliveredAt');
  // That turn stopped before it was kept: the next one plays the step as it was planned.
  bus.clock.turn(20_000);
  const later = bus.clock.now();
  const again = await playStep(drivePorts(), run, { testCase: one, own });
  expect(again.steps).toEqual([{ ...first, deliveredAt: expect.any(Number) }]);
  expect(again.steps[0]?.deliveredAt).toBeGreaterThanOrEqual(later);
});
