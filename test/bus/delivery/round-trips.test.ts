import { connectionItem } from '../../../lib/access/registry/items.dynamodb.ts';
import { awsRegistry } from '../../../lib/access/registry/registry.dynamodb.ts';
import { publish } from '../../../lib/bus/publishing/publish.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { localTables } from '../../../lib/local/env.ts';
import { putItem } from '../../../lib/platform/aws/table.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { type Bus, type Call, producer, startBus } from '../activity/bus.ts';

/** The length of the longest chain of calls that each began after the one before had ended. */
const roundTrips = (all: readonly Call[]): number => {
  const depth = (call: Call): number =>
    1 + Math.max(0, ...all.filter(one => one.ended < call.began).map(depth));
  return Math.max(0, ...all.map(depth));
};

let bus: Bus;
let send: (body: object) => Promise<unknown>;

beforeAll(async () => {
  bus = await startBus();
  const registry = { ...bus.activityTable, name: localTables.registry };
  for (const id of ['c33333333333a', 'c33333333333b', 'c33333333333c'])
    await putItem(registry, { Item: connectionItem(await bus.addConsumer(id)) });
  const service = publish({ ...bus.ports, registry: awsRegistry(registry, bus.ports.clock) });
  send = async body => {
    bus.calls.length = 0;
    // Past the time for which publishes share a read of the consumers.
    bus.clock.advance(limits.consumersCacheMilliseconds);
    return (await service(Buffer.from(JSON.stringify(body)), producer)).kind;
  };
});
afterAll(() => bus.close());

test('a publish to three consumers takes four round trips', async () => {
  const message = linkCommitted();
  expect(await send(message)).toBe('accepted');
  expect(bus.calls.map(({ name }) => name).sort()).toEqual([
    'BatchGetItemCommand',
    'QueryCommand',
    'SendMessageCommand',
    'SendMessageCommand',
    'SendMessageCommand',
    'TransactWriteItemsCommand',
    'UpdateItemCommand',
  ]);
  expect(roundTrips(bus.calls)).toBe(4);
  expect(await send(message)).toBe('duplicate');
  expect(roundTrips(bus.calls)).toBe(1);
});

test('a snapshot of a story takes no more calls', async () => {
  expect(await send(storyContext())).toBe('accepted');
  expect([bus.calls.length, roundTrips(bus.calls)]).toEqual([7, 4]);
});
