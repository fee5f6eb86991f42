import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../domain/delivery/log.ts';
import type { Correlation, Log } from '../../ports.ts';
import { holds } from './holds.ts';
import { entryKey, headKey, readEntry, readHead } from './ledger-items.ts';
import type { Table } from './table.ts';

/** A page of a query holds 1 MB at most: what is missing is fetched with the next call. */
const page = async (
  table: Table,
  log: Correlation,
  range: readonly [number, number],
): Promise<readonly Entry[]> => {
  const [from, to] = range.map(number => entryKey(log, number));
  const query = new QueryCommand({
    TableName: table.name,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': from?.pk, ':from': from?.sk, ':to': to?.sk },
  });
  return ((await table.client.send(query)).Items ?? []).map(readEntry);
};

/** Gives the lease back; with `all`, only where nothing is left to send, which also ends `pending`. */
const released = (
  table: Table,
  log: Correlation,
  facts: { owner: string; published: number; all: boolean },
) =>
  holds(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(log),
        UpdateExpression: `SET published = :published REMOVE lease_owner, lease_until${facts.all ? ', pending, pending_since' : ''}`,
        ConditionExpression: `lease_owner = :owner${facts.all ? ' AND #last = :published' : ''}`,
        ...(facts.all ? { ExpressionAttributeNames: { '#last': 'last' } } : {}),
        ExpressionAttributeValues: { ':owner': facts.owner, ':published': facts.published },
      }),
    ),
  );

/** The part of the ledger that delivery works on, in DynamoDB. */
export const awsLog = (table: Table): Log => ({
  async head(log) {
    const get = new GetCommand({ TableName: table.name, Key: headKey(log), ConsistentRead: true });
    return readHead((await table.client.send(get)).Item);
  },

  entries: (log, from, to) => page(table, log, [from, to]),

  async acquire(log, { owner, until }, now) {
    const update = new UpdateCommand({
      TableName: table.name,
      Key: headKey(log),
      UpdateExpression: 'SET lease_owner = :owner, lease_until = :until',
      ConditionExpression:
        'attribute_exists(pk) AND (attribute_not_exists(lease_owner) OR lease_until <= :now)',
      ExpressionAttributeValues: { ':owner': owner, ':until': until, ':now': now },
      ReturnValues: 'ALL_NEW',
    });
    try {
      return readHead((await table.client.send(update)).Attributes);
    } catch (fault) {
      if (fault instanceof ConditionalCheckFailedException) return undefined;
      throw fault;
    }
  },

  async release(log, { owner }, published) {
    const facts = { owner, published };
    return (
      (await released(table, log, { ...facts, all: true })) || released(table, log, { ...facts, all: false })
    );
  },
});
