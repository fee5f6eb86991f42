import { marshall } from '@aws-sdk/util-dynamodb';
import { connectionItem } from '../../lib/access/registry/items.dynamodb.ts';
import type { Sighting } from '../../lib/access/registry/test-runs.ts';
import {
  awsTestMarks,
  awsTestRuns,
  edgeItem,
  edgeKey,
  packedValue,
  runKey,
  setFaults,
  unpackedValue,
} from '../../lib/checks/test-runs.dynamodb.ts';
import { expr } from '../../lib/platform/aws/expression.ts';
import { getItem, type Item, putItem, queryAll, updateItem } from '../../lib/platform/aws/table.ts';
import { producer } from '../corpus/connections.ts';
import { tableAnswering } from '../support/fakes/aws-clients.ts';
import { countingIds } from '../support/identity-fakes.ts';
import { tablesHere } from '../support/local-aws.ts';

const tables = tablesHere();
const start = Date.parse('2026-05-04T09:00:00Z');
/** Ninety days later, in seconds. */
const expires = Date.parse('2026-08-02T09:00:00Z') / 1000;

let made = 0;

/** A run of a test's own, which goes on. */
const begun = async () => {
  made += 1;
  const id = `t${made}`;
  const table = tables.table('ledger');
  await putItem(table, { Item: edgeItem({ id, createdAt: start }) });
  return {
    id,
    table,
    runs: awsTestRuns(table, countingIds()),
    edge: () => getItem(table, { Key: edgeKey(id), ConsistentRead: true }),
    count: (name: 'sightings' | 'seen_bytes', value: number) =>
      updateItem(table, {
        Key: edgeKey(id),
        UpdateExpression:
          name === 'sightings' ? expr`SET sightings = ${value}` : expr`SET seen_bytes = ${value}`,
      }),
    noted: async (): Promise<readonly Item[]> => {
      const KeyConditionExpression = expr`pk = ${`CHECK#${id}`} AND begins_with(sk, ${'SEEN#'})`;
      const items = await queryAll(table, { ConsistentRead: true, KeyConditionExpression });
      return items.map(({ sighting, ...item }) => ({
        ...item,
        sighting: sighting instanceof Uint8Array ? unpackedValue(sighting) : undefined,
      }));
    },
  };
};

type Attempt = Extract<Sighting, { kind: 'attempt' }>;

/** One whose message was too large to be kept. */
const large = (): Sighting => {
  const { message: _, ...rest } = attempt({ at: start + 2_000, sizeBytes: 50_000 });
  return rest;
};

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  kind: 'attempt',
  at: start,
  outcome: 'accepted',
  rules: [],
  bodyHash: 'h',
  sizeBytes: 100,
  message: { a: 1 },
  ...changes,
});

test('a run begins without faults, and with nothing seen', async () => {
  const { id, edge } = await begun();
  expect(await edge()).toEqual({
    pk: `CHECK#${id}`,
    sk: 'EDGE',
    refusals: 0,
    losses: 0,
    fault_status: 503,
    retry_after: 0,
    slow_answers: 0,
    slow_milliseconds: 0,
    sightings: 0,
    seen_bytes: 0,
    expires_at: expires,
  });
  expect(runKey(id)).toEqual({ pk: `CHECK#${id}`, sk: 'RUN' });
});

