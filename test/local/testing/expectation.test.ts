import type { TestConnection } from '../../../lib/local/testing/api.ts';
import { TurnableClock } from '../../../lib/local/testing/clock.ts';
import { Inboxes } from '../../../lib/local/testing/expectation.ts';

beforeEach(() => jest.useFakeTimers({ now: 1_000, doNotFake: ['setImmediate'] }));
afterEach(() => jest.useRealTimers());

const messageOf = (id: string, payload: unknown) => ({
  messageId: id,
  messageType: 'link.committed',
  receiptHandle: `handle-${id}`,
  message: { message_id: id, message_type: 'link.committed', payload },
});

type Pull = TestConnection['pull'];

/** A consumer that gets these messages with its first pull, and then none. */
const consumerWith = (...messages: readonly ReturnType<typeof messageOf>[]) => {
  const acknowledged: (readonly string[])[] = [];
  const waits: unknown[] = [];
  const pages = [messages];
  const clock = new TurnableClock();
  const consumer = {
    id: 'c1',
    pull: async ({ wait }: { wait: number }) => {
      waits.push(wait);
      const page = pages.shift();
      // No test waits for what does not come.
      if (!page) clock.turn(60_000);
      return { outcome: 'pulled', messages: page ?? [] };
    },
    ack: async (handles: readonly string[]) => {
      await new Promise(resolve => setImmediate(resolve));
      acknowledged.push(handles);
    },
  } as unknown as TestConnection;
  return { inboxes: new Inboxes(clock), consumer, acknowledged, waits };
};

const far = messageOf('m1', { a: 2, b: 2 });
const near = messageOf('m2', { a: 1, b: 2 });
const matcher = { payload: { a: 1, b: 1 } };

test('the message that differs least is compared, and the others are named', async () => {
  const { inboxes, consumer } = consumerWith(far, messageOf('m3', {}), near);
  // All of them came with this one.
  await inboxes.take(consumer, { message_id: 'm3' }, 1_000);
  await expect(inboxes.take(consumer, matcher, 0)).rejects.toThrow(
    [
      '2 messages came within 0, but not the expected one.',
      'The closest is link.committed m2:',
      '  payload.b  expected 1, received 2',
      'Also received:',
      '  link.committed m1',
    ].join('\n'),
  );
});

test('a message is taken once, and acknowledged when it came', async () => {
  const { inboxes, consumer, acknowledged } = consumerWith(far, near);
  const taken = await inboxes.take(consumer, { message_id: 'm2' }, 1_000);
  expect([taken, acknowledged]).toEqual([near, [['handle-m1', 'handle-m2']]]);
  await expect(inboxes.take(consumer, { message_id: 'm2' }, 0)).rejects.toThrow('One message came');
  inboxes.clear();
  await expect(inboxes.take(consumer, { message_id: 'm1' }, 0)).rejects.toThrow('No message came');
});

