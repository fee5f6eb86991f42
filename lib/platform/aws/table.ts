import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Part } from '../../contract/outside.ts';
import type { IndexName } from '../../contract/tables.ts';
import { attribute, type Expression, expr, isExpression } from './expression.ts';

export interface Reader {
  readonly gone?: AbortSignal;
  isLate(): boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Reads for somebody: everything that `work` does in turn belongs to it. */
export const readingFor = <Result>(reader: Reader, work: () => Promise<Result>): Promise<Result> =>
  readers.run(reader, work);

/**
 * Nobody waits for a response any more. Callers can bring this about: it says nothing about the
 * code that reads.
 */
export class ReadingStopped extends Error {}

/**
 * Throws if nobody waits for what would be read next: every page of a table and every look at a
 * queue asks this first. Engines in this process answer within one turn of the event loop, which
 * would hear neither that the caller left nor anybody else meanwhile.
 */
export const mustStillRead = async (): Promise<void> => {
  const reader = readers.getStore();
  if (reader?.gone) await setImmediate();
  if (reader?.gone?.aborted) throw new ReadingStopped('The caller is gone: nothing more is read.');
  if (reader?.isLate())
    throw new ReadingStopped("The request's time is over: nothing more is read.");
};

export interface Table {
  readonly client: DynamoDBClient;
  readonly name: string;
}

/** What stands in a key for a text of any length, with any character. */
export const keyDigest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');

/** Whether an error is the named exception of an AWS service. */
export const isAwsError = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);

/** What a call of an AWS service returns; undefined if it fails with one of these exceptions. */
export const unlessError = async <T>(
  call: Promise<T>,
  ...names: readonly string[]
): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isAwsError(error, ...names)) return undefined;
    throw error;
  }
};

/*
 * DynamoDB's calls on one table, with plain values for typed ones. The SDK's own document client
 * does the same, but takes twice the processor time per call: its commands cannot share their
 * middleware (`cacheMiddleware` in clients.ts).
 */

/**
 * An item, a key or named values, as plain JavaScript: text, numbers, bytes, lists, sets of text,
 * maps.
 */
export type Item = Readonly<Record<string, unknown>>;

interface Expressions {
  readonly ConditionExpression?: Expression | string;
}

export interface Put extends Expressions {
  readonly Item: Item;
}

export interface Delete extends Expressions {
  readonly Key: Item;
}

export interface Update extends Delete {
  readonly UpdateExpression: Expression | string;
}

interface Check extends Delete {
  readonly ConditionExpression: Expression | string;
}

interface Query {
  readonly IndexName?: IndexName | undefined;
  readonly KeyConditionExpression: Expression | string;
  readonly ConsistentRead?: boolean;
  readonly Limit?: number | undefined;
  readonly Select?: 'COUNT';
  readonly ExclusiveStartKey?: Item | undefined;
  readonly ScanIndexForward?: boolean;
}

type Written<Call> = {
  readonly [Name in keyof Call]: Name extends `${string}Expression` ? string : Call[Name];
};

/** A call as DynamoDB takes it: its expressions as text, with their names and values apart. */
const on = <Call extends object>({ name }: Table, call: Call) => {
  const values: Record<string, unknown> = {};
  const placeholder = (value: unknown): string => {
    const key = `:v${Object.keys(values).length}`;
    values[key] = value;
    return key;
  };
  const names: Record<string, string> = {};
  const members = Object.entries(call).map(([member, value]) => {
    if (!isExpression(value)) return [member, value];
    const text = value(placeholder);
    for (const [word, attribute = ''] of text.matchAll(/#(\w+)/g)) names[word] = attribute;
    return [member, text];
  });
  return {
    ...(Object.fromEntries(members) as Written<Call>), // the same members, expressions as text
    TableName: name,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshall(values) }),
  };
};

const put = (table: Table, { Item: item, ...rest }: Put) => ({
  ...on(table, rest),
  Item: marshall(item),
});

const at = <Call extends object>(table: Table, { Key, ...rest }: Call & { Key: Item }) => ({
  ...on(table, rest),
  Key: marshall(Key),
});

export type TableWrite =
  | { readonly Put: Put }
  | { readonly Update: Update }
  | { readonly Delete: Delete }
  | { readonly ConditionCheck: Check };

export const getItem = async (
  table: Table,
  call: { Key: Item; ConsistentRead: boolean },
): Promise<Item | undefined> => {
  const { Item: item } = await table.client.send(new GetItemCommand(at(table, call)));
  return item && unmarshall(item);
};

/** What is stored under a key now; undefined if nothing is. */
export const findItem = async <T>(
  table: Table,
  Key: Item,
  read: (item: Item) => T,
): Promise<T | undefined> => {
  const item = await getItem(table, { Key, ConsistentRead: true });
  return item && read(item);
};

export const putItem = async (table: Table, call: Put): Promise<void> => {
  await table.client.send(new PutItemCommand(put(table, call)));
};

export const updateItem = async (table: Table, call: Update): Promise<void> => {
  await table.client.send(new UpdateItemCommand(at(table, call)));
};

/**
 * Updates an item, unless its condition does not hold: then returns the item as it is, which is
 * empty if there is none.
 */
export const updateOrFind = async (table: Table, call: Update): Promise<Item | undefined> => {
  const found = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  try {
    await table.client.send(new UpdateItemCommand({ ...at(table, call), ...found }));
    return undefined;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return unmarshall(error.Item ?? {});
    throw error;
  }
};

export const updatedItem = async (table: Table, call: Update): Promise<Item> => {
  const command = new UpdateItemCommand({ ...at(table, call), ReturnValues: 'ALL_NEW' });
  return unmarshall((await table.client.send(command)).Attributes ?? {});
};