describe('the faults that a run wants', () => {
  test('are taken as often as it wants them: refusals first, then lost responses', async () => {
    const { id, table, runs } = await begun();
    expect(await runs.takeFault(id)).toEqual({});
    await setFaults(table, id, {
      refusals: 2,
      losses: 1,
      status: 429,
      retryAfterSeconds: 3,
      slowMilliseconds: 700,
    });
    const refuse = { status: 429, retryAfterSeconds: 3 };
    expect(await runs.takeFault(id)).toStrictEqual({ slowMilliseconds: 700, refuse });
    expect(await runs.takeFault(id)).toStrictEqual({ refuse });
    expect(await runs.takeFault(id)).toStrictEqual({ loseResponse: true });
    expect(await runs.takeFault(id)).toStrictEqual({});
  });

  test('may be one late response, or one refusal that says no time', async () => {
    const { id, table, runs, edge } = await begun();
    await setFaults(table, id, { refusals: 0, losses: 0, status: 503, slowMilliseconds: 0 });
    expect(await edge()).toMatchObject({ slow_answers: 1, slow_milliseconds: 0 });
    expect(await runs.takeFault(id)).toStrictEqual({ slowMilliseconds: 0 });
    for (const status of [401, 503] as const) {
      await setFaults(table, id, { refusals: 1, losses: 0, status });
      expect(await runs.takeFault(id)).toStrictEqual({ refuse: { status } });
    }
    await setFaults(table, id, { refusals: 0, losses: 1, status: 401, slowMilliseconds: 9 });
    expect(await runs.takeFault(id)).toStrictEqual({ slowMilliseconds: 9, loseResponse: true });
    expect(await runs.takeFault(id)).toStrictEqual({});
  });

  test('replace those before, and are none of a run that is over', async () => {
    const { id, table, runs, edge } = await begun();
    await setFaults(table, id, { refusals: 3, losses: 4, status: 401, slowMilliseconds: 5 });
    await setFaults(table, id, { refusals: 0, losses: 0, status: 503 });
    expect(await edge()).toEqual({ ...edgeItem({ id, createdAt: start }) });
    const over = setFaults(table, 'over', { refusals: 1, losses: 0, status: 503 });
    await expect(over).rejects.toThrow('The conditional request failed');
    expect(await runs.takeFault('over')).toBeUndefined();
  });

  test('are none while the table cannot be read', async () => {
    const table = tableAnswering(() => {
      throw new Error('socket hang up');
    });
    expect(await awsTestRuns(table, countingIds()).takeFault('t1')).toEqual({});
  });

  test('are read fresh, and not taken if another request was faster', async () => {
    const { id, table, edge } = await begun();
    await setFaults(table, id, { refusals: 1, losses: 1, status: 503, slowMilliseconds: 5 });
    const stored = await edge();
    const reads: object[] = [];
    const slow = tableAnswering(({ input }) => {
      reads.push(input);
      if (!('UpdateExpression' in input)) return { Item: marshall(stored ?? {}) };
      throw Object.assign(new Error('no'), { name: 'ConditionalCheckFailedException' });
    });
    expect(await awsTestRuns(slow, countingIds()).takeFault(id)).toEqual({});
    expect(reads).toHaveLength(4);
    expect(reads[0]).toMatchObject({ ConsistentRead: true });
  });
});

