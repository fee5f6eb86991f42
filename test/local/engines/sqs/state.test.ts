import { bodiesOf, messagesOf, refusalOf, sqsScene } from '../support/sqs-scene.ts';

describe('a send with the deduplication id of another', () => {
  const at = (scene: ReturnType<typeof sqsScene>, milliseconds: number) => {
    scene.clock.advance(milliseconds);
    return scene.send('same');
  };

  test('is answered as the first one for five minutes, and is not sent', () => {
    const scene = sqsScene();
    const first = scene.send('same');
    expect([at(scene, 0), at(scene, 299_999)]).toEqual([first, first]);
    const anew = at(scene, 1);
    expect(anew).not.toEqual(first);
    // The five minutes are counted from the send that was not a duplicate.
    expect([at(scene, 299_999), at(scene, 1)]).toEqual([anew, expect.not.objectContaining(anew)]);
    expect(bodiesOf(scene.receive())).toEqual(['same', 'same', 'same']);
  });

  test('is a duplicate after a restart and after the message was deleted, but not elsewhere', () => {
    const scene = sqsScene();
    const first = scene.send('same');
    const [message] = messagesOf(scene.receive());
    scene.call('DeleteMessage', { ReceiptHandle: message?.['ReceiptHandle'] });
    scene.restart();
    expect(at(scene, 299_999)).toEqual(first);
    scene.call('CreateQueue', { QueueName: 'p.fifo', Attributes: { FifoQueue: 'true' } });
    const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'same' };
    const elsewhere = { QueueUrl: '/p.fifo', MessageBody: 'same', ...ids };
    expect(scene.call('SendMessage', elsewhere)).not.toMatchObject({ ...first });
  });
});

test('sends of more than five minutes ago are forgotten, thirty-two at every sixteenth send', () => {
  const { clock, send, count } = sqsScene();
  for (let sent = 0; sent < 96; sent += 1) send();
  clock.advance(300_000);
  const remembered = Array.from({ length: 64 }, () => {
    send();
    return count('sqs_sends');
  });
  const after = (sends: number) => remembered[sends - 1];
  expect([15, 16, 31, 32, 47, 48, 63, 64].map(after)).toEqual([111, 80, 95, 64, 79, 48, 63, 64]);
});

test('a send of less than five minutes ago is not forgotten', () => {
  const { clock, send, count } = sqsScene();
  for (let sent = 0; sent < 15; sent += 1) send();
  clock.advance(299_999);
  send();
  expect(count('sqs_sends')).toBe(16);
});

test('a receive can be repeated for five minutes, counted from the first, and is forgotten then', () => {
  const { call, clock, count, send } = sqsScene({ VisibilityTimeout: '43200' });
  const receive = (ReceiveRequestAttemptId: string) =>
    call('ReceiveMessage', { ReceiveRequestAttemptId });
  for (const group of ['a', 'b']) send(group, group);
  const first = receive('x');
  expect(bodiesOf(first)).toEqual(['a']);
  clock.advance(299_999);
  expect(receive('x')).toEqual(first);
  expect(bodiesOf(receive('y'))).toEqual(['b']);
  expect(count('sqs_attempts')).toBe(2);
  clock.advance(1);
  expect(receive('x')).toEqual({});
  send('c', 'c');
  expect(bodiesOf(receive('z'))).toEqual(['c']);
  expect(count('sqs_attempts')).toBe(2);
});

test('a queue is named by the last part of its URL', () => {
  const { call } = sqsScene();
  for (const QueueUrl of ['q.fifo', '/q.fifo', 'http://somewhere:1/000000000000/q.fifo'])
    expect(call('ReceiveMessage', { QueueUrl })).toEqual({});
  for (const QueueUrl of ['q.fifo/', 'xq.fifo', '/q.fifo?', '/'])
    expect(refusalOf(() => call('ReceiveMessage', { QueueUrl }))).toBe('QueueDoesNotExist');
});

test('whatever a call does with a queue, messages past their retention are removed before', () => {
  const { call, clock, count, send } = sqsScene({ MessageRetentionPeriod: '60' });
  send();
  clock.advance(60_000);
  expect(count('sqs_messages')).toBe(1);
  call('GetQueueAttributes');
  expect(count('sqs_messages')).toBe(0);
});
