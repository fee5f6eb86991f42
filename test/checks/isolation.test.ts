import { randomUUID } from 'node:crypto';
import type { TestConnection } from '../../lib/testing/api.ts';
import { checkedBus, handExecutor } from './checked-bus.ts';

let bus: Awaited<ReturnType<typeof checkedBus>>;
beforeAll(async () => {
  bus = await checkedBus();
});
afterAll(() => bus.close());

const pair = async () => {
  const [consumer, producer] = [await bus.connect('consumer'), await bus.connect('producer')];
  return { consumer, producer, executor: handExecutor(consumer, producer) };
};

/** The messages that a consumer gets now. */
const idsFor = async (consumer: TestConnection): Promise<readonly string[]> => {
  const pulled = await consumer.pull({ wait: 0, max: 10 });
  return pulled.outcome === 'pulled' ? pulled.messages.map(({ messageId }) => messageId) : [];
};

test('nobody else in the workspace gets anything of a run, and everybody what is not of it', async () => {
  const { consumer, producer, executor } = await pair();
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
  expect(got.outcome === 'pulled' && got.messages.map(({ message }) => message.message_id)).toEqual([other]);
});

test.each(['finished', 'aborted'])('late answers to a run that %s reach its consumer alone', async ending => {
  const { consumer, producer, executor } = await pair();
  const names = { consumer: consumer.id, producer: producer.id };
  const id = await bus.begin({ kind: 'executor', ...names, cases: ['raise-flag-on-match/declares'] });
  await executor.learn();
  await bus.service.runJobs();
  if (ending === 'aborted') await bus.ports.checkRuns.stop(id, 'Stopped.');
  expect(await bus.finish(id, executor)).toMatchObject({ status: ending });
  const run = await bus.ports.checkRuns.find(id);
  const bystander = await bus.connect('consumer', { receives: ['*'] });
  await bus.publishLink(producer, run?.state.cases[0]?.correlationId);
  const other = await bus.publishLink(producer, randomUUID());
  expect(await idsFor(bystander)).toEqual([other]);
});