describe('what is seen of a run', () => {
  test('is kept with its time, counted, and kept for ninety days', async () => {
    const { id, runs, edge, noted } = await begun();
    await runs.note(id, attempt());
    await runs.note(id, { kind: 'token', at: start + 1_500, refused: true });
    await runs.note(id, large());
    const pk = `CHECK#${id}`;
    expect(await noted()).toEqual([
      {
        pk,
        sk: expect.stringMatching(/^SEEN#2026-05-04T09:00:00\.000Z#./),
        sighting: attempt(),
        expires_at: expires,
      },
      {
        pk,
        sk: expect.stringMatching(/^SEEN#2026-05-04T09:00:01\.500Z#./),
        sighting: { kind: 'token', at: start + 1_500, refused: true },
        expires_at: expires + 1,
      },
      {
        pk,
        sk: expect.stringMatching(/^SEEN#2026-05-04T09:00:02\.000Z#./),
        sighting: large(),
        expires_at: expires + 2,
      },
    ]);
    // Only what is kept takes room.
    expect(await edge()).toMatchObject({ sightings: 3, seen_bytes: 100 });
  });

  test('at one time is kept apart', async () => {
    const { id, runs, noted } = await begun();
    await runs.note(id, attempt());
    await runs.note(id, attempt());
    expect(await noted()).toHaveLength(2);
  });

  test('has no messages any more after 8 MiB of them', async () => {
    const { id, runs, noted, count } = await begun();
    await count('seen_bytes', 8 * 1024 * 1024 - 100);
    await runs.note(id, attempt());
    await runs.note(id, attempt({ at: start + 1, sizeBytes: 1 }));
    const kept = (await noted()).map(({ sighting }) => sighting);
    expect(kept).toEqual([attempt(), expect.objectContaining({ bodyHash: 'h', sizeBytes: 1 })]);
    expect(kept[1]).not.toHaveProperty('message');
  });

  test('is at most 5,000 sightings, and nothing of a run that is over', async () => {
    const { id, runs, noted, count, edge } = await begun();
    await count('sightings', 4_999);
    await runs.note(id, attempt());
    await runs.note(id, attempt());
    await runs.note('over', attempt());
    expect(await noted()).toHaveLength(1);
    expect(await edge()).toMatchObject({ sightings: 5_000, seen_bytes: 100 });
  });
});

test("a run's audience is told to its workspace, also when it is over", async () => {
  const { table, runs } = await begun();
  const keep = (id: string, more: Item) =>
    putItem(table, { Item: { ...runKey(id), workspace: 'w1', ...more } });
  await keep('ta', { consumer: 'c1', labels: ['a', 'b'], status: 'finished' });
  await keep('tb', { labels: [] });
  expect(await runs.audienceOf('ta', 'w1')).toStrictEqual({ consumer: 'c1', labels: ['a', 'b'] });
  expect(await runs.audienceOf('tb', 'w1')).toStrictEqual({ labels: [] });
  expect(await runs.audienceOf('ta', 'w2')).toBeUndefined();
  expect(await runs.audienceOf('tc', 'w1')).toBeUndefined();
});

test("a run's audience is read fresh", async () => {
  const reads: object[] = [];
  const table = tableAnswering(({ input }) => {
    reads.push(input);
    return {};
  });
  await awsTestRuns(table, countingIds()).audienceOf('t1', 'w1');
  expect(reads).toEqual([expect.objectContaining({ ConsistentRead: true })]);
});

describe('a mark', () => {
  const marked = async (connection = producer({ id: `c${++made}` })) => {
    const table = tables.table('registry');
    const item = connectionItem(connection);
    await putItem(table, { Item: item });
    const { pk, sk } = item;
    const Key = { pk, sk };
    return {
      id: connection.id,
      marks: awsTestMarks(table),
      stored: async () => {
        const read = await getItem(table, { Key, ConsistentRead: true });
        return {
          under: read?.['under_test'],
          in: read?.['tested_in'],
          until: read?.['tested_until'],
        };
      },
    };
  };
  const none = { under: undefined, in: undefined, until: undefined };

  test('is put on a connection once, unless the run before is over', async () => {
    const { id, marks, stored } = await marked();
    expect(await marks.mark(id, 't1')).toBe(true);
    expect(await marks.mark(id, 't1')).toBe(true);
    expect(await marks.mark(id, 't2')).toBe(false);
    expect(await marks.mark(id, 't2', 't0')).toBe(false);
    expect(await stored()).toEqual({ ...none, under: 't1' });
    expect(await marks.mark(id, 't2', 't1')).toBe(true);
    expect(await stored()).toEqual({ ...none, under: 't2' });
  });

  test('is put on no connection that is revoked', async () => {
    const { id, marks, stored } = await marked(producer({ id: `c${++made}`, status: 'revoked' }));
    expect(await marks.mark(id, 't1')).toBe(false);
    expect(await stored()).toEqual(none);
  });

  test('is taken from it by its own run alone, which may be remembered', async () => {
    const { id, marks, stored } = await marked();
    await marks.mark(id, 't1');
    await marks.unmark(id, 't2', 5);
    expect(await stored()).toEqual({ ...none, under: 't1' });
    await marks.unmark(id, 't1');
    expect(await stored()).toEqual(none);
    await marks.mark(id, 't3');
    await marks.unmark(id, 't3', 7);
    expect(await stored()).toEqual({ under: undefined, in: 't3', until: 7 });
  });
});

test('what is packed is small, and unpacked as it was', () => {
  const value = { text: 'a'.repeat(10_000), list: [1, null, { b: true }] };
  const packed = packedValue(value);
  expect(packed.byteLength).toBeLessThan(100);
  expect(unpackedValue(packed)).toEqual(value);
});
