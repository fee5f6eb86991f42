import { eventually } from '../../support/eventually.ts';
import { refused, sqsBench } from './support/sqs-bench.ts';

const bench = sqsBench();

test('a string that is not a handle is refused', async () => {
  const QueueUrl = await bench.queue();
  const message = 'The input receipt handle "nonsense" is not a valid receipt handle.';
  const ReceiptHandle = 'nonsense';
  await refused(
    bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle }),
    'ReceiptHandleIsInvalid',
    message,
  );
  const change = bench.sqs.changeMessageVisibility({
    QueueUrl,
    ReceiptHandle,
    VisibilityTimeout: 1,
  });
  await refused(change, 'ReceiptHandleIsInvalid', message);
});

test('visibility can be extended to at most twelve hours after the receive', async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '30' });
  await bench.send(QueueUrl, 'a', 'a1');
  const [message] = await bench.receive(QueueUrl);
  const change = (VisibilityTimeout: number) =>
    bench.sqs.changeMessageVisibility({
      QueueUrl,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout,
    });
  await change(100);
  bench.clock.advance(99_999);
  expect(await bench.receive(QueueUrl)).toEqual([]);
  await refused(change(43_200), 'InvalidParameterValue', 'beyond the limit [43200 seconds]');
  await refused(change(43_201), 'InvalidParameterValue');
  await change(43_100);
  bench.clock.advance(1);
  await refused(change(43_101), 'InvalidParameterValue', 'beyond the limit');
  await change(43_100);
  await bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle: message?.ReceiptHandle });
});

test('batches of deletes and of visibility changes fail entry by entry', async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '30' });
  await bench.send(QueueUrl, 'a', 'a1');
  await bench.send(QueueUrl, 'b', 'b1');
  const [a] = await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  bench.clock.advance(20_000);
  const [b] = await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  bench.clock.advance(10_000);
  const entries = [
    { Id: 'old', ReceiptHandle: a?.ReceiptHandle },
    { Id: 'bad', ReceiptHandle: 'nonsense' },
    { Id: 'good', ReceiptHandle: b?.ReceiptHandle },
  ];
  const changed = await bench.sqs.changeMessageVisibilityBatch({
    QueueUrl,
    Entries: entries.map(entry => ({ ...entry, VisibilityTimeout: 60 })),
  });
  expect(changed.Successful).toEqual([{ Id: 'good' }]);
  expect(changed.Failed?.map(({ Id, Code }) => [Id, Code])).toEqual([
    ['old', 'InvalidParameterValue'],
    ['bad', 'ReceiptHandleIsInvalid'],
  ]);
  const deleted = await bench.sqs.deleteMessageBatch({ QueueUrl, Entries: entries });
  expect(deleted.Successful).toEqual([{ Id: 'good' }]);
  expect(deleted.Failed).toMatchObject([
    {
      Id: 'old',
      Code: 'ReceiptHandleIsInvalid',
      Message: 'The receipt handle has expired',
      SenderFault: true,
    },
    { Id: 'bad', Code: 'ReceiptHandleIsInvalid', SenderFault: true },
  ]);
  bench.clock.advance(60_000);
  expect(await bench.bodies(QueueUrl)).toEqual(['a1']);
});

test.each([
  [{ MaxNumberOfMessages: 0 }],
  [{ MaxNumberOfMessages: 11 }],
  [{ WaitTimeSeconds: 21 }],
  [{ WaitTimeSeconds: -1 }],
  [{ VisibilityTimeout: 43_201 }],
])('a receive with %j is refused', async options => {
  await refused(
    bench.receive(await bench.queue(), options),
    'InvalidParameterValue',
    'Must be between',
  );
});

/** A long poll that has reached the engine. */
async function poll(QueueUrl: string) {
  const before = bench.engine.waiting;
  const bodies = bench.bodies(QueueUrl, { WaitTimeSeconds: 20, MaxNumberOfMessages: 10 });
  // A refusal may come before the test looks at it.
  bodies.catch(() => undefined);
  await eventually(() => bench.engine.waiting > before);
  return { bodies };
}

