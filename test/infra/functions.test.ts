import { functionSizes, jobs } from '../../lib/contract/functions.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { PortAccess } from '../../lib/contract/ports.ts';
import { routes } from '../../lib/contract/routes.ts';
import { defaultStacks, type Resource, running } from './support/stacks.ts';

const stack = running(defaultStacks());
const functions = new Map(
  stack
    .ofType('AWS::Lambda::Function')
    .map(entry => [String(entry.Properties['FunctionName']).replace('sombus-sandbox-', ''), entry]),
);

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Effect: string;
}

const list = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value;

const policyOf = (entry: Resource): readonly Statement[] => {
  const role = entry.Properties['Role']['Fn::GetAtt'][0];
  const policies = stack
    .ofType('AWS::IAM::Policy')
    .filter(({ Properties }) => Properties['Roles'].some(({ Ref }: { Ref: string }) => Ref === role));
  return policies.flatMap(({ Properties }) => Properties['PolicyDocument'].Statement);
};

const functionNamed = (name: string): Resource => {
  const entry = functions.get(name);
  if (!entry) throw new Error(`There is no function ${name}.`);
  return entry;
};

/** What every function may do: write its own log, and traces. */
const always = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

/** What each function may do besides, in full. */
const exactly: Readonly<Record<string, readonly string[]>> = {
  health: [],
  token: [
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'kms:GetPublicKey',
    'kms:Sign',
  ],
  jwks: ['dynamodb:GetItem', 'kms:GetPublicKey'],
  'oauth-metadata': [],
  openapi: [],
  publish: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:SendMessage',
  ],
  validate: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  'iam-publish': [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:SendMessage',
  ],
  'iam-validate': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
  'verify-principal': ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem', 'sqs:SetQueueAttributes'],
  pull: [
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:ReceiveMessage',
  ],
  ack: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'sqs:DeleteMessage',
  ],
  nack: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'sqs:ChangeMessageVisibility',
  ],
  message: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
  backlog: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'sqs:GetQueueAttributes'],
  registrations: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  'check-start': [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
  ],
  'check-list': ['dynamodb:GetItem', 'dynamodb:Query'],
  'check-report': ['dynamodb:GetItem', 'dynamodb:Query'],
  'check-stop': ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  'jwt-publish': [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:SendMessage',
  ],
  'operator-publish': [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:SendMessage',
  ],
  'skill-library': [],
  'skill-validate': [],
  portal: [],
  docs: [],
  'portal-page': [],
  'docs-viewer': [],
  'portal-sign': [
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  'portal-organisation': [
    'dynamodb:ConditionCheckItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  'portal-workspace': [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
  ],
  'portal-operator': [
    'apigateway:DELETE',
    'apigateway:GET',
    'apigateway:POST',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:SetQueueAttributes',
  ],
  'portal-skill': [
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  'portal-check': [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
  ],
  'portal-validate': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  'portal-queue': [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
  ],
  'portal-connection': [
    'apigateway:DELETE',
    'apigateway:GET',
    'apigateway:POST',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:CreateQueue',
    'sqs:DeleteQueue',
    'sqs:SetQueueAttributes',
  ],
  unrouted: [],
  'portal-unrouted': [],
  authoriser: ['dynamodb:GetItem', 'kms:GetPublicKey'],
  relay: [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ],
  // The depth keeps the metrics of idle queues alive.
  'queue-ages': [
    'cloudwatch:GetMetricData',
    'dynamodb:Query',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ],
  checks: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ],
  replay: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ],
};

