import type { Bounds } from '../../../lib/kit/client/attempts.ts';
import { type ConsumeOptions, deliveries } from '../../../lib/kit/client/deliveries.ts';
import type { Outside } from '../../../lib/kit/client/outside.ts';
import type { PulledMessage, PullQuery, Queue } from '../../../lib/kit/client/queue.ts';
import { start, VirtualTime } from './virtual-time.ts';

const next = () => new Promise(setImmediate);

const message = (messageId: string): PulledMessage =>
  ({
    messageId,
    receiptHandle: `r-${messageId}`,
    correlationId: messageId,
    enqueuedAt: new Date(start).toISOString(),
  }) as PulledMessage;

/** A consumer of a queue that has these pulls, and all that it does, in order. */
const consuming = (pulls: readonly (readonly string[])[], given: ConsumeOptions = {}) => {
  const journal: (readonly unknown[])[] = [];
  const left = [...pulls];
  const time = new VirtualTime();
  const settle = (what: string) => async (handles: readonly string[]) => {
    await next();
    journal.push([what, handles]);
    return { outcome: 'settled', ok: handles, failed: [] };
  };
  const queue = {
    pull: async (query: PullQuery, { deadline }: Bounds) => {
      journal.push(['pull', query, deadline - time.now()]);
      await next();
      const messages = (left.shift() ?? []).map(message);
      return { outcome: 'pulled', messages, askedAt: time.now() };
    },
    ack: settle('ack'),
    nack: settle('nack'),
  } as unknown as Queue;
  const sleep = async (milliseconds: number) => {
    await next();
    journal.push(['sleep', milliseconds]);
    time.pass(milliseconds);
  };
  const outside = { now: time.now, sleep } as unknown as Outside;
  const parts = { queue, outside, callMilliseconds: 60_000 };
  return { journal, time, messages: deliveries(parts, given) };
};

const query = { max: 10, wait: 20, visibility: 60 };

test('what was handled is acknowledged before the next pull, and nobody sleeps for nothing', async () => {
  const { journal, messages } = consuming([['a', 'b'], []], { untilEmpty: true });
  const handled: string[] = [];
  for await (const { messageId, expiresAt } of messages) {
    handled.push(messageId);
    expect(expiresAt).toBe(start + 60_000);
  }
  expect(handled).toEqual(['a', 'b']);
  expect(journal).toEqual([
    ['pull', query, 60_000],
    ['ack', ['r-a', 'r-b']],
    ['pull', query, 60_000],
  ]);
});

test('idle pulls begin a second apart', async () => {
  const { journal, messages } = consuming([[], [], ['a']]);
  for await (const _one of messages) break;
  expect(journal).toEqual([
    ['pull', query, 60_000],
    ['sleep', 1_000],
    ['pull', query, 60_000],
    ['sleep', 1_000],
    ['pull', query, 60_000],
    ['nack', ['r-a']],
  ]);
});

test('who leaves waits until the rest is returned', async () => {
  const { journal, messages } = consuming([['a', 'b', 'c']]);
  for await (const { messageId } of messages) if (messageId === 'b') break;
  expect(journal).toEqual([
    ['pull', query, 60_000],
    ['ack', ['r-a']],
    ['nack', ['r-b', 'r-c']],
  ]);
});

test('what was settled by hand is settled once', async () => {
  const { journal, messages } = consuming([['a', 'b', 'c']]);
  for await (const delivery of messages) {
    if (delivery.messageId === 'a') expect(await delivery.ack()).toEqual({ outcome: 'settled' });
    if (delivery.messageId === 'b')
      expect(await delivery.release(7)).toEqual({ outcome: 'settled' });
    if (delivery.messageId === 'c') break;
  }
  expect(journal).toEqual([
    ['pull', query, 60_000],
    ['ack', ['r-a']],
    ['nack', ['r-b']],
    ['nack', ['r-c']],
  ]);
});

test('a wait takes half of the time for a message at most', async () => {
  const { journal, messages } = consuming([['a']], { visibility: 31, max: 3 });
  for await (const _one of messages) break;
  expect(journal[0]).toEqual(['pull', { max: 3, wait: 15, visibility: 31 }, 60_000]);
});
