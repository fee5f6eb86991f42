import { functionSizes, jobs, rowlessFunctions, servedBy } from '../../lib/contract/functions.ts';
import { limits } from '../../lib/contract/limits.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
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
  const role = stack.resources.find(({ id }) => id === entry.Properties['Role']['Fn::GetAtt'][0]);
  return role?.Properties['Policies'].flatMap(
    ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
  );
};

const functionNamed = (name: string): Resource => {
  const entry = functions.get(name);
  if (!entry) throw new Error(`There is no function ${name}.`);
  return entry;
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

const routeIds = Object.keys(routes) as readonly RouteId[];
const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();
const rows = [...new Set(routeIds.map(servedBy))].map(id => ({
  id,
  api: routeIds.filter(route => servedBy(route) === id).map(route => routes[route].api)[0],
  ports: routeIds
    .filter(route => servedBy(route) === id)
    .flatMap(route => routes[route].ports as readonly string[]),
}));
const variables = (name: string) =>
  sorted(Object.keys(functionNamed(name).Properties['Environment'].Variables));

describe('a function holds what its row lists and nothing else', () => {
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

  it('the function behind all other addresses of the bus knows nothing', () => {
    expect(variables('unrouted')).toEqual(['SOMBUS_ENVIRONMENT']);
  });

  it('no policy has a wildcard action, and wildcard resources have listed reasons', () => {
    const statements = [
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
      ['sqs:CreateQueue,sqs:DeleteQueue,sqs:GetQueueAttributes,sqs:SetQueueAttributes', 'as above'],
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

  it('verify-principal and the portal alone change who reads queues, and consumers’ queues only', () => {
    const setting = [...functions].flatMap(([name, entry]) =>
      policyOf(entry)
        .filter(({ Action }) => list(Action).includes('sqs:SetQueueAttributes'))
        .map(({ Resource }) => [name, JSON.stringify(Resource)]),
    );
    const own = expect.stringMatching(/:sombus-c\*\.fifo"\]\]\}$/);
    expect(setting.sort()).toEqual([
      ['portal-call', own],
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

  it('the portal alone creates and deletes queues; no function purges them', () => {
    const sqs = [...functions]
      .filter(([name]) => name !== 'portal-call')
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
  it('there is a function per route of the bus but its test runs, two of the portal, one per job, and those without a row', () => {
    const own = routeIds.filter(id => !('servedBy' in routes[id]));
    const sized = [...own, ...Object.keys(rowlessFunctions), 'unrouted', 'check-runs', 'portal-pages'];
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
    ['authoriser', 40],
    ['relay', 2],
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

  it('one request in twenty of both APIs is traced, also when they come one by one', () => {
    const { SamplingRule } = stack.one('AWS::XRay::SamplingRule', () => true).Properties;
    expect(SamplingRule).toMatchObject({ FixedRate: 0.05, ReservoirSize: 0, HTTPMethod: '*', URLPath: '*' });
    const services = new RegExp(`^${SamplingRule.ServiceName.replaceAll('*', '.*')}$`);
    for (const own of ['sombus-sandbox-bus/v1', 'sombus-sandbox-portal/app']) expect(own).toMatch(services);
    for (const other of ['shop/v1', 'sombus-preview-bus/v1']) expect(other).not.toMatch(services);
  });

  it('leaves more than half of an account’s usual thousand copies to everything else', () => {
    const reserved = [...functions.values()].map(
      ({ Properties }) => Properties['ReservedConcurrentExecutions'] ?? 0,
    );
    expect(reserved.reduce((sum, copies) => sum + copies, 0)).toBeLessThan(500);
  });
});
