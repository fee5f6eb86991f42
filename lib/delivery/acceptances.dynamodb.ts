import { batchGet } from '../aws/many-items.ts';
import { getItem, itemReader, type Table } from '../aws/table.ts';
import {
  entryKey,
  headKey,
  idKey,
  readEntry,
  readFacts,
  readHead,
  readPlacement,
  storyKey,
} from './ledger-items.dynamodb.ts';
import type { Acceptance, Acceptances } from './log.ts';

/** Accepted messages in the ledger's table, read consistently: two calls, three for a message that waits. */
export const awsAcceptances = (table: Table): Acceptances => ({
  async find(workspace, messageId): Promise<Acceptance | undefined> {
    const id = await getItem(table, { Key: idKey(workspace, messageId), ConsistentRead: true });
    if (!id) return undefined;
    const [correlationId, number] = [itemReader(id).text('correlation_id'), itemReader(id).number('number')];
    const correlation = { workspace, correlationId };
    const items = await batchGet(table, [entryKey(correlation, number), headKey(correlation)]);
    const item = items.find(({ sk }) => sk !== 'HEAD');
    if (!item) return undefined;
    const head = readHead(items.find(({ sk }) => sk === 'HEAD'));
    const accepted = { entry: readEntry(item), placements: readPlacement(item, head) };
    if (number <= head.published) return accepted;
    const [first] = await batchGet(table, [entryKey(correlation, head.published + 1)]);
    return first ? { ...accepted, firstUnsent: readFacts(first).messageId } : accepted;
  },

  async correlationOf(workspace, storyId) {
    const story = await getItem(table, { Key: storyKey(workspace, storyId), ConsistentRead: true });
    return story && itemReader(story).text('correlation_id');
  },
});
