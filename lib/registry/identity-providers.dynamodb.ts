import { countedIn, endCounted, type Holding, tryWithin } from '../aws/bounded.ts';
import { expr } from '../aws/expression.ts';
import { type Item, itemsUnder, type Table } from '../aws/table.ts';
import {
  clientKey,
  clients,
  digest,
  providerKey,
  providers,
  readBinding,
  readProvider,
  scopeKey,
} from './items.dynamodb.ts';
import { type Declined, limitReached } from './operator.ts';
import type { ClientBinding, IdentityProviders } from './ports.ts';
import { operatorScope } from './principals.ts';
import type { IdentityProvider } from './registry.ts';

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

const bindingItem = ({ scope, issuer, client, connection, createdAt }: ClientBinding): Item => ({
  ...clientKey(scope, issuer, client),
  scope,
  issuer,
  client,
  connection,
  created_at: createdAt,
});

const isWritten = (result: Awaited<ReturnType<typeof tryWithin>>): boolean | Declined =>
  typeof result === 'object' ? limitReached(result) : result === undefined;

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
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  return isWritten(await tryWithin(table, [put], holding));
};

export const awsIdentityProviders = (table: Table): IdentityProviders => {
  const remove = (Key: Item) =>
    endCounted(table, { Delete: { Key, ConditionExpression: 'attribute_exists(pk)' } });

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
    async bind(binding, how) {
      const key = clientKey(binding.scope, binding.issuer, binding.client);
      const holding: Holding = {
        slots:
          binding.scope === operatorScope
            ? []
            : [{ bound: 'clients', scope: 'workspace', of: binding.scope }],
        holders: [key.sk],
      };
      const isFree = expr`attribute_not_exists(pk) OR #connection = ${binding.connection}`;
      const put = {
        Put: {
          Item: { ...bindingItem(binding), ...countedIn(holding) },
          ...(how === 'if free' ? { ConditionExpression: isFree } : {}),
        },
      };
      return isWritten(await tryWithin(table, [put], holding));
    },
    unbind: (scope, issuer, client) => remove(clientKey(scope, issuer, client)),
  };
};
