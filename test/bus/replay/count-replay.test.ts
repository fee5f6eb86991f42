import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { countReplay } from '../../../lib/bus/replay/count-replay.ts';
import type { ArchiveSummary } from '../../../lib/bus/replay/replay.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { correlation, entry, time } from '../../support/entries.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
const range = { from: time - 3_600_000, to: time };

const entryAt = (number: number): Entry =>
  entry(`message-${number}`, {
    workspace: consumer.workspace,
    correlationId: correlation(number % 7),
    number,
    messageType: number % 2 === 0 ? 'link.committed' : 'story.context',
    acceptedAt: range.from + number,
    targets: [],
  });

/** An archive of so many entries, each read of which takes some milliseconds. */
const portsOver = (count: number, milliseconds = 0) => {
  const clock = frozenClock(time);
  const all = Array.from({ length: count }, (_, at) => entryAt(at + 1));
  const summaryOf = (entry: Entry): ArchiveSummary => ({
    ...entry,
    position: String(entry.number).padStart(9, '0'),
  });
  return {
    clock,
    archiveDays: 30,
    connections: {
      find: async () => ({ connection: consumer, credential: { version: 1 } }),
    },
    log: { head: async () => ({ last: count, published: count }), entries: async () => all },
    archive: {
      page: async ({ after = '' }: { readonly after?: string }, max: number) => {
        clock.advance(milliseconds);
        return all
          .map(summaryOf)
          .filter(({ position }) => position > after)
          .slice(0, max);
      },
      entries: async (_workspace: string, summaries: readonly ArchiveSummary[]) =>
        summaries.map(summary => ({ summary, entry: entryAt(summary.number) })),
    },
  };
};

test('counts what the consumer would get, all of it where it is little', async () => {
  expect(await countReplay(portsOver(250), consumer.id, range)).toEqual({
    kind: 'counted',
    messages: 250,
  });
  const links = { ...range, type: 'link.*' };
  expect(await countReplay(portsOver(250), consumer.id, links)).toEqual({
    kind: 'counted',
    messages: 125,
  });
});

test('looks at a thousand entries at most, and says how far it came', async () => {
  expect(await countReplay(portsOver(5_000), consumer.id, range)).toEqual({
    kind: 'counted',
    messages: 1_000,
    until: range.from + 1_000,
  });
});

test('takes five seconds at most', async () => {
  const counted = await countReplay(portsOver(5_000, 2_000), consumer.id, range);
  expect(counted).toEqual({ kind: 'counted', messages: 200, until: range.from + 200 });
});