test('a long poll without messages responses empty at the end of its wait', async () => {
  const QueueUrl = await bench.queue({ ReceiveMessageWaitTimeSeconds: '7' });
  const response = bench.receive(QueueUrl);
  await eventually(() => bench.engine.waiting > 0);
  bench.clock.advance(7000);
  expect(await response).toEqual([]);
});

test('a long poll answers when a visibility timeout ends', async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '5' });
  await bench.send(QueueUrl, 'a', 'a1');
  await bench.receive(QueueUrl);
  const { bodies } = await poll(QueueUrl);
  bench.clock.advance(5000);
  expect(await bodies).toEqual(['a1']);
});

test('a long poll answers when a delete unblocks a group, and when a message is released', async () => {
  const QueueUrl = await bench.queue();
  await bench.send(QueueUrl, 'a', 'a1', 'a2');
  const [a1] = await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  const first = await poll(QueueUrl);
  await bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle: a1?.ReceiptHandle });
  expect(await first.bodies).toEqual(['a2']);
});

test('concurrent polls get one message each, in order of arrival', async () => {
  const QueueUrl = await bench.queue();
  const polls = [await poll(QueueUrl), await poll(QueueUrl)];
  await bench.send(QueueUrl, 'a', 'a1');
  expect(await polls[0]?.bodies).toEqual(['a1']);
  await bench.send(QueueUrl, 'b', 'b1');
  expect(await polls[1]?.bodies).toEqual(['b1']);
});

test('a poll on a deleted queue is refused', async () => {
  const QueueUrl = await bench.queue();
  const { bodies } = await poll(QueueUrl);
  await bench.sqs.deleteQueue({ QueueUrl });
  await refused(bodies, 'QueueDoesNotExist');
});

describe('a receive with a ReceiveRequestAttemptId', () => {
  const once = (ReceiveRequestAttemptId: string) => ({
    MaxNumberOfMessages: 2,
    ReceiveRequestAttemptId,
    MessageSystemAttributeNames: ['ApproximateReceiveCount' as const],
  });
  const facts = (messages: Awaited<ReturnType<typeof bench.receive>>) =>
    messages.map(({ Body, ReceiptHandle, Attributes }) => [Body, ReceiptHandle, Attributes]);

  test('can be repeated, which hides the same messages anew under the same handles', async () => {
    const QueueUrl = await bench.queue({ VisibilityTimeout: '30' });
    await bench.send(QueueUrl, 'a', 'a1', 'a2', 'a3');
    await bench.send(QueueUrl, 'b', 'b1');
    const first = await bench.receive(QueueUrl, once('x'));
    bench.clock.advance(29_000);
    await bench.restart();
    expect(facts(await bench.receive(QueueUrl, once('x')))).toEqual(facts(first));
    bench.clock.advance(29_000);
    expect(await bench.bodies(QueueUrl, once('y'))).toEqual(['b1']);
    for (const { ReceiptHandle } of first)
      await bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle });
    expect(await bench.bodies(QueueUrl, once('z'))).toEqual(['a3']);
  });

  test('begins anew when a message was deleted or made visible, and after five minutes', async () => {
    const QueueUrl = await bench.queue({ VisibilityTimeout: '600' });
    await bench.send(QueueUrl, 'a', 'a1', 'a2');
    const [first, second] = await bench.receive(QueueUrl, once('x'));
    await bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle: first?.ReceiptHandle });
    expect(await bench.bodies(QueueUrl, once('x'))).toEqual([]);
    const handle = { QueueUrl, ReceiptHandle: second?.ReceiptHandle };
    await bench.sqs.changeMessageVisibility({ ...handle, VisibilityTimeout: 0 });
    expect(await bench.bodies(QueueUrl, once('x'))).toEqual(['a2']);
    bench.clock.advance(300_000);
    expect(await bench.bodies(QueueUrl, once('x'))).toEqual([]);
  });

  test.each(['', 'a b', 'x'.repeat(129)])('refuses the id %j', async id => {
    const QueueUrl = await bench.queue();
    await refused(
      bench.receive(QueueUrl, once(id)),
      'InvalidParameterValue',
      'ReceiveRequestAttemptId',
    );
  });
});
