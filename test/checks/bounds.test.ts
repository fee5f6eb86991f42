import { randomBytes, randomUUID } from 'node:crypto';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { raiseLimit } from '../../lib/access/registry/quotas.ts';
import { producerPlan } from '../../lib/checks/plans.ts';
import type { DrivePorts } from '../../lib/checks/run.ts';
import { runChecks } from '../../lib/checks/run-checks.ts';
import { startRun } from '../../lib/checks/start.ts';
import { functionSizes } from '../../lib/contract/functions.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { testRuns } from '../../lib/wiring/activity.ts';
import { checkRuns, checksFunction } from '../../lib/wiring/checks.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

const markOf = async ({ id }: TestConnection): Promise<string | undefined> =>
  (await bus.ports.connections.find(id))?.connection.underTest;

describe('a start that fails halfway', () => {
  const startWith = (producer: TestConnection, add: typeof bus.ports.checkRuns.add) =>
    startRun(
      { ...bus.ports, checkRuns: { ...bus.ports.checkRuns, add } },
      { kind: 'producer', producer: producer.id },
      'operator',
    );

  test('marks nothing if the run could not be stored', async () => {
    const producer = await bus.connect('producer');
    const failing = startWith(producer, () => Promise.reject(new Error('The table is gone.')));
    await expect(failing).rejects.toThrow('The table is gone.');
    expect(await markOf(producer)).toBeUndefined();
  });

  test('has started the run if only the response was lost', async () => {
    const producer = await bus.connect('producer');
    const run = await startWith(producer, async (...call) => {
      await bus.ports.checkRuns.add(...call);
      throw new Error('The response was lost.');
    });
    expect(run).toMatchObject({ status: 'running', producer: producer.id });
    expect(await markOf(producer)).toBe('id' in run ? run.id : '');
  });

  test('leaves a mark that no edge goes by, if the process died', async () => {
    const producer = await bus.connect('producer');
    const bystander = await bus.connect('consumer', { receives: ['*'] });
    await bus.ports.marks.mark(producer.id, 'tdead22222222');
    await bus.publishLink(producer, randomUUID());
    await producer.publish('{}');
    expect(await bus.ports.checkRuns.seen('tdead22222222')).toEqual([]);
    const got = await bystander.pull({ wait: 0 });
    expect(got.outcome === 'pulled' && got.messages).toHaveLength(1);
    // The next run takes the connection over.
    const next = await bus.start({ kind: 'producer', producer: producer.id });
    expect(next).toMatchObject({ status: 'running' });
  });
});

describe('a slow response', () => {
  test('is one, however many publishes there are', async () => {
    const producer = await bus.connect('producer');
    const run = await bus.start({ kind: 'producer', producer: producer.id });
    if (isDeclined(run)) throw new Error(run.reason);
    const edge = testRuns(bus.service.env);
    await checkRuns(bus.service.env).setFaults(run.id, {
      refusals: 0,
      losses: 0,
      status: 503,
      slowMilliseconds: 700,
    });
    const taken = await Promise.all([
      edge.takeFault(run.id),
      edge.takeFault(run.id),
      edge.takeFault(run.id),
    ]);
    expect(taken.filter(fault => fault?.slowMilliseconds === 700)).toHaveLength(1);
  });

  test('and the time that a publish may take besides fit into its function', () => {
    const slow = producerPlan().flatMap(({ steps }) =>
      steps.flatMap(({ action }) =>
        action.kind === 'inject' ? [Number(action.faults.slowMilliseconds ?? 0)] : [],
      ),
    );
    const { timeoutSeconds } = functionSizes.publish;
    expect(Math.max(...slow)).toBeGreaterThan(10_000);
    expect(Math.max(...slow) + limits.publishBudgetMilliseconds).toBeLessThan(
      (timeoutSeconds - 2) * 1000,
    );
  });
});

