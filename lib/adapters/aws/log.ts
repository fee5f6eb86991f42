import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { limits } from '../../contract/limits.ts';
import { takeoverTime } from '../../domain/delivery/lease.ts';
import type { Entry, Head, Lease, Progress } from '../../domain/delivery/log.ts';
import type { Correlation, Log } from '../../ports/log.ts';
import { despiteTransactions } from './despite-transactions.ts';
import { holds } from './holds.ts';
import { getItem, queryPage, type Update, updatedItem, updateItem } from './item-calls.ts';
import { entryKey, headKey, readEntry, readHead } from './ledger-items.ts';
import type { Table } from './table.ts';

/** One page: DynamoDB ends it earlier at 1 MB. */
const entries = async (
  table: Table,
  log: Correlation,
  range: readonly [number, number],
): Promise<readonly Entry[]> => {
  const [from, to] = range.map(number => entryKey(log, number));
  const page = await queryPage(table, {
    ConsistentRead: true,
    Limit: limits.entriesPerPage,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': from?.pk, ':from': from?.sk, ':to': to?.sk },
  });
  return page.items.map(readEntry);
};

const acquired = async (
  table: Table,
  log: Correlation,
  facts: { readonly lease: Lease; readonly now: number },
): Promise<Head | undefined> => {
  const update: Update = {
    Key: headKey(log),
    UpdateExpression: 'SET lease_owner = :owner, lease_until = :until',
    ConditionExpression:
      'published < #last AND (attribute_not_exists(lease_owner) OR lease_until <= :over OR (lease_owner = :owner AND lease_until < :until))',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: {
      ':owner': facts.lease.owner,
      ':until': facts.lease.until,
      ':over': takeoverTime(facts.now),
    },
  };
  try {
    return readHead(await despiteTransactions(() => updatedItem(table, update)));
  } catch (fault) {
    if (fault instanceof ConditionalCheckFailedException) return undefined;
    throw fault;
  }
};

/**
 * An update of the head by the holder of a lease. Its end counts as well as its owner: a release that arrives late
 * must not end the lease that its owner took anew.
 */
const asHolder = (
  table: Table,
  log: Correlation,
  { lease, set, remove = '', only, names, values }: HolderUpdate,
): Promise<boolean> => {
  const update: Update = {
    Key: headKey(log),
    UpdateExpression: `${set} REMOVE lease_owner, lease_until${remove}`,
    ConditionExpression: `lease_owner = :owner AND lease_until = :until${only}`,
    ...(names ? { ExpressionAttributeNames: names } : {}),
    ExpressionAttributeValues: { ':owner': lease.owner, ':until': lease.until, ...values },
  };
  return holds(despiteTransactions(() => updateItem(table, update)));
};

interface HolderUpdate {
  readonly lease: Lease;
  readonly set: string;
  readonly remove?: string;
  readonly only: string;
  readonly names?: Record<string, string>;
  readonly values: Readonly<Record<string, number>>;
}

/** One update as a rule: a log that grew meanwhile, or did not move to its end, stays pending. */
const release = async (
  table: Table,
  log: Correlation,
  { lease, published, unsentSince, nextTry }: Progress & { readonly lease: Lease },
): Promise<boolean> => {
  const ended = {
    lease,
    set: 'SET published = :published',
    remove: ', pending, pending_since, unsent_since',
    only: ' AND #last = :published',
    names: { '#last': 'last' },
    values: { ':published': published },
  };
  const left = {
    lease,
    set: 'SET published = :published, pending_since = :next, unsent_since = :since',
    only: ' AND published <= :published',
    values: { ':published': published, ':next': nextTry, ':since': unsentSince },
  };
  return (await asHolder(table, log, ended)) || asHolder(table, log, left);
};

/** An entry that was deleted meanwhile must not come back as an item of this attribute alone. */
const noteTargets = async (
  table: Table,
  entry: Entry,
  { attribute, connections }: { attribute: 'reached' | 'skipped'; connections: readonly string[] },
): Promise<void> => {
  const update: Update = {
    Key: entryKey(entry, entry.number),
    UpdateExpression: `ADD ${attribute} :connections`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':connections': new Set(connections) },
  };
  await holds(despiteTransactions(() => updateItem(table, update)));
};

/** The part of the ledger that delivery works on, in DynamoDB. */
export const awsLog = (table: Table): Log => ({
  async head(log) {
    return readHead(await getItem(table, { Key: headKey(log), ConsistentRead: true }));
  },

  entries: (log, from, to) => entries(table, log, [from, to]),

  acquire: (log, lease, now) => acquired(table, log, { lease, now }),

  release: (log, lease, progress) => release(table, log, { lease, ...progress }),

  /** In the head, whose place in the log outlives the entry's. So many at most: every publish reads and writes the head. */
  async lose(log, number) {
    const update: Update = {
      Key: headKey(log),
      UpdateExpression: 'ADD lost :number',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(lost) OR size(lost) < :most)',
      ExpressionAttributeValues: { ':number': new Set([number]), ':most': limits.lostNumbers },
    };
    await holds(despiteTransactions(() => updateItem(table, update)));
  },

  reach: (entry, connections) => noteTargets(table, entry, { attribute: 'reached', connections }),

  skip: (entry, connections) => noteTargets(table, entry, { attribute: 'skipped', connections }),
});
