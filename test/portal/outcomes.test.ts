import type { Entry } from '../../lib/bus/delivery/log.ts';
import type { ArchiveSummary } from '../../lib/bus/replay/replay.ts';
import { consumersOf, oldestWaiting, withinMinutes } from '../../lib/portal/outcomes.ts';
import { entry, time } from '../support/entries.ts';

const workspace = 'waaaaaaaaaaaa';
const minute = 60_000;
const day = 24 * 60 * minute;

const acceptedFor = (name: string, acceptedAt: number, connections: readonly string[]): Entry => ({
  ...entry(name),
  acceptedAt,
  targets: connections.map(connection => ({ connection, queue: `sombus-${connection}.fifo` })),
});

const summaryOf = ({ correlationId, number, messageId, acceptedAt, ...one }: Entry) => ({
  correlationId,
  number,
  messageId,
  acceptedAt,
  messageType: one.messageType,
  producer: one.producer,
  position: `${new Date(acceptedAt).toISOString()}#${messageId}`,
});

/** An archive in memory, in the order given, and what it was asked for. */
const archiveOf = (entries: readonly Entry[]) => {
  const asked: { from: number; to: number; after?: string }[] = [];
  const all = entries.map(one => ({ summary: summaryOf(one) as ArchiveSummary, entry: one }));
  return {
    asked,
    archive: {
      page: async (
        { from, to, after }: { from: number; to: number; after?: string },
        max: number,
      ) => {
        asked.push({ from, to, ...(after !== undefined && { after }) });
        return all
          .map(({ summary }) => summary)
          .filter(one => one.acceptedAt >= from && one.acceptedAt < to)
          .filter(({ position }) => after === undefined || position > after)
          .slice(0, max);
      },
      entries: async (_workspace: string, summaries: readonly ArchiveSummary[]) =>
        all.filter(({ summary }) => summaries.includes(summary)),
      withoutBodies: async () => [],
    },
  };
};

/** `count` messages for one consumer, a millisecond apart, from `from` on. */
const series = (name: string, from: number, { count, to }: { count: number; to: string }) =>
  Array.from({ length: count }, (_, at) => acceptedFor(`${name}-${at}`, from + at, [to]));

const waitingIn = async (
  entries: readonly Entry[],
  consumers: readonly { connection: string; front: number | undefined }[],
) => {
  const { archive, asked } = archiveOf(entries);
  const found = await oldestWaiting(archive, { workspace, now: time }, consumers);
  return { found: Object.fromEntries(found), asked };
};

test('the oldest that waits is the first after the last acknowledged one', async () => {
  const { found, asked } = await waitingIn(
    [
      acceptedFor('done', time - 9_000, ['cone']),
      acceptedFor('other', time - 8_000, ['ctwo']),
      acceptedFor('waits', time - 7_000, ['cone', 'ctwo']),
      acceptedFor('later', time - 6_000, ['cone']),
    ],
    [
      { connection: 'cone', front: time - 9_000 },
      { connection: 'ctwo', front: time - 8_000 },
    ],
  );
  expect(found).toEqual({ cone: time - 7_000, ctwo: time - 7_000 });
  expect(asked).toEqual([{ from: time - 9_000, to: time + 1 }]);
});

test('one that was accepted in this millisecond waits already', async () => {
  const { found } = await waitingIn(
    [acceptedFor('now', time, ['cone'])],
    [{ connection: 'cone', front: time - 1 }],
  );
  expect(found).toEqual({ cone: time });
});

test('who never acknowledged is looked for within a day', async () => {
  const { found, asked } = await waitingIn(
    [
      acceptedFor('old', time - day - 1, ['cone']),
      acceptedFor('edge', time - day, ['cone']),
      acceptedFor('waits', time - day + 1, ['cone']),
    ],
    [{ connection: 'cone', front: undefined }],
  );
  expect(asked).toEqual([{ from: time - day, to: time + 1 }]);
  expect(found).toEqual({ cone: time - day + 1 });
});

test('nothing is read when nobody is behind', async () => {
  expect(await waitingIn([acceptedFor('one', time, ['cone'])], [])).toEqual({
    found: {},
    asked: [],
  });
});

