import { raiseLimit } from '../../lib/access/registry/quotas.ts';
import { limits, withCommas } from '../../lib/contract/limits.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { checkedBus } from '../checks/checked-bus.ts';
import { linkCommitted } from '../support/messages.ts';
import { print } from './figures.ts';

// One workspace with a thousand consumers, over the production functions: does every consumer get
// every message, in order, and what becomes of a publish? `-- --consumers 200` for fewer.

const at = process.argv.indexOf('--consumers');
const consumers = at === -1 ? 1_000 : Number(process.argv[at + 1]);
const correlations = ['a', 'b', 'c', 'd'].map(
  letter => `00000000-0000-4000-8000-00000000000${letter}`,
);
const messagesEach = 5;

/**
 * Publishes to all correlations at once, one message after the other in each. Returns the
 * milliseconds of each publish.
 */
const publishAll = async (producer: TestConnection, system_id: string) => {
  const took: number[] = [];
  const expected = new Map<string, string[]>();
  const tell = async (correlation_id: string): Promise<void> => {
    const ids: string[] = [];
    expected.set(correlation_id, ids);
    for (let sent = 0; sent < messagesEach; sent += 1) {
      const originating_system = { system_id, system_type: 'custom' };
      const link = linkCommitted({ correlation_id });
      const began = performance.now();
      const { outcome } = await producer.publish(JSON.stringify({ ...link, originating_system }), {
        deadline: 600_000,
      });
      took.push(performance.now() - began);
      if (outcome !== 'accepted') print(`a publish was ${outcome}`);
      ids.push(String(link['message_id']));
    }
  };
  await Promise.all(correlations.map(tell));
  return { took: took.sort((one, other) => one - other), expected };
};

/** What one consumer gets, by correlation, in the order of arrival. */
const takeAll = async (consumer: TestConnection) => {
  const got = new Map<string, string[]>();
  for await (const { message } of consumer.consume({ max: 10, untilEmpty: true })) {
    const { correlation_id, message_id } = message;
    got.set(correlation_id, [...(got.get(correlation_id) ?? []), message_id]);
  }
  return got;
};

const main = async (): Promise<void> => {
  const bus = await checkedBus();
  const { organisation, registry } = bus;
  for (const bound of ['connections', 'apps'] as const)
    await raiseLimit(registry, { bound, organisation }, consumers + 10);
  const ofWorkspace = { organisation, workspace: bus.workspace.id };
  await raiseLimit(registry, { bound: 'consumers', ...ofWorkspace }, consumers + 10);
  const producer = await bus.connect('producer', { systemIds: ['demo-ncs'] });
  const all: TestConnection[] = [];
  while (all.length < consumers) all.push(await bus.connect('consumer', { receives: ['*'] }));
  const { took, expected } = await publishAll(producer, 'demo-ncs');
  let wrong = 0;
  for (const consumer of all) {
    const got = await takeAll(consumer);
    if (![...expected].every(([id, sent]) => got.get(id)?.join() === sent.join())) wrong += 1;
  }
  const [middle, most] = [took[Math.floor(took.length / 2)], took.at(-1)].map(one =>
    Math.round(one ?? 0),
  );
  print(
    `${withCommas(all.length)} consumers, ${took.length} messages in ${correlations.length} correlations`,
  );
  print(
    `a publish took ${middle} ms in the middle, ${most} ms at most; it may take ${withCommas(limits.publishBudgetMilliseconds)} ms`,
  );
  print(`${wrong} consumers did not get every message once and in order`);
  if (wrong > 0) process.exitCode = 1;
  await bus.close();
};

void main();