describe('a run that is told too much', () => {
  const begun = async () => {
    const producer = await bus.connect('producer');
    const id = await bus.begin({ kind: 'producer', producer: producer.id });
    const edge = testRuns(bus.service.env);
    const tell = async (from: number, count: number) => {
      for (let at = from; at < from + count; at += 1)
        await edge.note(id, { kind: 'token', at: bus.clock.now() + at, refused: false });
    };
    return { id, producer, tell };
  };

  test('keeps 5,000 requests, and is aborted with a sentence', async () => {
    const { id, producer, tell } = await begun();
    await tell(0, 5_020);
    expect(await bus.ports.checkRuns.seen(id)).toHaveLength(5_000);
    await bus.service.runJobs();
    expect(await bus.report(id)).toMatchObject({
      status: 'aborted',
      reason:
        'The connections under test made 5000 requests: run fewer cases at a time, or send less meanwhile.',
    });
    expect(await markOf(producer)).toBeUndefined();
  });

  test('keeps what the first 8 MB of messages say, and of later ones that they came', async () => {
    const { id } = await begun();
    const sizeBytes = 1024 * 1024;
    const attempt = {
      kind: 'attempt',
      outcome: 'accepted',
      rules: [],
      bodyHash: '',
      message: {},
    } as const;
    for (let count = 1; count <= 10; count += 1)
      await testRuns(bus.service.env).note(id, {
        ...attempt,
        at: bus.clock.now() + count,
        sizeBytes,
      });
    const kept = (await bus.ports.checkRuns.seen(id)).map(({ sighting }) => 'message' in sighting);
    expect(kept).toEqual([...Array<boolean>(8).fill(true), false, false]);
  });

  test('is aborted if its consumer receives more than 5,000 messages', async () => {
    const consumer = await bus.connect('consumer');
    const id = await bus.begin({ kind: 'consumer', consumer: consumer.id });
    const { env } = bus.service;
    const made = Object.entries(checksFunction.ports).map(([name, make]) => [name, make(env)]);
    const ports = Object.fromEntries(made) as DrivePorts; // what the job's own wiring makes
    const checkRuns = { ...ports.checkRuns, running: async () => [id] };
    const turnWith = async (count: number) => {
      const receive = {
        messageId: randomUUID(),
        messageType: 'story.context',
        correlationId: randomUUID(),
        connection: consumer.id,
        acceptedAt: bus.clock.now(),
        pull: '1',
        takenAt: bus.clock.now(),
        visibleAt: bus.clock.now(),
        receiveCount: 1,
      };
      const receivesOf = async () => Array(count).fill(receive);
      const history = { ...ports.history, receivesOf };
      await runChecks({ ...ports, checkRuns, history })(bus.clock.now() + 1);
      return bus.ports.checkRuns.find(id);
    };
    expect(await turnWith(5_000)).toMatchObject({ status: 'running' });
    expect(await turnWith(5_001)).toMatchObject({
      status: 'aborted',
      reason: expect.stringContaining('received more than 5000 messages: acknowledge them'),
    });
    expect(await markOf(consumer)).toBeUndefined();
  });

  test('can be stopped without reading what it was told', async () => {
    const { id } = await begun();
    await bus.ports.checkRuns.stop(id, 'Stopped.');
    const { env } = bus.service;
    const made = Object.entries(checksFunction.ports).map(([name, make]) => [name, make(env)]);
    const ports = Object.fromEntries(made) as DrivePorts; // what the job's own wiring makes
    const seen = () => Promise.reject(new Error('It took too long.'));
    const only = { ...ports.checkRuns, seen, running: async () => [id] };
    await runChecks({ ...ports, checkRuns: only })(bus.clock.now() + 1);
    expect(await bus.ports.checkRuns.find(id)).toMatchObject({
      status: 'aborted',
      reason: 'Stopped.',
    });
  });
});

test('a run can be started for a consumer with 2,000 instances of the longest labels', async () => {
  const [consumer, producer] = [await bus.connect('consumer'), await bus.connect('producer')];
  const one = { skill_id: 's', skill_version: '1', values: {}, paused: false, createdAt: '' };
  const many = Array.from({ length: 2_000 }, (_, at) => ({
    ...one,
    ...{
      id: `r${at}`,
      connection: consumer.id,
      instance_label: randomBytes(192).toString('base64'),
    },
  }));
  const ports = { ...bus.ports, skills: { ...bus.ports.skills, of: async () => many } };
  const ids = { consumer: consumer.id, producer: producer.id };
  expect(await startRun(ports, { kind: 'executor', ...ids }, 'operator')).toMatchObject({
    status: 'running',
  });
});

test('limit.reached: two runs of an organisation go on at once, whoever starts more at the same time', async () => {
  for (const id of await checkRuns(bus.service.env).running())
    await bus.ports.checkRuns.stop(id, 'Over.');
  await bus.service.runJobs();
  await raiseLimit(bus.registry, { bound: 'runs', organisation: bus.organisation }, 2);
  const producers = await Promise.all(Array.from({ length: 6 }, () => bus.connect('producer')));
  const started = await Promise.all(
    producers.map(({ id }) => bus.start({ kind: 'producer', producer: id })),
  );
  expect(started.filter(isDeclined)).toHaveLength(4);
  expect(started.find(isDeclined)).toMatchObject({
    isLimit: true,
    reason: expect.stringContaining('The organisation has 2 test runs that go on'),
  });
  const [declinedOne] = producers.filter((_, at) => isDeclined(started[at]));
  expect(declinedOne && (await markOf(declinedOne))).toBeUndefined();
});
