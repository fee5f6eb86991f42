import { daySeconds, limits } from '../../contract/limits.ts';
import { type Ids, iso, randomName } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import { type Item, itemReader, putItem, queryAll, type Table } from '../../platform/aws/table.ts';
import { readPerson } from './directory.dynamodb.ts';
import type { Change, Changes } from './noting.ts';

export const changesPartition = (organisation: string): string => `CHANGES#${organisation}`;

const readFacts = (value: unknown): Change['facts'] =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, fact]) => [name, String(fact)]));

const readChange = (item: Item): Change & { position: string } => {
  const read = itemReader(item);
  return {
    organisation: read.text('pk').slice(changesPartition('').length),
    at: read.number('at'),
    by: read.has('issuer') ? readPerson(item) : undefined,
    what: read.text('what'),
    facts: readFacts(item['facts']),
    position: read.text('sk'),
  };
};

export const awsChanges = (table: Table, ids: Ids): Changes => ({
  async note({ organisation, at, by, what, facts }) {
    await putItem(table, {
      Item: {
        pk: changesPartition(organisation),
        sk: `${iso(at)}#${randomName(ids)}`,
        at,
        what,
        facts,
        ...(by && { issuer: by.issuer, subject: by.subject, name: by.name }),
        expires_at: Math.ceil(at / 1000) + limits.changesKeptDays * daySeconds,
      },
    });
  },

  // Every position begins with a year: `0` is before all of them, and `~` after.
  async of(organisation, { max, before = '~', after = '0' }) {
    // DynamoDB refuses a BETWEEN whose ends are reversed, and includes both of them.
    if (after >= before) return [];
    const Limit = max + 2;
    const pk = changesPartition(organisation);
    const query = {
      ConsistentRead: true,
      KeyConditionExpression: expr`pk = ${pk} AND sk BETWEEN ${after} AND ${before}`,
      ScanIndexForward: false,
      Limit,
    };
    const changes = (await queryAll(table, query, Limit)).map(readChange);
    return changes
      .filter(({ position }) => position !== before && position !== after)
      .slice(0, max);
  },
});
