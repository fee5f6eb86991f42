import { eventually } from '../support/eventually.ts';
import { clientOf, sqsBench } from './support/sqs-bench.ts';

const bench = sqsBench();

const after = async (QueueUrl: string) => {
  await bench.restart();
  const { QueueUrl: moved = '' } = await bench.sqs.getQueueUrl({ QueueName: QueueUrl.split('/').at(-1) });
  return moved;
};

test('messages, visibility, receive counts, handles and attributes survive a restart', async () => {
  const before = await bench.queue({ VisibilityTimeout: '30' });
  await bench.send(before, 'a', 'a1', 'a2');
  await bench.send(before, 'b', 'b1');
  const [a1] = await bench.receive(before, { MaxNumberOfMessages: 1 });
  const QueueUrl = await after(before);
  expect(await bench.bodies(QueueUrl)).toEqual(['b1']);
  bench.clock.advance(29_999);
  await bench.sqs.changeMessageVisibility({
    QueueUrl,
    ReceiptHandle: a1?.ReceiptHandle,
    VisibilityTimeout: 0,
  });
  const again = await bench.receive(QueueUrl, { MaxNumberOfMessages: 10, AttributeNames: ['All'] });
  expect(again.map(({ Body, Attributes }) => [Body, Attributes?.ApproximateReceiveCount])).toEqual([
    ['a1', '2'],
    ['a2', '1'],
  ]);
});

test('duplicates are recognised after a restart, also of deleted messages', async () => {
  const before = await bench.queue();
  const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'once' };
  const first = await bench.sqs.sendMessage({ QueueUrl: before, MessageBody: 'x', ...ids });
  const [message] = await bench.receive(before);
  await bench.sqs.deleteMessage({ QueueUrl: before, ReceiptHandle: message?.ReceiptHandle });
  const QueueUrl = await after(before);
  const again = await bench.sqs.sendMessage({ QueueUrl, MessageBody: 'x', ...ids });
  expect(again.MessageId).toBe(first.MessageId);
  expect(await bench.receive(QueueUrl)).toEqual([]);
});

test('sequence numbers keep growing after a restart', async () => {
  const before = await bench.queue();
  const send = (QueueUrl: string, MessageBody: string) =>
    bench.sqs.sendMessage({
      QueueUrl,
      MessageBody,
      MessageGroupId: 'g',
      MessageDeduplicationId: MessageBody,
    });
  const first = await send(before, 'one');
  const second = await send(await after(before), 'two');
  expect(BigInt(second.SequenceNumber ?? 0)).toBeGreaterThan(BigInt(first.SequenceNumber ?? 0));
});

test('deleted and purged messages and deleted queues survive a restart', async () => {
  const [purged, dropped] = [await bench.queue(), await bench.queue()];
  await bench.send(purged, 'a', 'gone');
  await bench.sqs.purgeQueue({ QueueUrl: purged });
  await bench.sqs.deleteQueue({ QueueUrl: dropped });
  const QueueUrl = await after(purged);
  expect(await bench.receive(QueueUrl)).toEqual([]);
  await expect(bench.receive(dropped)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
});

test('closing answers long polls empty', async () => {
  const QueueUrl = await bench.queue();
  const sqs = clientOf(bench.engine.endpoint);
  const poll = sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 });
  await eventually(() => bench.engine.waiting > 0);
  await bench.restart();
  expect((await poll).Messages).toBeUndefined();
  sqs.destroy();
});
