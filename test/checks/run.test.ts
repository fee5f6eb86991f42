import { randomUUID } from 'node:crypto';
import { revokeConnection } from '../../lib/access/registry/revoking.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { checkedBusHere, type HandExecutor, handExecutor } from './checked-bus.ts';

const bus = checkedBusHere();

type Report = Awaited<ReturnType<typeof bus.report>>;

const failures = (report: Report) =>
  report.cases
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ case_id, checks }) => [case_id, ...checks.filter(({ passed }) => !passed)]);

/** Runs some cases with an executor to their end. */
const played = async (
  { consumer, producer }: { readonly consumer: TestConnection; readonly producer: TestConnection },
  executor: HandExecutor,
  cases: readonly string[],
): Promise<Report> => {
  const id = await bus.begin({
    kind: 'executor',
    consumer: consumer.id,
    producer: producer.id,
    cases,
  });
  await executor.learn();
  return bus.finish(id, executor);
};

const isFree = async (...ids: readonly string[]): Promise<boolean> => {
  const found = await Promise.all(ids.map(id => bus.ports.connections.find(id)));
  return found.every(one => one?.connection.underTest === undefined);
};

test('the reference executor passes every case that can be played', async () => {
  const { consumer, producer, executor } = await bus.pair();
  const report = await played({ consumer, producer }, executor, []);
  expect(failures(report)).toEqual([]);
  expect(report).toMatchObject({
    status: 'finished',
    passed: true,
    totals: { failed: 0, 'not run': 0 },
  });
  expect(await bus.registry.skills.of(consumer.id)).toEqual([]);
  expect(await isFree(consumer.id, producer.id)).toBe(true);
});

const two = ['raise-flag-on-match/declares', 'raise-flag-on-match/no-match'];

test('an instance that the executor has already fills its slot, and the others are not applicable', async () => {
  const { consumer, producer } = await bus.pair();
  const id = await bus.begin({
    kind: 'executor',
    consumer: consumer.id,
    producer: producer.id,
    cases: ['raise-flag-on-match'],
    instances: 'given',
    handedIn: [
      {
        skill_id: 'smart-stories/raise-flag-on-match',
        skill_version: '0.2.2',
        instance_label: 'house-breaking',
        values: {
          match_field: 'lifecycle.phase',
          match_value: 'BREAKING',
          flag_name: 'ON-AIR-SOON',
          clearing_authority: 'chief',
        },
      },
    ],
  });
  const report = await bus.finish(id, { work: async () => undefined });
  const [array, declares] = ['array', 'declares'].map(name =>
    report.cases.find(one => one.case_id === `raise-flag-on-match/${name}`),
  );
  expect(array).toMatchObject({
    verdict: 'not applicable',
    reason: expect.stringContaining('No instance'),
  });
  // Nobody answered.
  expect(declares).toMatchObject({ verdict: 'failed', instance: 'house-breaking' });
});

