import { type PollLook, Polls } from '../../../../lib/local/engines/sqs/polls.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

const found = (body: string): PollLook => ({ response: { body } });
const nothing: PollLook = { nextChangeAt: undefined };

/** Polls of which each test says what they find, and a record of what was asked and told. */
const scene = () => {
  const clock = new FrozenClock(0);
  const polls = new Polls(clock);
  const told: string[] = [];
  const looked: string[] = [];
  const finds = new Map<string, PollLook | Error>();
  const begin = (name: string, seconds: number, queue = 'q', gone = new AbortController().signal) =>
    polls.start({
      queue,
      until: clock.now() + seconds * 1000,
      gone,
      look() {
        looked.push(name);
        const look = finds.get(name) ?? nothing;
        if (look instanceof Error) throw look;
        return look;
      },
    });
  const tell = (name: string, what: unknown) =>
    told.push(`${name} ${JSON.stringify(what)} at ${clock.now() / 1000}`);
  return {
    clock,
    polls,
    told,
    looked,
    finds,
    begin,
    start(name: string, seconds: number, queue?: string, gone?: AbortSignal) {
      Promise.resolve(begin(name, seconds, queue, gone)).then(
        response => tell(name, response),
        (error: Error) => tell(name, error.message),
      );
    },
    /** Lets time pass, second by second; those who are answered tell it. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000);
        await new Promise(setImmediate);
      }
    },
  };
};

test('a poll that finds something, or may not wait, is answered at once', () => {
  const { begin, finds, clock, polls } = scene();
  finds.set('a', found('here'));
  expect(begin('a', 20)).toEqual({ body: 'here' });
  expect(begin('b', 0)).toEqual({});
  expect(begin('c', 20, 'q', AbortSignal.abort())).toEqual({});
  polls.close();
  expect(begin('d', 20)).toEqual({});
  expect(clock.pending).toBe(0);
});

test('a poll waits until its end, and is answered empty then', async () => {
  const { start, pass, told, looked, clock } = scene();
  start('a', 3);
  start('b', 2);
  start('other', 4, 'another');
  expect(clock.pending).toBe(1);
  await pass(4);
  expect(told).toEqual(['b {} at 2', 'a {} at 3', 'other {} at 4']);
  // Once when it began, and once more at its end, unless another before it had found nothing.
  expect(looked.filter(name => name === 'other')).toHaveLength(2);
  expect(clock.pending).toBe(0);
});

test('those who wait for a queue are served in order, up to the first who finds nothing', async () => {
  const { start, polls, pass, told, looked, finds } = scene();
  for (const name of ['a', 'b', 'c', 'd']) start(name, 20);
  start('elsewhere', 20, 'another');
  looked.length = 0;
  finds.set('a', found('one'));
  finds.set('b', new Error('b is wrong'));
  finds.set('d', found('never seen'));
  polls.notify('q');
  polls.notify('a queue for which nobody waits');
  expect(looked).toEqual(['a', 'b', 'c']);
  await pass(1);
  expect(told).toEqual(['a {"body":"one"} at 1', 'b "b is wrong" at 1']);
  finds.set('c', found('two'));
  polls.notify('q');
  expect(looked.slice(3)).toEqual(['c', 'd']);
  await pass(1);
  expect(told.slice(2)).toEqual(['c {"body":"two"} at 2', 'd {"body":"never seen"} at 2']);
});

test('a poll looks again when its queue changes by itself, and not before', async () => {
  const { start, pass, told, looked, finds, clock } = scene();
  finds.set('a', { nextChangeAt: 5000 });
  start('a', 20);
  start('other', 20, 'another');
  await pass(4);
  expect(looked).toEqual(['a', 'other']);
  finds.set('a', found('visible'));
  await pass(1);
  expect(looked).toEqual(['a', 'other', 'a']);
  expect(told).toEqual(['a {"body":"visible"} at 5']);
  expect(clock.pending).toBe(1);
});

test('polls with the same end share a timer, and a change that is due is looked for at once', () => {
  const { start, finds, clock } = scene();
  const after = jest.spyOn(clock, 'after');
  for (const name of ['a', 'b', 'c']) start(name, 20);
  expect(after.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([20_000]);
  clock.advance(1000);
  finds.set('late', { nextChangeAt: 900 });
  start('late', 20, 'another');
  expect(after.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([20_000, 0]);
  expect(clock.pending).toBe(1);
});

test('a change after which there is nothing says when the next one is', async () => {
  const { start, polls, pass, told, finds } = scene();
  finds.set('a', { nextChangeAt: 9000 });
  start('a', 20);
  finds.set('a', { nextChangeAt: 3000 });
  polls.notify('q');
  await pass(2);
  finds.set('a', { nextChangeAt: 6000 });
  await pass(2);
  finds.set('a', found('at last'));
  await pass(4);
  expect(told).toEqual(['a {"body":"at last"} at 6']);
});

test('a change that will not come any more is not waited for', async () => {
  const { start, pass, looked, finds, told } = scene();
  finds.set('a', { nextChangeAt: 3000 });
  start('a', 8);
  finds.set('a', nothing);
  await pass(7);
  expect(looked).toEqual(['a', 'a']);
  await pass(1);
  expect([looked, told]).toEqual([['a', 'a', 'a'], ['a {} at 8']]);
});

test('a change after the end of a poll does not prolong it', async () => {
  const { start, pass, told, finds } = scene();
  finds.set('a', { nextChangeAt: 9000 });
  start('a', 2);
  await pass(9);
  expect(told).toEqual(['a {} at 2']);
});

test('the last look of a poll is at its end', async () => {
  const { start, pass, told, finds } = scene();
  start('a', 2);
  start('b', 2);
  await pass(1);
  finds.set('a', found('just in time'));
  await pass(1);
  expect(told).toEqual(['a {"body":"just in time"} at 2', 'b {} at 2']);
});

test('who goes away is answered empty, takes nothing, and leaves no timer of its own', async () => {
  const { start, polls, pass, told, looked, finds } = scene();
  const leaver = new AbortController();
  start('a', 2, 'q', leaver.signal);
  start('b', 5);
  leaver.abort();
  finds.set('a', found('lost'));
  finds.set('b', found('kept'));
  looked.length = 0;
  polls.notify('q');
  await pass(1);
  expect(looked).toEqual(['b']);
  expect(told).toEqual(['a {} at 1', 'b {"body":"kept"} at 1']);
});

test('an answered poll does not listen any more for its receiver to go away', async () => {
  const { start, pass, polls, finds } = scene();
  const gone = new AbortController().signal;
  const [added, removed] = [
    jest.spyOn(gone, 'addEventListener'),
    jest.spyOn(gone, 'removeEventListener'),
  ];
  start('a', 5, 'q', gone);
  finds.set('a', found('here'));
  polls.notify('q');
  await pass(1);
  expect(added.mock.calls).toHaveLength(1);
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

test('the end answers all who wait, and leaves no timer', async () => {
  const { start, polls, pass, told, clock } = scene();
  start('a', 20);
  start('b', 20, 'another');
  polls.close();
  expect(clock.pending).toBe(0);
  await pass(1);
  expect(told).toEqual(['a {} at 1', 'b {} at 1']);
});
