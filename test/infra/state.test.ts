import { readFileSync } from 'node:fs';
import { allows } from './support/deploy-docs.ts';
import { defaultStacks, running, stackNamed } from './support/stacks.ts';

const stacks = defaultStacks();

interface Index {
  readonly IndexName: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: { readonly ProjectionType: string };
}

describe.each(['sombus-sandbox', 'sombus-preview'])('%s', name => {
  const stateful = stackNamed(stacks, `${name}-stateful`);
  const stateless = running(stacks, name.replace('sombus-', ''));

  it('keeps its state apart, in a stack that refuses to be deleted', () => {
    expect(stateful.terminationProtection).toBe(true);
    expect(new Set(stateful.resources.map(({ Type }) => Type))).toEqual(
      new Set([
        'AWS::DynamoDB::Table',
        'AWS::KMS::Key',
        'AWS::KMS::Alias',
        'AWS::Cognito::UserPool',
        'AWS::Cognito::UserPoolDomain',
      ]),
    );
    expect(stateless.ofType('AWS::DynamoDB::Table')).toEqual([]);
    expect(stateless.ofType('AWS::KMS::Key')).toEqual([]);
  });

  it('the rollback of a first deployment tries nothing that it may not do: it would end in ROLLBACK_FAILED', () => {
    const deletions: Readonly<Record<string, string>> = {
      'AWS::KMS::Alias': 'kms:DeleteAlias',
      'AWS::Cognito::UserPoolDomain': 'cognito-idp:DeleteUserPoolDomain',
    };
    const may = (action: string) =>
      allows('data')(action, `arn:aws:kms:eu-west-1:111122223333:alias/${name}-signing`);
    const removed = stateful.resources.filter(one => one.DeletionPolicy !== 'Retain');
    expect(removed.map(({ Type }) => Type)).toContain('AWS::KMS::Alias');
    for (const { Type, DeletionPolicy } of removed)
      expect([Type, DeletionPolicy, may(deletions[Type] ?? 'unknown')]).toEqual([
        Type,
        undefined,
        true,
      ]);
    // Begun again, a deployment that was not rolled back goes on.
    expect(readFileSync('docs/runbook.md', 'utf8')).toContain(
      'npx cdk deploy --no-rollback sombus-$ENV-stateful',
    );
  });

  it.each([
    ['registry', { children: ['parent', 'pk', 'ALL'] }],
    [
      'ledger',
      {
        pending: ['pending_work', 'due_at', 'KEYS_ONLY'],
        archive: ['archive_day', 'archive_position', 'KEYS_ONLY'],
      },
    ],
  ] as const)(
    'the %s table is on demand, encrypted, recoverable and protected',
    (table, indexes) => {
      const found = stateful.one(
        'AWS::DynamoDB::Table',
        ({ TableName }) => TableName === `${name}-${table}`,
      );
      expect(found).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
      expect(found.Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      });
      const made = found.Properties['GlobalSecondaryIndexes'].map(
        ({ IndexName, KeySchema, Projection }: Index) => [
          IndexName,
          [...KeySchema.map(({ AttributeName }) => AttributeName), Projection.ProjectionType],
        ],
      );
      expect(Object.fromEntries(made)).toEqual(indexes);
    },
  );

  it('orders pending work by number and the archive by text', () => {
    const ledger = stateful.one('AWS::DynamoDB::Table', ({ TableName }) =>
      TableName.endsWith('-ledger'),
    );
    expect(ledger.Properties['AttributeDefinitions']).toEqual(
      expect.arrayContaining([
        { AttributeName: 'due_at', AttributeType: 'N' },
        { AttributeName: 'archive_position', AttributeType: 'S' },
      ]),
    );
  });

  it('signs with one P-256 key that outlives the stack', () => {
    const key = stateful.one('AWS::KMS::Key', () => true);
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(key.Properties).toMatchObject({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      PendingWindowInDays: 30,
      Tags: [
        { Key: 'sombus-environment', Value: name.replace('sombus-', '') },
        { Key: 'sombus-signing', Value: name.replace('sombus-', '') },
      ],
    });
    expect(stateful.one('AWS::KMS::Alias', () => true).Properties['AliasName']).toBe(
      `alias/${name}-signing`,
    );
  });

  it('keeps every log for a month, also when its stack goes', () => {
    const logs = stateless.ofType('AWS::Logs::LogGroup');
    // Per API what its functions write and an access log; the log of the firewall, and that of the
    // probe.
    expect(logs).toHaveLength(6);
    for (const { Properties, DeletionPolicy } of logs) {
      expect(Properties['RetentionInDays']).toBe(30);
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
    }
  });
});
