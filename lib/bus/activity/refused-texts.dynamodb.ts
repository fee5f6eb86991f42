import { isUtf8 } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { daySeconds, limits } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import { holds } from '../../platform/aws/many-items.ts';
import {
  deleteItem,
  getItem,
  type Item,
  itemReader,
  putItem,
  type Table,
} from '../../platform/aws/table.ts';
import type { RefusalKey, RefusedPublish, RefusedTexts } from './records.ts';

/*
 * The texts of refused messages, for a day, if the organisation of their producer wants that. Its
 * wish stands here too: whoever records a refusal reads no other table.
 */

const keepsKey = (organisation: string) => ({ pk: `KEEPS#${organisation}`, sk: 'REFUSED' });

const textKey = ({ connection, at, messageId }: RefusalKey) => ({
  pk: `TEXT#${connection}`,
  sk: `${iso(at)}#${messageId ?? ''}`,
});

const keptSince = async (table: Table, organisation: string): Promise<number | undefined> => {
  const item = await getItem(table, { Key: keepsKey(organisation), ConsistentRead: true });
  return item && itemReader(item).number('since');
};

/** The item that keeps the text of a refusal, if it is to be kept. */
export const textItems = async (
  table: Table,
  { connection, at, message: { messageId }, text }: RefusedPublish,
): Promise<readonly Item[]> => {
  if (!text || text.body.length > limits.refusedTextBytes || !isUtf8(text.body)) return [];
  if ((await keptSince(table, text.organisation)) === undefined) return [];
  const expires_at = Math.ceil(at / 1000) + daySeconds;
  return [
    { ...textKey({ connection, at, messageId }), body: deflateRawSync(text.body), expires_at },
  ];
};

/** The texts of refused messages in DynamoDB. */
export const awsRefusedTexts = (table: Table): RefusedTexts => ({
  keptSince: organisation => keptSince(table, organisation),

  async setKeeps(organisation, { keep, now }) {
    const key = keepsKey(organisation);
    if (!keep) return deleteItem(table, { Key: key });

    // What another owner has switched on stays on since then.
    const put = putItem(table, {
      Item: { ...key, since: now },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    await holds(put);
  },

  async find(refusal, now) {
    const item = await getItem(table, { Key: textKey(refusal), ConsistentRead: true });
    if (!item) return undefined;
    const read = itemReader(item);
    // DynamoDB deletes expired items within days.
    if (read.number('expires_at') * 1000 <= now) return undefined;
    return inflateRawSync(read.bytes('body'));
  },
});
