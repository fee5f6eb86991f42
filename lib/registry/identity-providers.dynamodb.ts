import { createHash } from 'node:crypto';
import { countedIn, type Holding, releases, writeWithin } from '../aws/bounded.ts';
import {
  getItem,
  holds,
  type Item,
  itemReader,
  itemsUnder,
  putItem,
  type Table,
  transactWrite,
} from '../aws/table.ts';
import { failedWrite, retryOnConflict } from '../aws/transactions.ts';
import {
  type ClientBinding,
  clientClaims,
  type IdentityProvider,
  type IdentityProviders,
} from './identity-providers.ts';
import { scopeKey } from './items.dynamodb.ts';
import { limitReached } from './operator.ts';
import type { Scope } from './principals.ts';

const providers = 'IDP#';
const clients = 'IDPCLIENT#';

/** Issuers and clients may be of any length and contain any character; keys contain their digests. */
const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');

const providerKey = (scope: Scope, issuer: string) => ({
  pk: scopeKey(scope),
  sk: providers + digest(issuer),
});
const clientKey = (scope: Scope, issuer: string, client: string) => ({
  pk: scopeKey(scope),
  sk: `${clients}${digest(issuer)}#${digest(client)}`,
});

const providerItem = (provider: IdentityProvider): Item => ({
  ...providerKey(provider.scope, provider.issuer),
  scope: provider.scope,
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  insecure_local: provider.insecureLocal,
  created_at: provider.createdAt,
});

const readProvider = (item: Item): IdentityProvider => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    jwksUri: read.text('jwks_uri'),
    audience: read.text('audience'),
    clientClaim: read.oneOf('client_claim', clientClaims),
    insecureLocal: item['insecure_local'] === true,
    createdAt: read.text('created_at'),
  };
};

const bindingItem = ({ scope, issuer, client, connection, createdAt }: ClientBinding): Item => ({
  ...clientKey(scope, issuer, client),
  scope,
  issuer,
  client,
  connection,
  created_at: createdAt,
});

const readBinding = (item: Item): ClientBinding => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    client: read.text('client'),
    connection: read.text('connection'),
    createdAt: read.text('created_at'),
  };
};

const get = (table: Table, Key: Item): Promise<Item | undefined> =>
  getItem(table, { Key, ConsistentRead: true });

/** The provider of an issuer, not cached. */
export const providerOf = async (
  table: Table,
  scope: Scope,
  issuer: string,
): Promise<IdentityProvider | undefined> => {
  const item = await get(table, providerKey(scope, issuer));
  return item && readProvider(item);
};

/** The connection that a client is bound to, not cached. */
export const boundConnection = async (
  table: Table,
  { scope, issuer }: IdentityProvider,
  client: string,
): Promise<string | undefined> => {
  const item = await get(table, clientKey(scope, issuer, client));
  return item && readBinding(item).connection;
};

const add = async (
  table: Table,
  ...[provider, organisation]: Parameters<IdentityProviders['add']>
): ReturnType<IdentityProviders['add']> => {
  const key = providerKey(provider.scope, provider.issuer);
  const holding: Holding = {
    slots: organisation === undefined ? [] : [{ bound: 'issuers', scope: 'organisation', of: organisation }],
    holders: [`${key.pk} ${key.sk}`],
  };
  const Item = { ...providerItem(provider), ...countedIn(holding) };
  try {
    const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
    const full = await writeWithin(table, [put], holding);
    return full ? limitReached(full) : true;
  } catch (fault) {
    if (failedWrite(fault) < 0) throw fault;
    return false;
  }
};

/** Identity providers and bindings in DynamoDB. */
export const awsIdentityProviders = (table: Table): IdentityProviders => {
  const remove = async (Key: Item): Promise<boolean> => {
    const removal = { Delete: { Key, ConditionExpression: 'attribute_exists(pk)' } };
    const counted = releases(await get(table, Key));
    return holds(retryOnConflict(() => transactWrite(table, [removal, ...counted])));
  };

  return {
    list: async scope => (await itemsUnder(table, scopeKey(scope), providers)).map(readProvider),
    bindings: async scope => (await itemsUnder(table, scopeKey(scope), clients)).map(readBinding),
    add: (...call) => add(table, ...call),
    async remove(scope, issuer) {
      const known = await remove(providerKey(scope, issuer));
      for (const binding of await itemsUnder(table, scopeKey(scope), `${clients}${digest(issuer)}#`))
        await remove({ pk: binding['pk'], sk: binding['sk'] });
      return known;
    },
    bind: (binding, how) =>
      holds(
        putItem(table, {
          Item: bindingItem(binding),
          ...(how === 'if free'
            ? {
                ConditionExpression: 'attribute_not_exists(pk) OR #connection = :connection',
                ExpressionAttributeNames: { '#connection': 'connection' },
                ExpressionAttributeValues: { ':connection': binding.connection },
              }
            : {}),
        }),
      ),
    unbind: (scope, issuer, client) => remove(clientKey(scope, issuer, client)),
  };
};
