import {
  awsIdentityProviders,
  awsPrincipals,
} from '../../../lib/access/trust/identities.dynamodb.ts';
import { operatorScope, type Principal } from '../../../lib/access/trust/principals.ts';
import { keyDigest } from '../../../lib/platform/aws/table.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';

interface Input {
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
  readonly Item?: Readonly<Record<string, unknown>>;
  readonly Key?: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** A table that answers so, and the inputs of what it was asked. */
const scene = (...answers: readonly object[]) => {
  const asked: Input[] = [];
  const left = [...answers];
  const table = tableAnswering(({ input }) => {
    asked.push(input);
    const answer = left.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const writes = () => asked.flatMap(({ TransactItems = [] }) => TransactItems);
  return {
    principals: awsPrincipals(table),
    providers: awsIdentityProviders(table),
    asked,
    writes,
  };
};

const principal: Principal = {
  id: 'p1',
  scope: 'w1',
  connection: 'c1',
  roleArn: 'arn:aws:iam::123456789012:role/path/demo',
  status: 'pending',
  challenge: { hash: 'hash', until: 1_000 },
  createdAt: 'then',
};
const Key = { pk: { S: 'WORKSPACE#w1' }, sk: { S: 'PRINCIPAL#aws:123456789012:demo#c1' } };
const slots = [{ bound: 'roles', scope: 'ownConnection', of: 'c1' }] as const;
const away = new Error('The table is away.');

test.each([
  [
    'verify',
    'SET #status = :v0, verified_at = :v1 REMOVE challenge_hash, challenge_valid_until',
    2,
  ],
  ['admit', 'SET #status = :v0, verified_at = :v1', 2],
  ['withdraw', 'SET #status = :v0 REMOVE verified_at', 1],
] as const)(
  'to %s a role is a write on condition that it is kept, and its challenge is the one that was read',
  async (name, UpdateExpression, from) => {
    const { principals, asked } = scene();
    await principals[name](principal, 'at');
    const [kept, verified, hash] = [from, from + 1, from + 2];
    expect(asked).toEqual([
      {
        TableName: 'registry',
        Key,
        UpdateExpression,
        ConditionExpression: `#status IN (:v${kept}, :v${verified}) AND challenge_hash = :v${hash}`,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':v0': { S: name === 'withdraw' ? 'pending' : 'verified' },
          ...(name !== 'withdraw' && { ':v1': { S: 'at' } }),
          [`:v${kept}`]: { S: 'pending' },
          [`:v${verified}`]: { S: 'verified' },
          [`:v${hash}`]: { S: 'hash' },
        },
      },
    ]);
    await expect(scene(away).principals[name](principal, 'at')).rejects.toBe(away);
  },
);

test('a role is written whole, with its place on the connection', async () => {
  const { principals, writes } = scene();
  await principals.put({ ...principal, status: 'verified', verifiedAt: 'at' }, slots);
  const [put, count] = writes();
  expect(put?.['Put']?.Item).toEqual({
    ...Key,
    id: { S: 'p1' },
    scope: { S: 'w1' },
    connection: { S: 'c1' },
    role_arn: { S: principal.roleArn },
    status: { S: 'verified' },
    challenge_hash: { S: 'hash' },
    challenge_valid_until: { N: '1000' },
    created_at: { S: 'then' },
    verified_at: { S: 'at' },
  });
  expect(count?.['Update']?.Key?.pk.S).toBe('BOUND#roles#ownConnection#c1');
});

test('a revoked role is deleted, and gives its place back, in one transaction', async () => {
  const revoked = { ...principal, status: 'revoked' } as const;
  const { principals, asked } = scene();
  await principals.put(revoked, slots);
  expect(asked).toEqual([
    {
      TransactItems: [
        { Delete: { TableName: 'registry', Key } },
        {
          Update: {
            TableName: 'registry',
            Key: { pk: { S: 'BOUND#roles#ownConnection#c1' }, sk: { S: 'HOLDERS' } },
            UpdateExpression: 'DELETE holders :v0',
            ExpressionAttributeValues: { ':v0': { SS: [Key.sk.S] } },
          },
        },
      ],
    },
  ]);
  await expect(scene(away).principals.put(revoked, slots)).rejects.toBe(away);
});

const issuer = 'https://idp.example';
const binding = { scope: 'w1', issuer, client: 'vendor', connection: 'c1', createdAt: 'then' };

test("a client of a workspace is counted there, and the operator's are not", async () => {
  const { providers, writes } = scene();
  expect(await providers.bind(binding)).toBe(true);
  const [put, count] = writes();
  const sk = put?.['Put']?.Item?.['sk'];
  expect(put?.['Put']?.ConditionExpression).toBeUndefined();
  expect(put?.['Put']?.Item).toMatchObject({
    counted_in: { L: [{ S: 'BOUND#clients#workspace#w1' }] },
    counted_as: sk,
  });
  expect(count?.['Update']?.Key?.pk.S).toBe('BOUND#clients#workspace#w1');

  const operators = scene();
  expect(await operators.providers.bind({ ...binding, scope: operatorScope }, 'if free')).toBe(
    true,
  );
  expect(operators.writes()).toEqual([
    {
      Put: {
        TableName: 'registry',
        Item: {
          pk: { S: 'OPERATOR' },
          sk,
          scope: { S: 'operator' },
          issuer: { S: issuer },
          client: { S: 'vendor' },
          connection: { S: 'c1' },
          created_at: { S: 'then' },
        },
        ConditionExpression: 'attribute_not_exists(pk) OR #connection = :v0',
        ExpressionAttributeNames: { '#connection': 'connection' },
        ExpressionAttributeValues: { ':v0': { S: 'c1' } },
      },
    },
  ]);
});

test('an issuer is counted in its organisation', async () => {
  const { providers, writes } = scene();
  const named = { scope: 'w1', issuer, jwksUri: 'keys', audience: 'bus', createdAt: 'then' };
  const provider = { ...named, clientClaim: 'azp', insecureLocal: false } as const;
  expect(await providers.add(provider, 'o1')).toBe(true);
  const [put, count] = writes();
  const sk = `IDP#${keyDigest(issuer)}`;
  expect(put?.['Put']?.Item).toMatchObject({
    counted_in: { L: [{ S: 'BOUND#issuers#organisation#o1' }] },
    counted_as: { S: `WORKSPACE#w1 ${sk}` },
  });
  expect(count?.['Update']).toMatchObject({
    Key: { pk: { S: 'BOUND#issuers#organisation#o1' } },
    ExpressionAttributeValues: { ':v0': { SS: [`WORKSPACE#w1 ${sk}`] } },
  });
});

test('what fails while an issuer or one of its clients is removed is thrown', async () => {
  await expect(scene(away).providers.remove('w1', issuer)).rejects.toBe(away);
  const clients = { Items: [{ pk: { S: 'WORKSPACE#w1' }, sk: { S: 'client' } }] };
  const { providers, asked } = scene({}, {}, clients, away);
  await expect(providers.remove('w1', issuer)).rejects.toBe(away);
  expect(asked).toHaveLength(4);
});