const variablesOfPort: Readonly<Record<string, readonly string[]>> = {
  registry: ['SOMBUS_REGISTRY_TABLE'],
  skills: ['SOMBUS_REGISTRY_TABLE'],
  credentials: ['SOMBUS_REGISTRY_TABLE'],
  tokenRequests: ['SOMBUS_REGISTRY_TABLE'],
  signer: ['SOMBUS_REGISTRY_TABLE', 'SOMBUS_SIGNING_KEY'],
  principals: ['SOMBUS_REGISTRY_TABLE'],
  ledger: ['SOMBUS_LEDGER_TABLE'],
  log: ['SOMBUS_LEDGER_TABLE'],
  receipts: ['SOMBUS_LEDGER_TABLE'],
  polls: ['SOMBUS_LEDGER_TABLE'],
  consumers: ['SOMBUS_REGISTRY_TABLE'],
  recorder: ['SOMBUS_ACTIVITY_TABLE'],
  history: ['SOMBUS_ACTIVITY_TABLE'],
  acceptances: ['SOMBUS_LEDGER_TABLE'],
  backlog: ['SOMBUS_LEDGER_TABLE'],
  archive: ['SOMBUS_LEDGER_TABLE'],
  testRuns: ['SOMBUS_LEDGER_TABLE'],
  checkRuns: ['SOMBUS_LEDGER_TABLE'],
  marks: ['SOMBUS_REGISTRY_TABLE'],
  replays: ['SOMBUS_LEDGER_TABLE'],
  replayList: ['SOMBUS_LEDGER_TABLE'],
  archiveTail: ['SOMBUS_LEDGER_TABLE'],
  depths: ['SOMBUS_QUEUE_BASE_URL'],
  sessions: ['SOMBUS_SESSIONS_TABLE'],
  provider: ['SOMBUS_OIDC_CLIENT_ID', 'SOMBUS_OIDC_CLIENT_SECRET', 'SOMBUS_OIDC_ISSUER'],
  members: ['SOMBUS_REGISTRY_TABLE'],
  directory: ['SOMBUS_REGISTRY_TABLE'],
  invitations: ['SOMBUS_REGISTRY_TABLE'],
  connections: ['SOMBUS_REGISTRY_TABLE'],
  changes: ['SOMBUS_ACTIVITY_TABLE'],
  identityProviders: ['SOMBUS_REGISTRY_TABLE'],
  queueReaders: ['SOMBUS_QUEUE_BASE_ARN', 'SOMBUS_QUEUE_BASE_URL'],
  queueAdmin: ['SOMBUS_QUEUE_BASE_ARN', 'SOMBUS_QUEUE_BASE_URL'],
  queues: ['SOMBUS_QUEUE_BASE_URL'],
  inbox: ['SOMBUS_QUEUE_BASE_URL'],
};

const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();
const rows = Object.entries(routes).map(([id, row]) => ({
  id,
  api: row.api,
  ports: row.ports as readonly PortAccess[],
}));
const variables = (name: string) =>
  sorted(Object.keys(functionNamed(name).Properties['Environment'].Variables));
const actions = (name: string) => sorted(policyOf(functionNamed(name)).flatMap(({ Action }) => list(Action)));