describe('a run ends in bounded time and leaves nothing behind', () => {
  const begun = async () => {
    const made = await bus.pair();
    const { consumer, producer } = made;
    const id = await bus.begin({
      kind: 'executor',
      consumer: consumer.id,
      producer: producer.id,
      cases: two,
    });
    return { ...made, id };
  };

  test('if the executor never reads its registrations', async () => {
    const { id, consumer, producer } = await begun();
    bus.clock.turn(limits.checks.registrationSeconds * 1000);
    const report = await bus.finish(id, { work: async () => undefined });
    expect(report.cases.filter(one => two.includes(one.case_id))).toEqual(
      two.map(case_id =>
        expect.objectContaining({
          case_id,
          verdict: 'not run',
          reason: expect.stringContaining('did not read its registrations'),
        }),
      ),
    );
    expect(await bus.registry.skills.of(consumer.id)).toEqual([]);
    expect(await isFree(consumer.id, producer.id)).toBe(true);
  });

  test('if somebody stops it', async () => {
    const { id, consumer, producer, executor } = await begun();
    await executor.learn();
    await bus.service.runJobs();
    expect(await bus.ports.checkRuns.stop(id, 'Stopped by the operator.')).toBe(true);
    const report = await bus.finish(id, executor);
    expect(report).toMatchObject({
      status: 'aborted',
      reason: 'Stopped by the operator.',
      passed: false,
    });
    expect(report.cases.find(({ case_id }) => case_id === two[0])).toMatchObject({
      verdict: 'not run',
      reason: expect.stringMatching(
        /^Not reached: the run was stopped at [\d:]{8} UTC\. Stopped by the operator\.$/,
      ),
    });
    expect(await bus.registry.skills.of(consumer.id)).toEqual([]);
    expect(await isFree(consumer.id, producer.id)).toBe(true);
    expect(await bus.ports.checkRuns.stop(id, 'Again.')).toBe(false);
  });

  test('if a connection is revoked in mid-run', async () => {
    const { id, consumer, producer, executor } = await begun();
    await executor.learn();
    await bus.service.runJobs();
    await revokeConnection(bus.registry, producer.id);
    const report = await bus.finish(id, { work: async () => undefined });
    expect(report).toMatchObject({
      status: 'aborted',
      reason: `The producer connection ${producer.id} was revoked in mid-run.`,
    });
    expect(await bus.registry.skills.of(consumer.id)).toEqual([]);
  });

  test('if everything takes too long', async () => {
    const { id } = await begun();
    bus.clock.turn(limits.checks.runSeconds * 1000);
    const report = await bus.finish(id, { work: async () => undefined });
    expect(report).toMatchObject({
      status: 'aborted',
      reason: expect.stringContaining('longer than'),
    });
  });
});

test.each([
  ['new messages', true, undefined],
  ['refused messages', true, 'LOUD'],
  ['the same message', false, undefined],
])(
  'an executor that floods with %s fails the case, which ends early',
  async (_what, isNew, severity) => {
    const { consumer, producer } = await bus.pair();
    const flooding = handExecutor(consumer, producer, texts =>
      texts.flatMap(text =>
        Array.from({ length: 60 }, () => {
          const message = JSON.parse(text);
          if (isNew) {
            message.message_id = randomUUID();
            message.payload.warning_id = randomUUID();
          }
          if (severity) message.payload.severity = severity;
          return JSON.stringify(message);
        }),
      ),
    );
    const report = await played({ consumer, producer }, flooding, two.slice(0, 1));
    const [one] = report.cases;
    expect(one).toMatchObject({
      verdict: 'failed',
      checks: expect.arrayContaining([expect.objectContaining({ name: 'flood', passed: false })]),
    });
    // People read it.
    expect(Math.max(...(one?.checks ?? []).map(({ found }) => found.length))).toBeLessThan(700);
    expect(one?.message_ids.length).toBeLessThanOrEqual(50);
  },
);

test('an executor that sends invalid messages is shown the rules that refused them', async () => {
  const { consumer, producer } = await bus.pair();
  const invalid = handExecutor(consumer, producer, texts =>
    texts.map(text => {
      const message = JSON.parse(text);
      message.payload.severity = 'LOUD';
      return JSON.stringify(message);
    }),
  );
  const report = await played({ consumer, producer }, invalid, two.slice(0, 1));
  expect(report.cases.find(({ case_id }) => case_id === two[0])).toMatchObject({
    verdict: 'failed',
    rules: ['skill-warning.enum'],
  });
});