describe('a message and what is expected', () => {
  /** What is said of a message that is not the expected one; undefined if it is. */
  const saidOf = async (payload: unknown, expected: Parameters<Inboxes['take']>[1]) => {
    const { inboxes, consumer } = consumerWith(messageOf('m1', payload));
    const taken = inboxes.take(consumer, expected, '1s');
    return taken.then(
      () => undefined,
      (error: Error) => error.message,
    );
  };
  const differing = (...lines: readonly string[]) =>
    [
      'One message came within 1s, but not the expected one.',
      'The closest is link.committed m1:',
      ...lines,
    ].join('\n');
  const isOdd = (value: unknown) => Number(value) % 2 === 1;

  test.each<[string, unknown, unknown]>([
    ['members beside those that are named', { a: 1, b: 2 }, { a: 1 }],
    ['any object', { a: 1 }, {}],
    ['equal values', [{ a: null }, 'b'], [{ a: null }, 'b']],
    ['what a function takes', { a: 3 }, { a: isOdd }],
    ['what a matcher takes', { a: { b: 1, c: 2 } }, { a: expect.objectContaining({ b: 1 }) }],
  ])('fit with %s', async (_what, payload, expected) => {
    expect(await saidOf(payload, { payload: expected })).toBeUndefined();
  });

  test.each<[string, unknown, unknown, string]>([
    ['a member', { a: 1 }, { a: 2 }, 'payload.a  expected 2, received 1'],
    ['a missing member', {}, { a: { b: 1 } }, 'payload.a  expected {"b":1}, received nothing'],
    [
      'an object that is none',
      { a: 'x' },
      { a: { b: 1 } },
      'payload.a  expected {"b":1}, received "x"',
    ],
    ['an object too many', { a: {} }, { a: 5 }, 'payload.a  expected 5, received {}'],
    ['an item', ['x', 'y'], ['x', 'z'], 'payload.1  expected "z", received "y"'],
    ['a longer list', ['x', 'y'], ['x'], 'payload  expected ["x"], received ["x","y"]'],
    ['a text as long as a list', 'y', ['x'], 'payload  expected ["x"], received "y"'],
    [
      'an object instead of a list',
      { length: 1 },
      ['x'],
      'payload  expected ["x"], received {"length":1}',
    ],
    [
      'a list instead of an object',
      ['x'],
      { 0: 'x' },
      'payload  expected {"0":"x"}, received ["x"]',
    ],
    ['a named function', { a: 2 }, { a: isOdd }, 'payload.a  expected isOdd, received 2'],
    [
      'a function',
      { a: 2 },
      { a: [() => false][0] },
      'payload.a  expected what its function takes, received 2',
    ],
    [
      'a matcher',
      { a: {} },
      { a: { asymmetricMatch: () => false } },
      'payload.a  expected {}, received {}',
    ],
  ])('differ in %s', async (_what, payload, expected, line) => {
    expect(await saidOf(payload, { payload: expected })).toBe(differing(`  ${line}`));
  });

  test('differ in a column, from the left', async () => {
    const expected = { message_id: 'm2', payload: { a: 2 } };
    expect(await saidOf({ a: 1 }, expected)).toBe(
      differing(
        '  message_id  expected "m2", received "m1"',
        '  payload.a   expected 2, received 1',
      ),
    );
  });

  test('may be compared by a function', async () => {
    const isSecond = ({ message_id }: { message_id: string }) => message_id === 'm2';
    expect(await saidOf({}, isSecond)).toBe(
      differing('  message  expected isSecond, received link.committed'),
    );
    expect(await saidOf({}, message => String(message.message_id) === 'm1')).toBeUndefined();
  });
});

describe('the pulls of a consumer', () => {
  test('wait for as long as is left, in whole seconds, and at most 20', async () => {
    const waitsWithin = async (within: number) => {
      const { inboxes, consumer, waits } = consumerWith(far);
      await expect(inboxes.take(consumer, matcher, within)).rejects.toThrow('came within');
      return waits;
    };
    expect(await waitsWithin(0)).toEqual([]);
    expect(await waitsWithin(1)).toEqual([1, 1]);
    expect(await waitsWithin(2_000)).toEqual([2, 2]);
    expect(await waitsWithin(2_001)).toEqual([3, 3]);
    expect(await waitsWithin(60_000)).toEqual([20, 20]);
  });

  test('acknowledge nothing if nothing came', async () => {
    const { inboxes, consumer, acknowledged } = consumerWith();
    await expect(inboxes.take(consumer, {}, 1_000)).rejects.toThrow('No message came within 1000.');
    expect(acknowledged).toEqual([]);
  });

  const taking = (pull: Pull) => {
    const consumer = { id: 'c1', pull } as unknown as TestConnection;
    return new Inboxes(new TurnableClock()).take(consumer, {}, '5s');
  };

  test('end when the time is over', async () => {
    const over = AbortSignal.abort(new Error('over'));
    const ending = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(over);
    const taken = taking(async (_asked, options) => {
      jest.setSystemTime(6_000);
      options?.signal?.throwIfAborted();
      throw new Error('It is over.');
    });
    await expect(taken).rejects.toThrow('No message came within 5s.');
    expect(ending.mock.calls).toEqual([[5_000]]);
    ending.mockRestore();
  });

  test('that fail before are an error', async () => {
    const failing = taking(async () => Promise.reject(new Error('no such host')));
    await expect(failing).rejects.toThrow('no such host');
    const refused = taking(async () => ({ outcome: 'refused', status: 403 }) as never);
    await expect(refused).rejects.toThrow(
      'The consumer cannot pull: {"outcome":"refused","status":403}.',
    );
  });
});