describe('a function holds what its row lists and nothing else', () => {
  it.each([...functions.keys()])('%s: its exact actions', name => {
    expect(actions(name)).toEqual(sorted([...always, ...(exactly[name] ?? ['unknown'])]));
  });

  it.each(rows)('$id: variables', ({ id, api, ports }) => {
    expect(variables(id)).toEqual(
      sorted([
        'SOMBUS_ENVIRONMENT',
        'SOMBUS_ORIGIN',
        ...(api === 'portal' ? ['SOMBUS_PORTAL_PATH'] : []),
        ...(id === 'pull' ? ['NODE_OPTIONS'] : []),
        ...ports.flatMap(port => variablesOfPort[port.split('.')[0] ?? ''] ?? []),
      ]),
    );
  });

  it.each(['unrouted', 'portal-unrouted'])(
    '%s, the function behind all other addresses, knows nothing',
    name => {
      expect(variables(name)).toEqual(['SOMBUS_ENVIRONMENT']);
    },
  );

  it('no policy has a wildcard action, and wildcard resources have listed reasons', () => {
    const statements = [
      ...stack.ofType('AWS::IAM::Policy').flatMap(({ Properties }) => Properties['PolicyDocument'].Statement),
      ...stack
        .ofType('AWS::IAM::Role')
        .flatMap(({ Properties }) => Properties['Policies'] ?? [])
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    ] as readonly Statement[];
    expect(statements.flatMap(({ Action }) => list(Action)).filter(action => action.includes('*'))).toEqual(
      [],
    );
    const wide = statements.filter(({ Resource }) => JSON.stringify(Resource).includes('*'));
    const reasons = new Map([
      ['kms:GetPublicKey,kms:Sign', 'rotation makes keys; their tag is asked for'],
      ['kms:GetPublicKey', 'as above, to verify only'],
      ['xray:PutTelemetryRecords,xray:PutTraceSegments', 'traces belong to no resource'],
      ['lambda:GetProvisionedConcurrencyConfig', 'of any version and alias'],
      ['cloudwatch:DescribeAlarms', 'CloudWatch decides on all alarms at once'],
      ['sqs:SendMessage', 'queues come with connections'],
      ['sqs:ChangeMessageVisibility,sqs:DeleteMessage,sqs:ReceiveMessage', 'as above'],
      ['sqs:DeleteMessage', 'as above'],
      ['sqs:ChangeMessageVisibility', 'as above'],
      ['sqs:GetQueueAttributes', 'as above'],
      ['sqs:SetQueueAttributes', 'queues come with connections'],
      ['sqs:CreateQueue,sqs:DeleteQueue,sqs:SetQueueAttributes', 'as above'],
      ['apigateway:GET', 'API Gateway names keys and plans itself'],
      ['apigateway:POST', 'as above'],
      ['apigateway:DELETE', 'as above'],
      [
        'cloudwatch:GetMetricData,xray:PutTelemetryRecords,xray:PutTraceSegments',
        'neither traces nor metrics belong to a resource',
      ],
      [
        'logs:CreateLogGroup,logs:CreateLogStream,logs:DescribeLogGroups,logs:DescribeLogStreams,logs:FilterLogEvents,logs:GetLogEvents,logs:PutLogEvents',
        'API Gateway asks for it',
      ],
    ]);
    expect(new Set(wide.map(({ Action }) => [...list(Action)].sort().join()))).toEqual(
      new Set(reasons.keys()),
    );
  });

  it('verify-principal, the portal’s connections and its suspensions alone change who reads queues, and consumers’ queues only', () => {
    const setting = [...functions].flatMap(([name, entry]) =>
      policyOf(entry)
        .filter(({ Action }) => list(Action).includes('sqs:SetQueueAttributes'))
        .map(({ Resource }) => [name, JSON.stringify(Resource)]),
    );
    const own = expect.stringMatching(/:sombus-c\*\.fifo"\]\]\}$/);
    expect(setting.sort()).toEqual([
      ['portal-connection', own],
      ['portal-operator', own],
      ['verify-principal', own],
    ]);
  });

  it('functions that send to queues do not read them, and functions that read do not send', () => {
    const may = (action: string) =>
      [...functions]
        .filter(([, entry]) =>
          policyOf(entry).some(
            ({ Action, Resource }) =>
              list(Action).includes(action) && JSON.stringify(Resource).includes(':sombus-c*.fifo'),
          ),
        )
        .map(([name]) => name)
        .sort();
    expect(may('sqs:SendMessage')).toEqual([
      'checks',
      'iam-publish',
      'jwt-publish',
      'operator-publish',
      'publish',
      'relay',
      'replay',
    ]);
    expect(may('sqs:ReceiveMessage')).toEqual(['pull']);
    // A pull deletes what its consumer skips.
    expect(may('sqs:DeleteMessage')).toEqual(['ack', 'pull']);
    expect(may('sqs:ChangeMessageVisibility')).toEqual(['nack', 'pull']);
  });

  it('the portal’s connections alone create and delete queues; no function purges them', () => {
    const sqs = [...functions]
      .filter(([name]) => name !== 'portal-connection')
      .flatMap(([, entry]) => policyOf(entry))
      .flatMap(({ Action }) => list(Action))
      .filter(action => /^sqs:(Create|Delete|Purge)Queue$/.test(action));
    expect(sqs).toEqual([]);
  });

  it('every role is under the path that the policies of queues know the bus by', () => {
    const paths = [...functions.values()].map(({ Properties }) => {
      const role = stack.resources.find(({ id }) => id === Properties['Role']['Fn::GetAtt'][0]);
      return role?.Properties['Path'];
    });
    expect(new Set(paths)).toEqual(new Set(['/sombus/sandbox/', '/sombus/sandbox/signer/']));
    const base =
      functionNamed('verify-principal').Properties['Environment'].Variables['SOMBUS_QUEUE_BASE_ARN'];
    const text = base['Fn::Join'][1].map((part: unknown) => (typeof part === 'string' ? part : '*')).join('');
    expect(text).toBe('arn:*:sqs:*:*:');
  });

  it('uses only signing keys of its own environment', () => {
    const kms = [...functions.values()]
      .flatMap(policyOf)
      .filter(({ Action }) => list(Action).some(action => action.startsWith('kms:')));
    expect(kms.length).toBeGreaterThan(0);
    for (const statement of kms) {
      expect(statement).toMatchObject({
        Condition: { StringEquals: { 'aws:ResourceTag/sombus-signing': 'sandbox' } },
      });
    }
  });

  it('uses no managed policy', () => {
    for (const { Properties } of stack.ofType('AWS::IAM::Role')) {
      expect(Properties['ManagedPolicyArns']).toBeUndefined();
    }
  });
});

describe('sizes', () => {
  it('there is a function per row and per job, the authoriser, and one of each API for all other addresses', () => {
    const sized = [...Object.keys(routes), 'authoriser', 'unrouted', 'portal-unrouted'];
    expect(sorted(functions.keys())).toEqual(sorted([...sized, ...Object.keys(jobs)]));
    expect(sorted(Object.keys(functionSizes))).toEqual(sorted(sized));
  });

  it.each([...functions])(
    '%s runs Node 24 on arm64, is traced, and ends before API Gateway gives up',
    (name, { Properties }) => {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
      });
      // A scheduled function has nobody who waits for it.
      expect(Properties['Timeout']).toBeLessThan(name in jobs ? 90 : 29);
      expect(Properties['LoggingConfig'].LogGroup).toBeDefined();
    },
  );

  it.each([
    ['token', 40],
    ['skill-library', 20],
    ['skill-validate', 10],
    ['pull', limits.waitingPolls * limits.waitingConnections],
  ])('%s never has more copies than its limit implies: %i', (name, copies) => {
    expect(functionNamed(name).Properties['ReservedConcurrentExecutions']).toBe(copies);
  });

  it('pull is apart and small', () => {
    const { MemorySize, Environment } = functionNamed('pull').Properties;
    expect(MemorySize).toBe(128);
    expect(Environment.Variables['NODE_OPTIONS']).toBe('--max-old-space-size=64 --max-semi-space-size=2');
  });

  it('one pull in a hundred is traced, also when they come one by one', () => {
    const { SamplingRule } = stack.one('AWS::XRay::SamplingRule', () => true).Properties;
    expect(SamplingRule).toMatchObject({ FixedRate: 0.01, ReservoirSize: 0, HTTPMethod: 'GET' });
    const path = SamplingRule.URLPath.replaceAll('*', '.*');
    expect(`/v1/tenants/w1/consumers/c1/messages`).toMatch(new RegExp(`^${path}$`));
    expect(`/v1/tenants/w1/messages`).not.toMatch(new RegExp(`^${path}$`));
  });

  it('leaves more than half of an account’s usual thousand copies to everything else', () => {
    const reserved = [...functions.values()].map(
      ({ Properties }) => Properties['ReservedConcurrentExecutions'] ?? 0,
    );
    expect(reserved.reduce((sum, copies) => sum + copies, 0)).toBeLessThan(500);
  });
});
