import type { DrivePorts } from '../../lib/checks/run.ts';
import { runChecks } from '../../lib/checks/run-checks.ts';
import { checksFunction } from '../../lib/wiring/checks.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** The job's own ports. */
const jobPorts = (): DrivePorts => {
  const { env } = bus.service;
  const made = Object.entries(checksFunction.ports).map(([name, make]) => [name, make(env)]);
  return Object.fromEntries(made) as DrivePorts; // what the job's own wiring makes
};

class Killed extends Error {}

/** A job whose process is killed at its n-th write: nothing that it would do afterwards happens. */
const killedAt = (writes: number): DrivePorts => {
  const ports = jobPorts();
  let [left, isDead] = [writes, false];
  const write = async <T>(does: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left <= 0) isDead = true;
    if (isDead) throw new Killed();
    return does();
  };
  return {
    ...ports,
    clock: {
      now: ports.clock.now,
      sleep: pause => (isDead ? Promise.reject(new Killed()) : ports.clock.sleep(pause)),
    },
    checkRuns: {
      ...ports.checkRuns,
      save: (...call) => write(() => ports.checkRuns.save(...call)),
      end: (...call) => write(() => ports.checkRuns.end(...call)),
      release: async () => undefined,
    },
    ledger: { ...ports.ledger, commit: commit => write(() => ports.ledger.commit(commit)) },
    queues: { send: (...call) => write(() => ports.queues.send(...call)) },
    skills: {
      ...ports.skills,
      add: (...call) => write(() => ports.skills.add(...call)),
      remove: one => write(() => ports.skills.remove(one)),
    },
  };
};

const cases = [
  'raise-flag-on-match/reopens',
  'raise-flag-on-match/late-snapshot',
  'hold-while-flagged/holds',
];

test.each([2])(
  'a run whose process is killed at every %i-th write goes on where it was, and finds the same',
  async writes => {
    const { consumer, producer, executor } = await bus.pair();
    const id = await bus.begin({
      kind: 'executor',
      consumer: consumer.id,
      producer: producer.id,
      cases,
    });
    const learning = async () => {
      await executor.learn();
      await executor.work();
    };
    for (let kills = 0; kills < 6; kills += 1) {
      await runChecks(killedAt(writes))(bus.clock.now()).catch(() => undefined);
      await learning();
      // The dead process held the lease.
      bus.clock.turn(33_000);
    }
    const report = await bus.finish(id, { work: learning });
    const failed = report.cases.flatMap(({ checks }) => checks.filter(({ passed }) => !passed));
    expect(failed).toEqual([]);
    expect(report.totals.passed).toBe(cases.length);
    expect(await bus.registry.skills.of(consumer.id)).toEqual([]);
  },
);

test('what the run was not told of is found by its last look', async () => {
  const { consumer, producer, executor } = await bus.pair();
  const only = cases.slice(0, 1);
  const id = await bus.begin({
    kind: 'executor',
    consumer: consumer.id,
    producer: producer.id,
    cases: only,
  });
  await executor.learn();
  await bus.service.runJobs();
  const run = await bus.ports.checkRuns.find(id);
  // The mark is gone: the bus tells the run nothing any more.
  await jobPorts().marks.unmark(producer.id, id);
  bus.clock.turn(15_000);
  const report = await bus.finish(id, executor);
  const found = await bus.ports.checkRuns.find(id);
  expect(run?.state.missed).toBeUndefined();
  expect(found?.state.missed?.length).toBeGreaterThan(0);
  expect(report.cases[0]?.message_ids.length).toBeGreaterThan(3);
});
