import { createHash } from 'node:crypto';
import { entryItem, headKey, idItem } from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { type Entry, emptyHead } from '../../../lib/bus/delivery/log.ts';
import { batchPut } from '../../../lib/platform/aws/many-items.ts';
import type { Item, Table } from '../../../lib/platform/aws/table.ts';

const archiveDays = 30;

/** The head of a log whose entries all are in their queues. */
const headItem = (last: Entry): Item => ({
  ...headKey(last),
  last: last.number,
  published: last.number,
  last_accepted_at: last.acceptedAt,
});

/**
 * Writes what commits and deliveries of accepted messages leave in the ledger, without their
 * transactions.
 */
export const writeEntries = async (ledger: Table, entries: readonly Entry[]): Promise<void> => {
  const heads = new Map(entries.map(entry => [entry.correlationId, headItem(entry)]));
  const items = entries.flatMap(entry => {
    const bodyHash = createHash('sha256').update(entry.body).digest('base64url');
    const commit = { entry, bodyHash, attempt: 'scene', head: emptyHead };
    return [entryItem(entry, archiveDays), idItem(commit, archiveDays)];
  });
  await batchPut(ledger, [...items, ...heads.values()]);
};
