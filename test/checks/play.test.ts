import { randomUUID } from 'node:crypto';
import { consumerPlan } from '../../lib/checks/consumer-plan.ts';
import { playStep } from '../../lib/checks/play.ts';
import type { DrivePorts } from '../../lib/checks/run.ts';
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
  const id = await bus.begin({ kind: 'consumer', consumer: consumer.id });
  const run = await bus.ports.checkRuns.find(id);
  const one = consumerPlan().find(
    ({ steps: [first] }) => first?.action.kind === 'play' && first.action.fixtures.length === 1,
  );
  const own = run?.state.cases.find(record => record.id === one?.id);
  const action = one?.steps[0]?.action;
  if (!run || !one || !own || action?.kind !== 'play') throw new Error('There is such a case.');
  const at = bus.clock.now();
  const messageType = action.fixtures[0]?.messageType ?? '';
  const played = [{ messageId: randomUUID(), messageType, at, rules: [] }];
  const planned = { at, plannedAt: at, isPlanned: true, played } as const;
  return { run, one, own: { ...own, steps: [planned] }, played };
};

test('a step that a stopped turn had played counts from when its message was accepted', async () => {
  const { run, one, own, played } = await plannedCase();
  bus.clock.turn(5_000);
  const acceptedAt = bus.clock.now();
  const accepted = [{ ...played[0], at: acceptedAt }];
  const first = await playStep(drivePorts(), run, { one, own });
  const { plannedAt } = own.steps[0];
  expect(first.steps).toEqual([{ at: acceptedAt, plannedAt, played: accepted }]);
  // That turn stopped before it was kept: the next one plays the step as it was planned.
  bus.clock.turn(20_000);
  const again = await playStep(drivePorts(), run, { one, own });
  const deliveredAt = bus.clock.now();
  expect(again.steps).toEqual([{ at: acceptedAt, deliveredAt, plannedAt, played: accepted }]);
});
