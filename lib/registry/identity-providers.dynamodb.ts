import { createHash } from 'node:crypto';
import { itemReader } from '../aws/item-reader.ts';
import { deleteItem, getItem, holds, type Item, putItem, queryAll, type Table } from '../aws/table.ts';
import {
  type ClientBinding,
  clientClaims,
  type IdentityProvider,
  type IdentityProviders,
} from './identity-providers.ts';
import { scopeKey } from './items.dynamodb.ts';
import type { Scope } from './roles.ts';

const providers = 'IDP#';
const clients = 'IDPCLIENT#';

/** Issuers and clients are texts of any length and characters; keys hold their digests. */
const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');

const providerKey = (scope: Scope, issuer: string) => ({
  pk: scopeKey(scope),
  sk: providers + digest(issuer),
});
const clientKey = (scope: Scope, issuer: string, client: string) => ({
  pk: scopeKey(scope),
  sk: `${clients}${digest(issuer)}#${digest(client)}`,
});

const readProvider = (item: Item): IdentityProvider => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    jwksUri: read.text('jwksUri'),
    audience: read.text('audience'),
    clientClaim: read.oneOf('clientClaim', clientClaims),
    insecureLocal: item['insecureLocal'] === true,
    createdAt: read.text('createdAt'),
  };
};

const readBinding = (item: Item): ClientBinding => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    client: read.text('client'),
    connection: read.text('connection'),
    createdAt: read.text('createdAt'),
  };
};

const get = (table: Table, Key: Item): Promise<Item | undefined> =>
  getItem(table, { Key, ConsistentRead: true });

const under = (table: Table, scope: Scope, prefix: string): Promise<readonly Item[]> =>
  queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': scopeKey(scope), ':prefix': prefix },
  });

/** The provider of an issuer, read afresh. */
export const providerOf = async (
  table: Table,
  scope: Scope,
  issuer: string,
): Promise<IdentityProvider | undefined> => {
  const item = await get(table, providerKey(scope, issuer));
  return item && readProvider(item);
};

/** The connection that a client is bound to, read afresh. */
export const boundConnection = async (
  table: Table,
  { scope, issuer }: IdentityProvider,
  client: string,
): Promise<string | undefined> => {
  const item = await get(table, clientKey(scope, issuer, client));
  return item && readBinding(item).connection;
};

/** Identity providers and bindings in DynamoDB. */
export const awsIdentityProviders = (table: Table): IdentityProviders => {
  const remove = async (Key: Item): Promise<boolean> =>
    holds(deleteItem(table, { Key, ConditionExpression: 'attribute_exists(pk)' }));

  return {
    list: async scope => (await under(table, scope, providers)).map(readProvider),
    bindings: async scope => (await under(table, scope, clients)).map(readBinding),
    add: provider =>
      holds(
        putItem(table, {
          Item: { ...provider, ...providerKey(provider.scope, provider.issuer) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      ),
    async remove(scope, issuer) {
      const known = await remove(providerKey(scope, issuer));
      for (const binding of await under(table, scope, `${clients}${digest(issuer)}#`))
        await remove({ pk: binding['pk'], sk: binding['sk'] });
      return known;
    },
    async bind(binding) {
      const { scope, issuer, client } = binding;
      const Item = { ...binding, ...clientKey(scope, issuer, client) };
      await putItem(table, { Item });
    },
  };
};
