import { TurnableClock } from '../../../lib/local/testing/clock.ts';

let clock: TurnableClock;
let done: string[];
beforeEach(() => {
  jest.useFakeTimers({ now: 1_000 });
  clock = new TurnableClock();
  done = [];
});
afterEach(() => jest.useRealTimers());

const after = (milliseconds: number, name: string) =>
  clock.after(milliseconds, () => done.push(name));

const pass = (milliseconds: number) => {
  jest.advanceTimersByTime(milliseconds);
  return [...done];
};

test('runs like the machine’s clock, and is turned forward', () => {
  after(5_000, 'a');
  expect([clock.now(), pass(4_999)]).toEqual([1_000, []]);
  expect(pass(1)).toEqual(['a']);
  after(10_000, 'b');
  clock.turn(4_000);
  expect([clock.now(), pass(5_999)]).toEqual([10_000, ['a']]);
  expect(pass(1)).toEqual(['a', 'b']);
  expect(jest.getTimerCount()).toBe(0);
});

test('a turn does what has become due in its order, and no more', () => {
  after(5, 'last');
  after(3, 'second');
  const cancel = after(4, 'cancelled by the first');
  clock.after(1, () => {
    done.push('first');
    cancel();
  });
  after(6, 'later');
  clock.turn(5);
  expect(done).toEqual(['first', 'second', 'last']);
  expect(pass(1)).toEqual(['first', 'second', 'last', 'later']);
});

test('what is cancelled is not done', () => {
  after(5, 'a')();
  expect(pass(5)).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

test('a sleep ends with a turn', async () => {
  const slept = clock.sleep(60_000).then(() => done.push('woken'));
  clock.turn(60_000);
  await slept;
  expect(done).toEqual(['woken']);
});

test('a task may be due later than a timer can be', () => {
  // Node ends a longer one at once.
  const longest = 2_147_483_647;
  const timers = jest.spyOn(globalThis, 'setTimeout');
  after(longest + 5, 'a');
  expect([pass(longest), pass(4), pass(1)]).toEqual([[], [], ['a']]);
  expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([longest, 5]);
});

test('a task that is overdue is not waited for, and one that a turn brings nearer is', () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  after(-5, 'a');
  expect(done).toEqual([]);
  expect(pass(0)).toEqual(['a']);
  after(10, 'b');
  clock.turn(7);
  expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([0, 10, 3]);
  expect(jest.getTimerCount()).toBe(1);
});

test('a closed clock does nothing more', () => {
  after(5, 'a');
  clock.close();
  after(5, 'b');
  expect(jest.getTimerCount()).toBe(0);
  clock.turn(10);
  expect([done, jest.getTimerCount()]).toEqual([[], 0]);
});
