import { createHash } from 'node:crypto';
import { type Item, itemReader, putItem, queryPage, type Table } from '../aws/table.ts';
import type { Accepted, StoryTitle, TitlePage } from './records.ts';

/** The partition of a workspace's stories, each with the title of its last snapshot. */
const titlesKey = (workspace: string): string => `TITLES#${workspace}`;

/** Notes the title of an accepted snapshot, in place of that of the one before. */
export const putTitle = async (
  table: Table,
  { workspace, at, title }: Accepted,
  expiresAt: number,
): Promise<void> => {
  if (!title) return;
  const { storyId, correlationId, headline, slug } = title;
  await putItem(table, {
    Item: {
      pk: titlesKey(workspace),
      sk: createHash('sha256').update(storyId).digest('base64url'),
      story_id: storyId,
      correlation_id: correlationId,
      at,
      expires_at: expiresAt,
      ...(headline === undefined ? {} : { headline }),
      ...(slug === undefined ? {} : { slug }),
    },
  });
};

const readTitle = (item: Item): StoryTitle & { readonly at: number } => {
  const read = itemReader(item);
  return {
    storyId: read.text('story_id'),
    correlationId: read.text('correlation_id'),
    at: read.number('at'),
    ...(read.has('headline') ? { headline: read.text('headline') } : {}),
    ...(read.has('slug') ? { slug: read.text('slug') } : {}),
  };
};

/** One page of the table, a megabyte of titles. */
export const readTitles = async (table: Table, workspace: string, after?: string): Promise<TitlePage> => {
  const pk = titlesKey(workspace);
  const page = await queryPage(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ...(after === undefined ? {} : { ExclusiveStartKey: { pk, sk: after } }),
  });
  const next = page.next && itemReader(page.next).text('sk');
  return { titles: page.items.map(readTitle), ...(next === undefined ? {} : { next }) };
};
