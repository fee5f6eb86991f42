import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../contract/limits.ts';
import { takeoverTime } from '../../domain/delivery/lease.ts';
import type { Entry, Head, Lease } from '../../domain/delivery/log.ts';
import type { Correlation, Log } from '../../ports.ts';
import { holds } from './holds.ts';
import { entryKey, headKey, readEntry, readHead } from './ledger-items.ts';
import type { Table } from './table.ts';

/** One page: DynamoDB ends it earlier at 1 MB. */
const entries = async (
  table: Table,
  log: Correlation,
  range: readonly [number, number],
): Promise<readonly Entry[]> => {
  const [from, to] = range.map(number => entryKey(log, number));
  const query = new QueryCommand({
    TableName: table.name,
    ConsistentRead: true,
    Limit: limits.entriesPerPage,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': from?.pk, ':from': from?.sk, ':to': to?.sk },
  });
  return ((await table.client.send(query)).Items ?? []).map(readEntry);
};

const acquired = async (
  table: Table,
  log: Correlation,
  facts: { readonly lease: Lease; readonly now: number },
): Promise<Head | undefined> => {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: headKey(log),
    UpdateExpression: 'SET lease_owner = :owner, lease_until = :until',
    ConditionExpression:
      'published < #last AND (attribute_not_exists(lease_owner) OR lease_until <= :over OR lease_owner = :owner)',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: {
      ':owner': facts.lease.owner,
      ':until': facts.lease.until,
      ':over': takeoverTime(facts.now),
    },
    ReturnValues: 'ALL_NEW',
  });
  try {
    return readHead((await table.client.send(update)).Attributes);
  } catch (fault) {
    if (fault instanceof ConditionalCheckFailedException) return undefined;
    throw fault;
  }
};

/** Gives the lease back where nothing is left to send: the log is pending no more. */
const releasedAll = (table: Table, log: Correlation, facts: { owner: string; published: number }) =>
  holds(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(log),
        UpdateExpression:
          'SET published = :published REMOVE lease_owner, lease_until, pending, pending_since',
        ConditionExpression: 'lease_owner = :owner AND #last = :published',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':owner': facts.owner, ':published': facts.published },
      }),
    ),
  );

/** Gives the lease back where something is left to send: when the log moved, its wait begins anew. */
const releasedPart = (
  table: Table,
  log: Correlation,
  facts: { owner: string; published: number; now: number },
) =>
  holds(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(log),
        UpdateExpression: 'SET published = :published, pending_since = :now REMOVE lease_owner, lease_until',
        ConditionExpression: 'lease_owner = :owner AND published < :published',
        ExpressionAttributeValues: {
          ':owner': facts.owner,
          ':published': facts.published,
          ':now': facts.now,
        },
      }),
    ),
  );

/** Gives the lease back where nothing was sent. */
const releasedUnmoved = (table: Table, log: Correlation, owner: string) =>
  holds(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(log),
        UpdateExpression: 'REMOVE lease_owner, lease_until',
        ConditionExpression: 'lease_owner = :owner',
        ExpressionAttributeValues: { ':owner': owner },
      }),
    ),
  );

/** The part of the ledger that delivery works on, in DynamoDB. */
export const awsLog = (table: Table): Log => ({
  async head(log) {
    const get = new GetCommand({ TableName: table.name, Key: headKey(log), ConsistentRead: true });
    return readHead((await table.client.send(get)).Item);
  },

  entries: (log, from, to) => entries(table, log, [from, to]),

  acquire: (log, lease, now) => acquired(table, log, { lease, now }),

  /** One update as a rule; a log that grew or did not move meanwhile takes another. */
  async release(log, { owner }, { published, now }) {
    return (
      (await releasedAll(table, log, { owner, published })) ||
      (await releasedPart(table, log, { owner, published, now })) ||
      releasedUnmoved(table, log, owner)
    );
  },

  async skip(entry, connections) {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: entryKey(entry, entry.number),
        UpdateExpression: 'ADD skipped :connections',
        ExpressionAttributeValues: { ':connections': new Set(connections) },
      }),
    );
  },
});
