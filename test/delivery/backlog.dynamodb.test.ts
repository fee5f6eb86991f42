import { marshall } from '@aws-sdk/util-dynamodb';
import { awsBacklog } from '../../lib/delivery/log.dynamodb.ts';
import { tableAnswering } from '../support/fakes/aws-clients.ts';

test('the count of the backlog adds up all pages, each from where the last one ended', async () => {
  const pages = [
    { Count: 700, LastEvaluatedKey: marshall({ pk: 'a' }) },
    { Count: 0, LastEvaluatedKey: marshall({ pk: 'b' }) },
    { Count: 42 },
  ];
  const asked: unknown[] = [];
  const table = tableAnswering(async command => {
    asked.push((command as { input: { ExclusiveStartKey?: unknown } }).input.ExclusiveStartKey);
    return pages[asked.length - 1];
  });
  expect(await awsBacklog(table).count()).toBe(742);
  expect(asked).toEqual([undefined, marshall({ pk: 'a' }), marshall({ pk: 'b' })]);
});
