import { itemReader } from '../aws/item-reader.ts';
import { getItem, holds, putItem, type Table } from '../aws/table.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

const key = { pk: 'KEYS', sk: 'RING' };

const storedKey = ({ kid, keyId, jwk, state, publishedAt, supersededAt }: RingKey) => ({
  kid,
  key_id: keyId,
  x: jwk.x,
  y: jwk.y,
  state,
  published_at: publishedAt,
  ...(supersededAt === undefined ? {} : { superseded_at: supersededAt }),
});

const readKey = (value: unknown): RingKey => {
  if (typeof value !== 'object' || value === null)
    throw new Error('The stored key ring holds something else than keys.');
  const read = itemReader({ ...key, ...value });
  return {
    kid: read.text('kid'),
    keyId: read.text('key_id'),
    jwk: { kty: 'EC', crv: 'P-256', x: read.text('x'), y: read.text('y') },
    state: read.oneOf('state', ['next', 'active', 'previous']),
    publishedAt: read.number('published_at'),
    ...(read.has('superseded_at') ? { supersededAt: read.number('superseded_at') } : {}),
  };
};

/** The stored ring; undefined while the service has had one key only. */
export const readKeyRing = async (table: Table): Promise<KeyRing | undefined> => {
  const item = await getItem(table, { Key: key, ConsistentRead: true });
  if (!item) return undefined;
  const keys = item['keys'];
  if (!Array.isArray(keys)) throw new Error('The stored key ring has no list of keys.');
  return { version: itemReader(item).number('version'), keys: keys.map(readKey) };
};

/** False when another version than the one before is stored. */
export const writeKeyRing = (table: Table, { version, keys }: KeyRing): Promise<boolean> =>
  holds(
    putItem(table, {
      Item: { ...key, version, keys: keys.map(storedKey) },
      ConditionExpression:
        version === 1 ? 'attribute_not_exists(pk)' : 'attribute_exists(pk) AND version = :before',
      ...(version === 1 ? {} : { ExpressionAttributeValues: { ':before': version - 1 } }),
    }),
  );
