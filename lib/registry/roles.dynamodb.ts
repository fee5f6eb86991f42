import { itemReader } from '../aws/item-reader.ts';
import { holds, type Item, putItem, queryAll, type Table, updateItem } from '../aws/table.ts';
import { scopeKey } from './items.dynamodb.ts';
import { type Principal, type Principals, type Role, roleKey, roleOfArn, type Scope } from './roles.ts';

const prefix = 'PRINCIPAL#';

const keyOf = ({ scope, roleArn, connection }: Principal) => {
  const role = roleOfArn(roleArn);
  if (!role) throw new Error(`${roleArn} is no role's ARN.`);
  return { pk: scopeKey(scope), sk: `${prefix}${roleKey(role)}#${connection}` };
};

const itemOf = ({ challenge, ...principal }: Principal) => ({
  ...principal,
  ...keyOf(principal),
  ...(challenge ? { challengeHash: challenge.hash, challengeUntil: challenge.until } : {}),
});

const readPrincipal = (item: Item): Principal => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    scope: read.text('scope'),
    connection: read.text('connection'),
    roleArn: read.text('roleArn'),
    status: read.oneOf('status', ['pending', 'verified', 'revoked']),
    ...(read.has('challengeHash') && {
      challenge: { hash: read.text('challengeHash'), until: read.number('challengeUntil') },
    }),
    createdAt: read.text('createdAt'),
    ...(read.has('verifiedAt') ? { verifiedAt: read.text('verifiedAt') } : {}),
  };
};

const startingWith = async (table: Table, scope: Scope, start: string): Promise<readonly Principal[]> => {
  const items = await queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :start)',
    ExpressionAttributeValues: { ':pk': scopeKey(scope), ':start': start },
  });
  return items.map(readPrincipal);
};

/** The registrations of a role in a scope, read afresh. */
export const principalsOf = (table: Table, scope: Scope, role: Role): Promise<readonly Principal[]> =>
  startingWith(table, scope, `${prefix}${roleKey(role)}#`);

/** A change of status that holds only while the challenge is the one that was read. */
const change = (
  table: Table,
  principal: Principal,
  { set, values }: { readonly set: string; readonly values: Readonly<Record<string, string>> },
): Promise<boolean> =>
  holds(
    updateItem(table, {
      Key: keyOf(principal),
      UpdateExpression: set,
      ConditionExpression: '#status IN (:pending, :verified) AND challengeHash = :hash',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':verified': 'verified',
        ':pending': 'pending',
        ':hash': principal.challenge?.hash ?? '',
        ...values,
      },
    }),
  );

const markVerified = 'SET #status = :verified, verifiedAt = :at';

/** Cloud roles in DynamoDB. */
export const awsPrincipals = (table: Table): Principals => ({
  list: scope => startingWith(table, scope, prefix),
  async put(principal) {
    await putItem(table, { Item: itemOf(principal) });
  },
  verify: (principal, verifiedAt) =>
    change(table, principal, {
      set: `${markVerified} REMOVE challengeHash, challengeUntil`,
      values: { ':at': verifiedAt },
    }),
  admit: (principal, verifiedAt) =>
    change(table, principal, { set: markVerified, values: { ':at': verifiedAt } }),
  async withdraw(principal) {
    await change(table, principal, { set: 'SET #status = :pending REMOVE verifiedAt', values: {} });
  },
});
