import type { Slot } from '../../contract/bounds.ts';
import { defined } from '../../contract/outside.ts';
import {
  countedIn,
  endCounted,
  releasesOf,
  tryWithin,
  writeWithin,
} from '../../platform/aws/bounded.ts';
import { type Expression, expr } from '../../platform/aws/expression.ts';
import { holds, transactIf } from '../../platform/aws/many-items.ts';
import {
  type Item,
  itemsUnder,
  keyDigest,
  type Table,
  updateItem,
} from '../../platform/aws/table.ts';
import { type Declined, limitReached, unlessFull } from '../registry/declined.ts';
import {
  clientKey,
  clients,
  principalPrefix,
  providerKey,
  providers,
  readBinding,
  readPrincipal,
  readProvider,
  scopeKey,
} from '../registry/items.dynamodb.ts';
import type { ClientBinding, IdentityProviders } from '../registry/ports.ts';
import type { IdentityProvider } from '../registry/registry.ts';
import {
  operatorScope,
  type Principal,
  type Principals,
  roleKey,
  roleOfArn,
} from './principals.ts';

const keyOf = ({ scope, roleArn, connection }: Principal) => {
  const role = roleOfArn(roleArn);
  if (!role) throw new Error(`${roleArn} is not a role ARN.`);
  return { pk: scopeKey(scope), sk: `${principalPrefix}${roleKey(role)}#${connection}` };
};

const principalItem = (principal: Principal) => {
  const { id, scope, connection, roleArn, status, challenge, createdAt, verifiedAt } = principal;
  return {
    ...keyOf(principal),
    id,
    scope,
    connection,
    role_arn: roleArn,
    status,
    ...(challenge && { challenge_hash: challenge.hash, challenge_valid_until: challenge.until }),
    created_at: createdAt,
    ...defined({ verified_at: verifiedAt }),
  };
};

/** A change of status, on condition that the challenge is still the one that was read. */
const change = (
  table: Table,
  principal: Principal,
  UpdateExpression: Expression,
): Promise<boolean> => {
  const isKept = expr`#status IN (${'pending'}, ${'verified'})`;
  const isSameChallenge = expr`challenge_hash = ${principal.challenge?.hash ?? ''}`;
  const update = updateItem(table, {
    Key: keyOf(principal),
    UpdateExpression,
    ConditionExpression: expr`${isKept} AND ${isSameChallenge}`,
  });
  return holds(update);
};

const markVerified = (at: string) => expr`SET #status = ${'verified'}, verified_at = ${at}`;

export const awsPrincipals = (table: Table): Principals => ({
  list: async scope =>
    (await itemsUnder(table, scopeKey(scope), principalPrefix)).map(readPrincipal),
  async put(principal, slots) {
    const Item = principalItem(principal);
    const holding = { slots, holders: [Item.sk] };
    if (principal.status === 'revoked') {
      const { pk, sk } = Item;
      await transactIf(table, [{ Delete: { Key: { pk, sk } } }, ...releasesOf(holding)]);
      return undefined;
    }
    return unlessFull(writeWithin(table, [{ Put: { Item } }], holding));
  },
  verify: (principal, at) =>
    change(
      table,
      principal,
      expr`${markVerified(at)} REMOVE challenge_hash, challenge_valid_until`,
    ),
  admit: (principal, at) => change(table, principal, markVerified(at)),
  async withdraw(principal) {
    await change(table, principal, expr`SET #status = ${'pending'} REMOVE verified_at`);
  },
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

const addProvider =
  (table: Table): IdentityProviders['add'] =>
  async (provider, organisation) => {
    const key = providerKey(provider.scope, provider.issuer);
    const slots: Slot[] = [];
    if (organisation !== undefined)
      slots.push({ bound: 'issuers', scope: 'organisation', of: organisation });
    const holding = { slots, holders: [`${key.pk} ${key.sk}`] };
    const Item = { ...providerItem(provider), ...countedIn(holding) };
    const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
    return isWritten(await tryWithin(table, [put], holding));
  };

const bind =
  (table: Table): IdentityProviders['bind'] =>
  async (binding, how) => {
    const { scope, issuer, client, connection } = binding;
    const slots: Slot[] = [];
    if (scope !== operatorScope) slots.push({ bound: 'clients', scope: 'workspace', of: scope });
    const holding = { slots, holders: [clientKey(scope, issuer, client).sk] };
    const Item = { ...bindingItem(binding), ...countedIn(holding) };
    const isFree = expr`attribute_not_exists(pk) OR #connection = ${connection}`;
    const put = { Put: { Item, ...(how === 'if free' && { ConditionExpression: isFree }) } };
    return isWritten(await tryWithin(table, [put], holding));
  };

export const awsIdentityProviders = (table: Table): IdentityProviders => {
  const remove = (Key: Item) =>
    endCounted(table, { Delete: { Key, ConditionExpression: 'attribute_exists(pk)' } });

  return {
    list: async scope => (await itemsUnder(table, scopeKey(scope), providers)).map(readProvider),
    bindings: async scope => (await itemsUnder(table, scopeKey(scope), clients)).map(readBinding),
    add: addProvider(table),

    async remove(scope, issuer) {
      const known = await remove(providerKey(scope, issuer));
      const ofIssuer = `${clients}${keyDigest(issuer)}#`;
      for (const { pk, sk } of await itemsUnder(table, scopeKey(scope), ofIssuer))
        await remove({ pk, sk });
      return known;
    },

    bind: bind(table),

    unbind: (scope, issuer, client) => remove(clientKey(scope, issuer, client)),
  };
};