test('an executor that answers late fails the time, and what came is in the report', async () => {
  const { consumer, producer, executor } = await bus.pair();
  const late: HandExecutor = {
    learn: executor.learn,
    async work() {
      bus.clock.turn((limits.checks.limitSeconds.default + 1) * 1000);
      await executor.work();
    },
  };
  const report = await played({ consumer, producer }, late, two.slice(0, 1));
  const [one] = report.cases;
  expect(one?.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(['s1 time']);
});

describe('a run is declined', () => {
  const reasonOf = async (request: Parameters<typeof bus.start>[0]) => {
    const run = await bus.start(request);
    return 'reason' in run ? run.reason : '';
  };

  test('with a connection of the wrong kind, or none', async () => {
    const { consumer, producer } = await bus.pair();
    expect(await reasonOf({ kind: 'executor', consumer: producer.id, producer: producer.id })).toBe(
      `${producer.id} is a producer: this run needs a consumer there.`,
    );
    expect(await reasonOf({ kind: 'executor', consumer: consumer.id })).toContain(
      'needs a producer',
    );
    expect(
      await reasonOf({ kind: 'executor', consumer: 'c222222222222', producer: producer.id }),
    ).toContain('There is no active consumer connection c222222222222.');
  });

  test('without the grants that every case needs', async () => {
    const { consumer, producer } = await bus.pair();
    const deaf = await bus.connect('consumer', { receives: ['link.*'] });
    const picky = await bus.connect('consumer', { receives: ['*'], sources: ['desk'] });
    const dumb = await bus.connect('producer', { grants: ['link.*'] });
    const kind = 'executor' as const;
    expect(await reasonOf({ kind, consumer: deaf.id, producer: producer.id })).toContain(
      'story.context',
    );
    expect(await reasonOf({ kind, consumer: picky.id, producer: producer.id })).toContain(
      'sources',
    );
    expect(await reasonOf({ kind: 'consumer', consumer: picky.id })).toBe(
      `${picky.id} gets messages from desk only: add the source test-run for the run, or leave its sources empty.`,
    );
    expect(await reasonOf({ kind, consumer: consumer.id, producer: dumb.id })).toContain(
      'may not send skill.warning.raised',
    );
  });

  test('while one of the connections is in another run', async () => {
    const { consumer, producer, executor } = await bus.pair();
    const request = {
      kind: 'executor',
      consumer: consumer.id,
      producer: producer.id,
      cases: two,
    } as const;
    const id = await bus.begin(request);
    expect(await reasonOf(request)).toContain(`is in the run ${id} already`);
    const spare = await bus.connect('producer');
    expect(await reasonOf({ ...request, producer: spare.id })).toContain(id);
    expect(await isFree(spare.id)).toBe(true);
    await bus.ports.checkRuns.stop(id, 'Stopped.');
    await bus.finish(id, executor);
  });

  test('with a label that is taken, an unknown case, or a limit out of bounds', async () => {
    const { consumer, producer } = await bus.pair();
    const both = { kind: 'executor', consumer: consumer.id, producer: producer.id } as const;
    expect(await reasonOf({ ...both, cases: ['raise-flag-on-match/declare'] })).toBe(
      'There is no case and no skill raise-flag-on-match/declare. Did you mean raise-flag-on-match/declares?',
    );
    expect(await reasonOf({ ...both, limitSeconds: 200 })).toBe(
      'The limit must be a whole number of seconds from 5 to 120.',
    );
  });

  test('while a connection is paused', async () => {
    const { consumer, producer } = await bus.pair();
    await bus.registry.connections.setPaused(consumer.id, true, 'host');
    expect(await reasonOf({ kind: 'executor', consumer: consumer.id, producer: producer.id })).toBe(
      `${consumer.id} is paused: resume it first.`,
    );
  });
});

test('of a media store, cases about what it may not send do not apply', async () => {
  const producer = await bus.connect('producer', { grants: ['delivery.*'] });
  const cases = ['stories/one-correlation', 'stories/ended', 'messages/own-system'];
  const began = async (messageTypes: readonly string[], names: readonly string[]) => {
    const id = await bus.begin({
      kind: 'producer',
      producer: producer.id,
      cases: names,
      messageTypes,
    });
    await bus.ports.checkRuns.stop(id, 'Stopped.');
    return (await bus.ports.checkRuns.find(id))?.state.cases.map(({ id: name, notApplicable }) => [
      name,
      notApplicable,
    ]);
  };
  const why = (type: string) => `The producer may not send ${type}.`;
  expect(await began([], [...cases, 'messages/link.committed'])).toEqual([
    ['messages/link.committed', why('link.committed')],
    ['stories/ended', why('story.context')],
    ['messages/own-system', undefined],
    ['stories/one-correlation', why('story.context')],
  ]);
});

test('cases about types that the consumer does not receive are not applicable, and say so', async () => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const producer = await bus.connect('producer');
  const executor = handExecutor(consumer, producer);
  const cases = ['raise-flag-on-match/wake-up', 'raise-flag-on-match/declares'];
  const report = await played({ consumer, producer }, executor, cases);
  expect(report.cases.map(({ case_id, verdict, reason }) => [case_id, verdict, reason])).toEqual([
    [cases[1], 'passed', undefined],
    [cases[0], 'not applicable', 'The consumer does not receive telling.started.'],
  ]);
});
