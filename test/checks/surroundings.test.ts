import { randomBytes, randomUUID } from 'node:crypto';
import type { Entry } from '../../lib/bus/delivery/log.ts';
import type { DrivePorts, Run } from '../../lib/checks/run.ts';
import { missedAttempts, prepared } from '../../lib/checks/surroundings.ts';
import { packedValue } from '../../lib/checks/test-runs.dynamodb.ts';
import { limits } from '../../lib/contract/limits.ts';
import { unused } from '../support/fakes/unused.ts';

const producer = 'cproducer2222';
const story = { id: 'one', correlationId: randomUUID(), storyId: 'one', steps: [{}] };
const run = { workspace: 'w', producer, state: { cases: [story] } } as unknown as Run;

const entry = (number: number, bytes: number): Entry => {
  const messageId = randomUUID();
  const text = randomBytes(bytes / 2).toString('hex');
  return {
    workspace: 'w',
    correlationId: story.correlationId,
    number,
    messageId,
    messageType: 'a',
    systemId: 's',
    producer,
    acceptedAt: number,
    targets: [],
    body: Buffer.from(JSON.stringify({ message_id: messageId, payload: { text } })),
  };
};

/** The end of a run whose story has a million messages of so many bytes. */
const endWith = async (bytes: number, known: readonly string[] = []) => {
  let pages = 0;
  const log = {
    ...unused<DrivePorts['log']>('the log'),
    head: async () => ({ last: 1_000_000, published: 0 }),
    entries: async (_: unknown, from: number) => {
      pages += 1;
      const page = [0, 1, 2].map(at => entry(from + at, bytes));
      return page.map((one, at) => ({ ...one, messageId: known[at] ?? one.messageId }));
    },
  };
  const ports = { ...unused<DrivePorts>('a port'), log };
  const seen = known.map(messageId => ({ messageId }) as never);
  return { missed: await missedAttempts(ports, run, seen), pages };
};

test('what a run missed fits into its record, however many and large the messages are', async () => {
  const { missed, pages } = await endWith(60_000);
  expect([missed.length, pages]).toEqual([200, 67]);
  expect(missed.filter(({ message }) => message).length).toBe(2);
  expect(packedValue(missed).byteLength).toBeLessThan(200 * 1024);
});

test('so do many short ones', async () => {
  const { missed } = await endWith(100);
  expect(missed.length).toBe(200);
  expect(missed.every(({ message }) => message)).toBe(true);
});

test('of a story that others fill, a run reads 100 pages', async () => {
  const { missed, pages } = await endWith(100, [randomUUID(), randomUUID(), randomUUID()]);
  expect([missed.length, pages]).toEqual([0, 100]);
});

test('a run plays when a second has passed since every process may have read its connections', async () => {
  const createdAt = 1_000_000;
  const options = { instances: 'given' };
  const begun = { ...run, kind: 'producer', createdAt, options, state: {} } as unknown as Run;
  const isReadyAt = async (now: number) => {
    const clock = { now: () => now, sleep: async () => undefined };
    return (await prepared({ ...unused<DrivePorts>('a port'), clock }, begun, [])).isReady;
  };
  const known = createdAt + limits.registryCacheSeconds * 1000;
  expect(await isReadyAt(known + 999)).toBe(false);
  expect(await isReadyAt(known + 1_000)).toBe(true);
});