test('a full page is followed by the next, and what nobody waits for is passed over', async () => {
  const start = time - 100_000;
  const near = series('near', start, { count: 100, to: 'cnone' });
  const { found, asked } = await waitingIn(
    [...near, acceptedFor('waits', start + 100, ['cone']), acceptedFor('two', time - 1, ['ctwo'])],
    [
      { connection: 'cone', front: start },
      { connection: 'ctwo', front: time - 2 },
    ],
  );
  const last = near.at(-1);
  expect(found).toEqual({ cone: start + 100, ctwo: time - 1 });
  expect(asked).toEqual([
    { from: start, to: time + 1 },
    { from: start, to: time + 1, after: last && summaryOf(last).position },
  ]);
});

test('between two consumers what neither waits for is not read', async () => {
  const start = time - 100_000;
  const { asked, found } = await waitingIn(
    [
      acceptedFor('waits', start + 1, ['cone']),
      ...series('near', start + 2, { count: 200, to: 'cnone' }),
      acceptedFor('two', time - 1, ['ctwo']),
    ],
    [
      { connection: 'cone', front: start },
      { connection: 'ctwo', front: time - 2 },
    ],
  );
  expect(found).toEqual({ cone: start + 1, ctwo: time - 1 });
  expect(asked).toEqual([
    { from: start, to: time + 1 },
    { from: time - 2, to: time + 1 },
  ]);
});

test('after eight full pages nobody looks further', async () => {
  const start = time - 100_000;
  const many = series('many', start + 1, { count: 800, to: 'cnone' });
  const { found, asked } = await waitingIn(
    [...many, acceptedFor('waits', time, ['cone'])],
    [{ connection: 'cone', front: start }],
  );
  expect(found).toEqual({});
  expect(asked).toHaveLength(8);
});

test('a page covers ten minutes of messages, and any number of other lines', () => {
  const message = (at: number) => {
    const one = acceptedFor(`at-${at}`, at, []);
    return { at, summary: summaryOf(one) as ArchiveSummary };
  };
  const lineAt = (at: number, isMessage = true) =>
    (isMessage ? message(at) : { at }) as Parameters<typeof withinMinutes>[0][number];
  const first = Math.floor(time / minute) * minute;
  const ten = Array.from({ length: 10 }, (_, at) => lineAt(first - at * minute));
  const sameMinute = lineAt(first - 9 * minute + 1);
  const notAMessage = lineAt(first - 50 * minute, false);
  const eleventh = lineAt(first - 10 * minute);
  const lines = [...ten, sameMinute, notAMessage];
  expect(withinMinutes(lines)).toEqual(lines);
  expect(withinMinutes([...lines, eleventh, notAMessage])).toEqual(lines);
});

test('consumers who have not acknowledged are first, each with its own copy', () => {
  const one = acceptedFor('one', time, ['cdone', 'cwaits', 'cother']);
  const receive = { messageId: one.messageId, replay: undefined, connection: 'cdone' };
  const done = { ...receive, at: time + 10, acknowledgedAt: time + 25 };
  const receives = [
    done,
    // Of another message, and of a replayed copy.
    { ...done, messageId: 'mother', connection: 'cwaits' },
    { ...done, connection: 'cother', replay: 'rreplay' },
  ] as unknown as Parameters<typeof consumersOf>[1]['receives'];
  expect(consumersOf(one, { receives, now: time + 100 })).toEqual([
    { connection_id: 'cwaits', state: 'queued' },
    { connection_id: 'cother', state: 'queued' },
    { connection_id: 'cdone', state: 'acknowledged', latency_ms: 25 },
  ]);
});

test('clocks that differ give no latency below nothing', () => {
  const one = acceptedFor('one', time, ['cdone']);
  const receives = [
    { messageId: one.messageId, connection: 'cdone', at: time, acknowledgedAt: time - 5 },
  ] as unknown as Parameters<typeof consumersOf>[1]['receives'];
  expect(consumersOf(one, { receives, now: time + 100 })[0]?.latency_ms).toBe(0);
});
