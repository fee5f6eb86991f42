import { refused, sqsBench } from './support/sqs-bench.ts';

const bench = sqsBench();
const ids = (id: string) => ({ MessageGroupId: 'g', MessageDeduplicationId: id });

test('a message is returned byte for byte, with all its attributes', async () => {
  const QueueUrl = await bench.queue();
  const body = `{"text":"ünï\\u0000 😀 <script>\\t"}\r\n${'x'.repeat(240_000)}`;
  const MessageAttributes = {
    kind: { DataType: 'String', StringValue: 'é' },
    size: { DataType: 'String', StringValue: '-1.5e3' },
  };
  const sent = await bench.sqs.sendMessage({
    QueueUrl,
    MessageBody: body,
    MessageAttributes,
    ...ids('one'),
  });
  const [message] = await bench.receive(QueueUrl, {
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
  });
  expect(message).toMatchObject({
    MessageId: sent.MessageId,
    Body: body,
    MessageAttributes,
    MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
    Attributes: {
      ApproximateFirstReceiveTimestamp: String(bench.clock.now()),
      ApproximateReceiveCount: '1',
      MessageDeduplicationId: 'one',
      MessageGroupId: 'g',
      SenderId: '000000000000',
      SentTimestamp: String(bench.clock.now()),
      SequenceNumber: sent.SequenceNumber,
    },
  });
});

test('only requested attributes are returned, by either name of the parameter', async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '0' });
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  const MessageAttributes = {
    Hello: text('There'),
    'Help.Me': text('Me'),
    General: text('Kenobi'),
  };
  await bench.sqs.sendMessage({ QueueUrl, MessageBody: 'msg', MessageAttributes, ...ids('x') });
  const ask = async (options: Parameters<typeof bench.receive>[1]) =>
    (await bench.receive(QueueUrl, options))[0];
  expect(await ask({})).not.toHaveProperty('Attributes');
  expect(await ask({})).not.toHaveProperty('MessageAttributes');
  const prefix = await ask({ MessageAttributeNames: ['Hel.*'] });
  expect(Object.keys(prefix?.MessageAttributes ?? {})).toEqual(['Hello', 'Help.Me']);
  // What SQS itself answered for these two.
  expect(prefix?.MD5OfMessageAttributes).toBe('83fee93c1bcd8b9a5a923ffacdc636c7');
  const named = await ask({ MessageAttributeNames: ['General', 'Hel'] });
  expect(Object.keys(named?.MessageAttributes ?? {})).toEqual(['General']);
  const legacy = await ask({ AttributeNames: ['MessageGroupId' as 'All'] });
  expect(legacy?.Attributes).toEqual({ MessageGroupId: 'g' });
  const modern = await ask({
    MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
  });
  expect(modern?.Attributes).toEqual({ MessageGroupId: 'g', MessageDeduplicationId: 'x' });
});

test('requests that SQS refuses are refused with the same error', async () => {
  const QueueUrl = await bench.queue({ MaximumMessageSize: '2048' });
  const send = (input: object) =>
    bench.sqs.sendMessage({ QueueUrl, MessageBody: 'x', ...ids('i'), ...input });
  await refused(
    send({ QueueUrl: '/none.fifo' }),
    'QueueDoesNotExist',
    'The specified queue does not exist.',
  );
  await refused(send({ MessageBody: '' }), 'MissingParameter', 'MessageBody');
  await refused(send({ MessageGroupId: undefined }), 'MissingParameter', 'MessageGroupId');
  await refused(
    send({ MessageDeduplicationId: undefined }),
    'MissingParameter',
    'MessageDeduplicationId',
  );
  await refused(send({ MessageGroupId: 'g'.repeat(129) }), 'InvalidParameterValue', '1 to 128');
  await refused(send({ MessageGroupId: 'a b' }), 'InvalidParameterValue', 'MessageGroupId');
  await refused(
    send({ MessageDeduplicationId: 'ä' }),
    'InvalidParameterValue',
    'MessageDeduplicationId',
  );
  const MessageAttributes = (StringValue: string) => ({ a: { DataType: 'String', StringValue } });
  await refused(
    send({ MessageAttributes: MessageAttributes('') }),
    'InvalidParameterValue',
    'non-empty',
  );
  await refused(
    send({ MessageAttributes: MessageAttributes('\0') }),
    'InvalidMessageContents',
    '#x0',
  );
  await refused(send({ MessageBody: '\u0001' }), 'InvalidMessageContents', '#x1');
  await refused(
    send({ MessageBody: 'é'.repeat(1025) }),
    'InvalidParameterValue',
    'shorter than 2048 bytes',
  );
  expect((await send({ MessageBody: 'é'.repeat(1024) })).MessageId).toBeDefined();
});

test('attributes count towards the size of a message', async () => {
  const QueueUrl = await bench.queue({ MaximumMessageSize: '1024' });
  const MessageAttributes = { name: { DataType: 'String', StringValue: 'v'.repeat(14) } };
  const send = (length: number) =>
    bench.sqs.sendMessage({
      QueueUrl,
      MessageBody: 'x'.repeat(length),
      MessageAttributes,
      ...ids(`${length}`),
    });
  expect((await send(1000)).MessageId).toBeDefined();
  await refused(send(1001), 'InvalidParameterValue', 'shorter than 1024 bytes');
});

test('a message of 1 MiB is accepted and returned', async () => {
  const QueueUrl = await bench.queue();
  const MessageBody = '"'.repeat(1_048_576);
  await bench.sqs.sendMessage({ QueueUrl, MessageBody, ...ids('big') });
  const [message] = await bench.receive(QueueUrl);
  expect(message?.Body === MessageBody).toBe(true);
});
