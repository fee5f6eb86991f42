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

test('closing answers long polls empty', async () => {
  const QueueUrl = await bench.queue();
  const sqs = clientOf(bench.engine.endpoint);
  const poll = sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 });
  await eventually(() => bench.engine.waiting > 0);
  await bench.restart();
  expect((await poll).Messages).toBeUndefined();
  sqs.destroy();
});
