import { randomUUID } from 'node:crypto';
import { includes } from '../../lib/bus/replay/replay.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { log } from '../../lib/wiring/publishing.ts';
import { storyContext } from '../support/messages.ts';
import { type Change, checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** The messages that a consumer gets now. */
const idsFor = async (consumer: TestConnection): Promise<readonly string[]> => {
  const pulled = await consumer.pull({ wait: 0, max: 10 });
  const messages = pulled.outcome === 'pulled' ? pulled.messages : [];
  await consumer.ack(messages.map(({ receiptHandle }) => receiptHandle));
  return messages.map(({ messageId }) => messageId);
};

test('nobody else in the workspace gets anything of a run, and everybody what is not of it', async () => {
  const { consumer, producer, executor } = await bus.pair();
  const bystander = await bus.connect('consumer', { receives: ['*'] });
  const id = await bus.begin({
    kind: 'executor',
    consumer: consumer.id,
    producer: producer.id,
    cases: ['raise-flag-on-match'],
  });
  await executor.learn();
  const other = await bus.publishLink(producer, randomUUID());
  const report = await bus.finish(id, executor);
  expect(report.passed).toBe(true);
  const got = await bystander.pull({ wait: 0, max: 10 });
  expect(got.outcome === 'pulled' && got.messages.map(({ message }) => message.message_id)).toEqual(
    [other],
  );
});

test.each(['finished', 'aborted'])(
  'late responses to a run that %s reach its consumer alone',
  async ending => {
    const { consumer, producer, executor } = await bus.pair();
    const names = { consumer: consumer.id, producer: producer.id };
    const id = await bus.begin({
      kind: 'executor',
      ...names,
      cases: ['raise-flag-on-match/declares'],
    });
    await executor.learn();
    await bus.service.runJobs();
    if (ending === 'aborted') await bus.ports.checkRuns.stop(id, 'Stopped.');
    expect(await bus.finish(id, executor)).toMatchObject({ status: ending });
    const run = await bus.ports.checkRuns.find(id);
    const bystander = await bus.connect('consumer', { receives: ['*'] });
    await bus.publishLink(producer, run?.state.cases[0]?.correlationId);
    const other = await bus.publishLink(producer, randomUUID());
    expect(await idsFor(bystander)).toEqual([other]);
  },
);

describe("what an executor says by a run's own instances about a story of the house", () => {
  const cases = ['raise-flag-on-match/declares'];

  /** A BREAKING story, from a producer that is not under test. */
  const publishBreaking = async (
    desk: TestConnection,
  ): Promise<{ readonly id: string; readonly correlationId: string }> => {
    const [system_id = ''] =
      (await bus.ports.connections.find(desk.id))?.connection.systemIds ?? [];
    const lifecycle = { phase: 'BREAKING', phase_entered_at: '2026-05-04T09:00:00Z' };
    const originating_system = { system_id, system_type: 'ncs' };
    const message = storyContext({ story_type: 'ACTIVE', lifecycle }, { originating_system });
    const { outcome } = await desk.publish(JSON.stringify(message));
    expect(outcome).toBe('accepted');
    return { id: String(message['message_id']), correlationId: String(message['correlation_id']) };
  };

  const begun = async (change?: Change) => {
    const { consumer, producer, executor } = await bus.pair(change);
    const [desk, bystander] = [
      await bus.connect('producer'),
      await bus.connect('consumer', { receives: ['*'] }),
    ];
    const names = { consumer: consumer.id, producer: producer.id };
    const id = await bus.begin({ kind: 'executor', ...names, cases });
    await executor.learn();
    return { consumer, producer, executor, desk, bystander, id };
  };

  test('reaches its own consumer alone, and no replay sends it to others', async () => {
    const { consumer, executor, desk, bystander, id } = await begun();
    const story = await publishBreaking(desk);
    await executor.work();
    expect(await idsFor(bystander)).toEqual([story.id]);
    const entries = await log(bus.service.env).entries(
      { workspace: bus.workspace.id, correlationId: story.correlationId },
      1,
      2,
    );
    expect(entries.map(({ messageType }) => messageType)).toEqual([
      'story.context',
      'skill.warning.raised',
    ]);
    expect(entries[1]?.targets.map(({ connection }) => connection)).toEqual([consumer.id]);
    const replays = [bystander, consumer].map(async ({ id: to }) => {
      const connection = (await bus.ports.connections.find(to))?.connection;
      return (
        connection &&
        entries.map(entry => includes({ from: 0, to: bus.clock.now() }, connection, entry))
      );
    });
    expect(await Promise.all(replays)).toEqual([
      [true, false],
      [true, true],
    ]);
    expect((await bus.finish(id, executor)).passed).toBe(true);
  });

  test('still does so while the executor may not have read that they are gone', async () => {
    const { executor, desk, bystander, id } = await begun();
    await bus.finish(id, executor);
    const story = await publishBreaking(desk);
    await executor.work();
    expect(await idsFor(bystander)).toEqual([story.id]);
    bus.clock.turn(limits.checks.registrationSeconds * 1000);
    await publishBreaking(desk);
    await executor.work();
    // A story and a warning: whoever keeps an instance for longer than that has it from elsewhere.
    expect(await idsFor(bystander)).toHaveLength(2);
  });

  test('and what it says about a story of the run under a correlation of its own does, too', async () => {
    const ownCorrelation: Change = texts =>
      texts.map(text => JSON.stringify({ ...JSON.parse(text), correlation_id: randomUUID() }));
    const { executor, bystander, id } = await begun(ownCorrelation);
    await bus.service.runJobs();
    const report = await bus.finish(id, executor);
    expect(report.totals.failed).toBe(1);
    expect(await idsFor(bystander)).toEqual([]);
  });

  test('but what it says by an instance of the house reaches everybody', async () => {
    const house: Change = texts =>
      texts.map(text => {
        const message = JSON.parse(text);
        return JSON.stringify({
          ...message,
          payload: { ...message.payload, rule_id: 'house-breaking' },
        });
      });
    const { executor, desk, bystander, id } = await begun(house);
    await publishBreaking(desk);
    await executor.work();
    expect(await idsFor(bystander)).toHaveLength(2);
    await bus.ports.checkRuns.stop(id, 'Stopped.');
    await bus.finish(id, executor);
  });
});
