import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../contract/limits.ts';
import type { Connection, ConnectionStatus } from '../../domain/registry/connection.ts';
import type { Credential, SecretUse } from '../../domain/registry/credential.ts';
import type { Connections, Credentials } from '../../ports.ts';
import { holds } from './holds.ts';
import { queryAll, queryChildren } from './query-all.ts';
import {
  appConnectionKey,
  childrenIndex,
  connectionItem,
  connectionKey,
  connectionsOf,
  credentialItem,
  credentialKey,
  partyKey,
  readConnection,
  readCredential,
  systemKey,
} from './registry-items.ts';
import { setAllotment } from './set-allotment.ts';
import type { Table } from './table.ts';

/** Of several that note a use at the same time, one writes. */
const note = ({ name }: Table, id: string, { slot, hash, at }: SecretUse): UpdateCommand =>
  new UpdateCommand({
    TableName: name,
    Key: credentialKey(id),
    UpdateExpression: `SET ${slot}UsedAt = :at`,
    ConditionExpression: `${slot}Hash = :hash AND (attribute_not_exists(${slot}UsedAt) OR ${slot}UsedAt <= :due)`,
    ExpressionAttributeValues: {
      ':hash': hash,
      ':at': new Date(at).toISOString(),
      ':due': new Date(at - limits.secretUseSeconds * 1000).toISOString(),
    },
  });

/** Connections and their credentials in DynamoDB, strongly consistent. */
export const awsCredentials = (table: Table): Credentials => ({
  async find(id) {
    const items = await queryAll(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': connectionKey(id).pk },
    });
    const [connection, credential] = ['CONNECTION', 'CREDENTIAL'].map(sk =>
      items.find(item => item['sk'] === sk),
    );
    return connection && credential
      ? { connection: readConnection(connection), credential: readCredential(credential) }
      : undefined;
  },
  async noteUse(id, use) {
    await holds(table.client.send(note(table, id, use)));
  },
});

/** Claims each system_id for the connection's app; a claim of the same app is repeated without harm. */
const claims = ({ name }: Table, { workspace, app, systemIds }: Connection) =>
  systemIds.map(systemId => ({
    Put: {
      TableName: name,
      Item: { ...systemKey(workspace, systemId), app },
      ConditionExpression: 'attribute_not_exists(pk) OR app = :app',
      ExpressionAttributeValues: { ':app': app },
    },
  }));

const appConnections = async (table: Table, app: string): Promise<readonly Connection[]> => {
  const edges = await queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partyKey('app', app).pk, ':prefix': connectionsOf },
  });
  const reads = edges.map(({ id }) =>
    table.client.send(
      new GetCommand({ TableName: table.name, Key: connectionKey(String(id)), ConsistentRead: true }),
    ),
  );
  return (await Promise.all(reads)).flatMap(({ Item }) => (Item ? [readConnection(Item)] : []));
};

/** The new secret and the version that tokens are compared with, in one write. */
const rotation = ({ name }: Table, id: string, credential: Credential): TransactWriteCommand => {
  const values = { ':version': credential.version, ':before': credential.version - 1 };
  return new TransactWriteCommand({
    TransactItems: [
      {
        Put: {
          TableName: name,
          Item: credentialItem(id, credential),
          ConditionExpression: 'version = :before',
          ExpressionAttributeValues: { ':before': values[':before'] },
        },
      },
      {
        Update: {
          TableName: name,
          Key: connectionKey(id),
          UpdateExpression: 'SET credentialVersion = :version',
          ConditionExpression: 'credentialVersion = :before',
          ExpressionAttributeValues: values,
        },
      },
    ],
  });
};

/** A revocation is for good: nothing but itself follows it. */
const statusUpdate = ({ name }: Table, id: string, status: ConnectionStatus): UpdateCommand =>
  new UpdateCommand({
    TableName: name,
    Key: connectionKey(id),
    UpdateExpression: 'SET #status = :status',
    ConditionExpression: 'attribute_exists(pk) AND (#status <> :revoked OR :status = :revoked)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ':revoked': 'revoked' },
  });

/** The operator's view of connections in DynamoDB. */
export const awsConnections = (table: Table): Connections => ({
  ...awsCredentials(table),

  async add(connection, credential) {
    const { id, app, systemIds } = connection;
    const puts = [
      connectionItem(connection),
      credentialItem(id, credential),
      { ...appConnectionKey(app, id), id },
    ];
    const items = puts.map(Item => ({
      Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(pk)' },
    }));
    try {
      await table.client.send(
        new TransactWriteCommand({ TransactItems: [...claims(table, connection), ...items] }),
      );
      return undefined;
    } catch (fault) {
      const reasons = fault instanceof TransactionCanceledException ? (fault.CancellationReasons ?? []) : [];
      const owned = systemIds.find((_, index) => reasons[index]?.Code === 'ConditionalCheckFailed');
      if (owned === undefined) throw fault;
      return { owned };
    }
  },

  setQuota: (id, allotment) => setAllotment(table, connectionKey(id), allotment),

  async of(parent) {
    if (parent.startsWith('a')) return appConnections(table, parent);
    return (await queryChildren(table, childrenIndex, { parent, prefix: connectionsOf })).map(readConnection);
  },

  revoke: id => holds(table.client.send(statusUpdate(table, id, 'revoked'))),

  setPaused: (id, paused) => holds(table.client.send(statusUpdate(table, id, paused ? 'paused' : 'active'))),

  async replaceCredential(id, credential) {
    return holds(table.client.send(rotation(table, id, credential)));
  },
});
