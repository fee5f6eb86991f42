import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { deleteItem, partUnder, queryWithin } from '../../../lib/platform/aws/table.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';

/** A table whose query has so many pages, each with two items; and where each page began. */
const pagesOf = (count: number) => {
  const starts: unknown[] = [];
  const table = tableAnswering(({ input }) => {
    starts.push((input as QueryCommandInput).ExclusiveStartKey);
    const page = starts.length;
    const items = [marshall({ sk: `${page}a` }), marshall({ sk: `${page}b` })];
    return page < count ? { Items: items, LastEvaluatedKey: items[1] } : { Items: items };
  });
  const read = async (max: number, pages: number) => {
    const query = { KeyConditionExpression: expr`pk = ${'p'}` };
    const { items, isCut } = await queryWithin(table, query, { max, pages });
    return { items: items.map(({ sk }) => sk), isCut };
  };
  return { starts, read };
};

describe('a query within bounds', () => {
  test('reads its pages to the end, each from where the last one ended', async () => {
    const { starts, read } = pagesOf(3);
    const items = ['1a', '1b', '2a', '2b', '3a', '3b'];
    expect(await read(100, 100)).toEqual({ items, isCut: false });
    expect(starts).toEqual([undefined, marshall({ sk: '1b' }), marshall({ sk: '2b' })]);
  });

  test('reads no more pages than it may, and says that more are left', async () => {
    const { starts, read } = pagesOf(5);
    expect(await read(100, 2)).toEqual({ items: ['1a', '1b', '2a', '2b'], isCut: true });
    expect(starts).toHaveLength(2);
  });

  test('ends with the page that has the last item it wants, and is not cut then', async () => {
    const { starts, read } = pagesOf(5);
    expect(await read(4, 100)).toEqual({ items: ['1a', '1b', '2a', '2b'], isCut: false });
    expect(starts).toHaveLength(2);
    expect(await pagesOf(5).read(3, 100)).toEqual({ items: ['1a', '1b', '2a'], isCut: false });
  });
});

test('an item is deleted when the table says so, and not before', async () => {
  const failing = tableAnswering(() => {
    throw new Error('throttled');
  });
  await expect(deleteItem(failing, { Key: { pk: 'p' } })).rejects.toThrow('throttled');
});

test('a part of an index is read from the index, which has no consistent reads', async () => {
  const asked: unknown[] = [];
  const table = tableAnswering(({ input }) => {
    asked.push(input);
    return { Items: [] };
  });
  const part = { parent: 'w1', prefix: 'CONNECTION#' };
  await partUnder(table, { ...part, index: 'children' as never }, { after: undefined, max: 5 });
  await partUnder(table, part, { after: undefined, max: 5 });
  expect(asked).toMatchObject([
    { IndexName: 'children', ConsistentRead: false, Limit: 5 },
    { ConsistentRead: true, Limit: 5 },
  ]);
  expect(asked[1]).not.toHaveProperty('IndexName', expect.anything());
});
