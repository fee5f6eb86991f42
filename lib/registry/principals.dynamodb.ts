import { releasesOf, writeWithin } from '../aws/bounded.ts';
import { type Expression, expr } from '../aws/expression.ts';
import { holds, transactIf } from '../aws/many-items.ts';
import { itemsUnder, type Table, updateItem } from '../aws/table.ts';
import { principals, readPrincipal, scopeKey } from './items.dynamodb.ts';
import { limitReached } from './operator.ts';
import { type Principal, type Principals, roleKey, roleOfArn } from './principals.ts';

const keyOf = ({ scope, roleArn, connection }: Principal) => {
  const role = roleOfArn(roleArn);
  if (!role) throw new Error(`${roleArn} is not a role ARN.`);
  return { pk: scopeKey(scope), sk: `${principals}${roleKey(role)}#${connection}` };
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
    ...(verifiedAt === undefined ? {} : { verified_at: verifiedAt }),
  };
};

/** A change of status, on condition that the challenge is still the one that was read. */
const change = (table: Table, principal: Principal, UpdateExpression: Expression): Promise<boolean> =>
  holds(
    updateItem(table, {
      Key: keyOf(principal),
      UpdateExpression,
      ConditionExpression: expr`#status IN (${'pending'}, ${'verified'}) AND challenge_hash = ${principal.challenge?.hash ?? ''}`,
    }),
  );

const markVerified = (at: string) => expr`SET #status = ${'verified'}, verified_at = ${at}`;

export const awsPrincipals = (table: Table): Principals => ({
  list: async scope => (await itemsUnder(table, scopeKey(scope), principals)).map(readPrincipal),
  async put(principal, slots) {
    const Item = principalItem(principal);
    const holding = { slots, holders: [Item.sk] };
    if (principal.status === 'revoked') {
      const { pk, sk } = Item;
      await transactIf(table, [{ Delete: { Key: { pk, sk } } }, ...releasesOf(holding)]);
      return undefined;
    }
    const full = await writeWithin(table, [{ Put: { Item } }], holding);
    return full && limitReached(full);
  },
  verify: (principal, at) =>
    change(table, principal, expr`${markVerified(at)} REMOVE challenge_hash, challenge_valid_until`),
  admit: (principal, at) => change(table, principal, markVerified(at)),
  async withdraw(principal) {
    await change(table, principal, expr`SET #status = ${'pending'} REMOVE verified_at`);
  },
});
