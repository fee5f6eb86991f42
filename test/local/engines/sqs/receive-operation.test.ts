import { bodiesOf, sqsScene } from '../support/sqs-scene.ts';

const wait = { WaitTimeSeconds: 20 };

test('what is there is answered synchronously, and only a poll waits', async () => {
  const { send, receive } = sqsScene();
  const poll = receive(wait);
  expect(poll).toBeInstanceOf(Promise);
  expect(send('one')).not.toBeInstanceOf(Promise);
  expect(bodiesOf(await poll)).toEqual(['one']);
  expect(receive()).toEqual({});
});

test('messages whose receiver disconnects before the response is written are visible again, in order', () => {
  const { send, receive } = sqsScene();
  send('one');
  send('two');
  const leaver = new AbortController();
  receive({}, leaver.signal);
  expect(bodiesOf(receive())).toEqual([]);
  leaver.abort();
  expect(bodiesOf(receive())).toEqual(['one', 'two']);
});

test('a receiver that disconnected before takes nothing, also at the end of a poll', async () => {
  const { send, receive } = sqsScene();
  const leaver = new AbortController();
  const poll = receive(wait, leaver.signal);
  leaver.abort();
  send('one');
  expect(await poll).toEqual({});
  expect(bodiesOf(receive({}, leaver.signal))).toEqual([]);
  expect(bodiesOf(receive())).toEqual(['one']);
});

test('a receiver that disconnects late leaves messages alone that are received again', () => {
  const { clock, send, receive } = sqsScene();
  send('one');
  const late = new AbortController();
  receive({}, late.signal);
  clock.advance(30_000);
  expect(bodiesOf(receive())).toEqual(['one']);
  late.abort();
  expect(bodiesOf(receive())).toEqual([]);
});

test('many polls share one timer, set for the nearest deadline', async () => {
  const { clock, receive } = sqsScene();
  const polls = [20, 10, 5, 20].map(seconds => receive({ WaitTimeSeconds: seconds }));
  expect(clock.pending).toBe(1);
  const ended: number[] = [];
  for (const [index, poll] of polls.entries()) Promise.resolve(poll).then(() => ended.push(index));
  for (const expected of [[2], [2, 1], [2, 1, 0, 3]]) {
    clock.advance(expected.length === 4 ? 10_000 : 5_000);
    await Promise.resolve();
    await Promise.resolve();
    expect(ended).toEqual(expected);
  }
  expect(clock.pending).toBe(0);
});

test('polls that are ended answer empty, and later ones do not wait', async () => {
  const { receive, endPolls, clock } = sqsScene();
  const poll = receive(wait);
  endPolls();
  expect(await poll).toEqual({});
  expect(receive(wait)).toEqual({});
  expect(clock.pending).toBe(0);
});
