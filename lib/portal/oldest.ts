import { dayMilliseconds } from '../contract/limits.ts';
import type { Archive } from '../replay/replay.ts';

/** A consumer with messages, and when the last one that it acknowledged was accepted (epoch milliseconds), if that is known. */
export interface Behind {
  readonly connection: string;
  readonly front?: number | undefined;
}

const pageSize = 100;

/** Each page is two reads. */
const maxPages = 8;

/**
 * When the first message was accepted that each of some consumers got after the last one that it acknowledged: the oldest that waits, if
 * the consumer takes them in order. The archive is read once for all of them, from the one that is furthest behind. A consumer is
 * missing from the response if that is too far to look.
 */
export const oldestWaiting = async (
  archive: Archive,
  { workspace, now }: { readonly workspace: string; readonly now: number },
  consumers: readonly Behind[],
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  const open = new Map(
    consumers.map(({ connection, front }) => [connection, front ?? now - dayMilliseconds]),
  );
  let after: string | undefined;
  for (let pages = 0; pages < maxPages && open.size > 0; pages += 1) {
    const from = Math.min(...open.values());
    // Between two consumers there may be much that neither waits for.
    const begin = after === undefined || Date.parse(after.slice(0, 24)) < from ? {} : { after };
    const summaries = await archive.page({ workspace, from, to: now + 1, ...begin }, pageSize);
    for (const { entry } of await archive.entries(workspace, summaries))
      for (const { connection } of entry.targets) {
        if (entry.acceptedAt <= (open.get(connection) ?? Number.POSITIVE_INFINITY)) continue;
        found.set(connection, entry.acceptedAt);
        open.delete(connection);
      }
    after = summaries.at(-1)?.position;
    if (summaries.length < pageSize) break;
  }
  return found;
};
