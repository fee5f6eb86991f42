import { setImmediate as nextTurn } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { connectionItem } from '../../../lib/access/registry/items.dynamodb.ts';
import { awsRegistry } from '../../../lib/access/registry/registry.dynamodb.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

interface Read {
  response(page: object): void;
  fail(error: Error): void;
}

test("a read of consumers that fails late does not end the sharing of a later one's answer", async () => {
  const clock = frozenClock();
  const reads: Read[] = [];
  const send = () => new Promise((response, fail) => reads.push({ response, fail }));
  const { consumersOf } = awsRegistry(tableAnswering(send), clock);
  const first = consumersOf('w1');
  clock.advance(limits.consumersCacheMilliseconds);
  const second = consumersOf('w1');
  await nextTurn();
  reads[0]?.fail(new Error('socket hang up'));
  await expect(first).rejects.toThrow('socket hang up');
  const third = consumersOf('w1');
  await nextTurn();
  reads[1]?.response({ Items: [] });
  expect(await Promise.all([second, third])).toEqual([[], []]);
  expect(reads).toHaveLength(2);
});

test('a read of consumers that failed is not shared with those that come after it', async () => {
  const reads: Read[] = [];
  const send = () => new Promise((response, fail) => reads.push({ response, fail }));
  const { consumersOf } = awsRegistry(tableAnswering(send), frozenClock());
  const first = consumersOf('w1');
  await nextTurn();
  reads[0]?.fail(new Error('socket hang up'));
  await expect(first).rejects.toThrow('socket hang up');
  const second = consumersOf('w1');
  await nextTurn();
  reads[1]?.response({ Items: [] });
  expect(await second).toEqual([]);
});

test('a fresh read that finds a connection revoked ends its being remembered', async () => {
  const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
  let stored = consumer;
  const table = tableAnswering(async () => ({ Item: marshall(connectionItem(stored)) }));
  const registry = awsRegistry(table, frozenClock());
  expect(await registry.connection(consumer.id)).toMatchObject({ status: 'active' });
  stored = { ...consumer, status: 'revoked' };
  expect(await registry.connection(consumer.id)).toMatchObject({ status: 'active' });
  expect(await registry.isRegistered(consumer.id)).toBe(false);
  expect(await registry.connection(consumer.id)).toMatchObject({ status: 'revoked' });
});

test('a connection that was not found is not remembered', async () => {
  const { id, ...facts } = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
  const found = [{}, { Item: marshall(connectionItem({ id, ...facts })) }];
  const registry = awsRegistry(
    tableAnswering(async () => found.shift() ?? {}),
    frozenClock(),
  );
  expect(await registry.connection(id)).toBeUndefined();
  expect(await registry.connection(id)).toMatchObject({ id });
});