export const deleteItem = async (table: Table, call: Delete): Promise<void> => {
  await table.client.send(new DeleteItemCommand(at(table, call)));
};

export const queryPage = async (
  table: Table,
  { ExclusiveStartKey: from, ...query }: Query,
): Promise<{ items: readonly Item[]; count: number; next?: Item }> => {
  await mustStillRead();
  const start = from && { ExclusiveStartKey: marshall(from) };
  const page = await table.client.send(new QueryCommand({ ...on(table, query), ...start }));
  const next = page.LastEvaluatedKey && unmarshall(page.LastEvaluatedKey);
  const items = (page.Items ?? []).map(item => unmarshall(item));
  return { items, count: page.Count ?? 0, ...(next && { next }) };
};

/** Writes all or nothing; a TransactionCanceledException has a code for each write, in order. */
export const transactWrite = async (table: Table, writes: readonly TableWrite[]): Promise<void> => {
  const TransactItems = writes.map(write => {
    if ('Put' in write) return { Put: put(table, write.Put) };
    if ('Update' in write) return { Update: at(table, write.Update) };
    if ('Delete' in write) return { Delete: at(table, write.Delete) };
    return { ConditionCheck: at(table, write.ConditionCheck) };
  });
  await table.client.send(new TransactWriteItemsCommand({ TransactItems }));
};

interface ReadBounds {
  readonly max: number;
  /** A page has at most a mebibyte, whatever its items are. */
  readonly pages: number;
}

/** Items of a query, within bounds; `isCut` if the pages ended it before `max` items were found. */
export const queryWithin = async (
  table: Table,
  query: Query,
  { max, pages }: ReadBounds,
): Promise<{ items: readonly Item[]; isCut: boolean }> => {
  const items: Item[] = [];
  let from: Item | undefined;
  let read = 0;
  do {
    const page = await queryPage(table, { ...query, ExclusiveStartKey: from });
    items.push(...page.items);
    from = page.next;
    read += 1;
  } while (from && items.length < max && read < pages);
  return { items: items.slice(0, max), isCut: from !== undefined && items.length < max };
};

export const queryAll = async (
  table: Table,
  query: Query,
  max: number = Number.POSITIVE_INFINITY,
): Promise<readonly Item[]> => {
  const { items } = await queryWithin(table, query, { max, pages: Number.POSITIVE_INFINITY });
  return items;
};

export const itemsUnder = (table: Table, pk: string, prefix: string): Promise<readonly Item[]> =>
  queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: expr`pk = ${pk} AND begins_with(sk, ${prefix})`,
  });

export const queryChildren = (
  table: Table,
  index: IndexName,
  { parent, prefix, max }: { parent: string; prefix: string; max?: number },
): Promise<readonly Item[]> => {
  const KeyConditionExpression = expr`parent = ${parent} AND begins_with(pk, ${prefix})`;
  return queryAll(table, { IndexName: index, KeyConditionExpression, Limit: max }, max);
};

/**
 * DynamoDB refuses a range whose ends are reversed, and a key that is empty or too long: no part
 * ended there.
 */
export const mayEndPart = (position: string | undefined): boolean =>
  position === undefined || /^[!-}]{1,512}$/.test(position);

/**
 * Part of the items whose sort key begins with a prefix, in the order of these keys: one page of
 * the table, or of its `index` by parent. `next` is the rest of the last item's key, if there may
 * be more.
 */
export const partUnder = async (
  table: Table,
  { index, parent, prefix }: { index?: IndexName; parent: string; prefix: string },
  { after, max }: Part,
): Promise<{ items: readonly Item[]; next?: string }> => {
  if (!mayEndPart(after)) return { items: [] };
  const partition = attribute(index ? 'parent' : 'pk');
  const sort = index ? 'pk' : 'sk';
  // A space sorts before everything that can follow a key, a tilde after it.
  const from = after === undefined ? prefix : `${prefix}${after} `;
  const range = expr`BETWEEN ${from} AND ${`${prefix}~`}`;
  const { items, next } = await queryPage(table, {
    IndexName: index,
    ConsistentRead: !index,
    KeyConditionExpression: expr`${partition} = ${parent} AND ${attribute(sort)} ${range}`,
    Limit: max,
  });
  if (next) return { items, next: String(next[sort]).slice(prefix.length) };
  return { items };
};

const wrong = (item: Item, name: string, expected: string): Error =>
  new Error(
    `The stored item ${String(item['pk'])} / ${String(item['sk'])} has no ${expected} "${name}".`,
  );

/**
 * Reads the attributes of a stored item. Throws if one has a different type from the one it was
 * written with.
 */
export const itemReader = (item: Item) => {
  const text = (name: string): string => {
    const value = item[name];
    if (typeof value !== 'string') throw wrong(item, name, 'text');
    return value;
  };

  const number = (name: string): number => {
    const value = item[name];
    if (typeof value !== 'number') throw wrong(item, name, 'number');
    return value;
  };

  const has = (name: string): boolean => item[name] !== undefined;

  return {
    has,
    text,
    number,
    optionalText: (name: string) => (has(name) ? text(name) : undefined),
    optionalNumber: (name: string) => (has(name) ? number(name) : undefined),

    texts(name: string): readonly string[] {
      const value = item[name] ?? [];
      if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string'))
        throw wrong(item, name, 'list of texts');
      return value;
    },

    bytes(name: string): Uint8Array {
      const value = item[name];
      if (!(value instanceof Uint8Array)) throw wrong(item, name, 'binary');
      return value;
    },

    oneOf<T extends string>(name: string, allowed: readonly T[]): T {
      const value = allowed.find(option => option === item[name]);
      if (value === undefined) throw wrong(item, name, allowed.join(' or '));
      return value;
    },
  };
};
