import {
  functionSizes,
  jobs,
  probeFunction,
  rowlessFunctions,
} from '../../lib/contract/functions.ts';
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
  const beside = (role?.Properties['ManagedPolicyArns'] ?? []) as readonly {
    readonly Ref: string;
  }[];
  const documents = [
    ...(role?.Properties['Policies'] ?? []),
    ...stack.resources
      .filter(({ id }) => beside.some(({ Ref }) => Ref === id))
      .map(({ Properties }) => Properties),
  ] as readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[];
  return documents.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

const functionNamed = (name: string): Resource => {
  const entry = functions.get(name);
  if (!entry) throw new Error(`There is no function ${name}.`);
  return entry;
};

const routeIds = Object.keys(routes) as readonly RouteId[];
const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();
const variables = (name: string) =>
  sorted(Object.keys(functionNamed(name).Properties['Environment'].Variables));

describe('a function holds nothing that it does not need', () => {
  it('the function behind all other addresses of the bus knows nothing', () => {
    expect(variables('unrouted')).toEqual(['SOMBUS_ENVIRONMENT']);
  });

  it('no policy has a wildcard action', () => {
    const statements = [
      ...stack
        .ofType('AWS::IAM::Role')
        .flatMap(({ Properties }) => Properties['Policies'] ?? [])
        .concat(stack.ofType('AWS::IAM::ManagedPolicy').map(({ Properties }) => Properties))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    ] as readonly Statement[];
    expect(
      statements.flatMap(({ Action }) => list(Action)).filter(action => action.includes('*')),
    ).toEqual([]);
  });

  it('the portal alone creates and deletes queues; no function purges them', () => {
    const allowed = [...functions].flatMap(([name, entry]) =>
      policyOf(entry)
        .flatMap(({ Action }) => list(Action))
        .filter(action => /^sqs:\w+Queue$/.test(action))
        .map(action => `${name}: ${action}`),
    );
    expect(allowed.sort()).toEqual([
      'portal-call: sqs:CreateQueue',
      'portal-call: sqs:DeleteQueue',
    ]);
  });

  it('every role is under the path that the policies of queues know the bus by', () => {
    const paths = [...functions.values()].map(({ Properties }) => {
      const role = stack.resources.find(({ id }) => id === Properties['Role']['Fn::GetAtt'][0]);
      return role?.Properties['Path'];
    });
    expect(new Set(paths)).toEqual(new Set(['/sombus/sandbox/', '/sombus/sandbox/signer/']));
    const base =
      functionNamed('verify-principal').Properties['Environment'].Variables[
        'SOMBUS_QUEUE_BASE_ARN'
      ];
    const text = base['Fn::Join'][1]
      .map((part: unknown) => (typeof part === 'string' ? part : '*'))
      .join('');
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

  it('uses no policy of AWS, and policies beside its role only where the role has no room', () => {
    const own = stack.ofType('AWS::IAM::ManagedPolicy').map(({ id }) => ({ Ref: id }));
    const roles = stack
      .ofType('AWS::IAM::Role')
      .filter(role => role.Properties['ManagedPolicyArns']);
    expect(roles.map(({ id }) => id.replace(/Role\w+$/, ''))).toEqual(['functionportalcall']);
    expect(roles.flatMap(role => role.Properties['ManagedPolicyArns'])).toEqual(own);
  });
});

describe.each(Object.entries(jobs))('the job %s', (name, { everyMinutes }) => {
  const entry = functionNamed(name);
  const queue = stack.one('AWS::SQS::Queue', () => true);
  const Arn = { 'Fn::GetAtt': [queue.id, 'Arn'] };

  it('runs as often as its row says', () => {
    const unit = everyMinutes === 1 ? 'minute' : 'minutes';
    const { Targets } = stack.one(
      'AWS::Events::Rule',
      one =>
        one['ScheduleExpression'] === `rate(${everyMinutes} ${unit})` &&
        JSON.stringify(one['Targets']).includes(`"${entry.id}"`),
    ).Properties;
    expect(Targets.length).toBeLessThanOrEqual(5); // EventBridge: "Quotas"
    expect(Targets).toContainEqual(
      expect.objectContaining({
        RetryPolicy: { MaximumRetryAttempts: 0 },
        DeadLetterConfig: { Arn },
      }),
    );
  });

  it('is not repeated, and a run that failed is kept for two weeks in an encrypted queue', () => {
    const invoking = stack.one(
      'AWS::Lambda::EventInvokeConfig',
      ({ FunctionName }) => FunctionName.Ref === entry.id,
    );
    expect(invoking.Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: everyMinutes * 60,
      DestinationConfig: { OnFailure: { Destination: Arn } },
    });
    expect(queue.Properties).toMatchObject({
      QueueName: 'sombus-sandbox-failed-runs',
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    });
    const { PolicyDocument } = stack.one('AWS::SQS::QueuePolicy', () => true).Properties;
    expect(PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });
});

describe('sizes', () => {
  it('there is a function per route of the bus but its test runs, two of the portal, one per job, the probe, and those without a row', () => {
    const own = routeIds.filter(id => !('servedBy' in routes[id]));
    const sized = [
      ...own,
      ...Object.keys(rowlessFunctions),
      'unrouted',
      'check-runs',
      'portal-pages',
    ];
    expect(sorted(functions.keys())).toEqual(
      sorted([...sized, ...Object.keys(jobs), probeFunction.id]),
    );
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
      expect(Properties['Timeout']).toBeLessThan(
        name in jobs || name === probeFunction.id ? 90 : 29,
      );
      expect(Properties['LoggingConfig'].LogGroup).toBeDefined();
    },
  );

  it.each([
    ['authoriser', 40],
    ['relay', 2],
    ['token', 40],
    ['skill-library', 20],
    ['skill-validate', 10],
    ['pull', 400],
  ])('%s never has more copies than its limit implies: %i', (name, copies) => {
    expect(functionNamed(name).Properties['ReservedConcurrentExecutions']).toBe(copies);
  });

  it('pull is apart and small', () => {
    const { MemorySize, Environment } = functionNamed('pull').Properties;
    expect(MemorySize).toBe(128);
    expect(Environment.Variables['NODE_OPTIONS']).toBe(
      '--max-old-space-size=64 --max-semi-space-size=2',
    );
  });

  it('one request in twenty of both APIs is traced, also when they come one by one', () => {
    const { SamplingRule } = stack.one('AWS::XRay::SamplingRule', () => true).Properties;
    expect(SamplingRule).toMatchObject({
      FixedRate: 0.05,
      ReservoirSize: 0,
      HTTPMethod: '*',
      URLPath: '*',
    });
    const services = new RegExp(`^${SamplingRule.ServiceName.replaceAll('*', '.*')}$`);
    for (const own of ['sombus-sandbox-bus/v1', 'sombus-sandbox-portal/app'])
      expect(own).toMatch(services);
    for (const other of ['shop/v1', 'sombus-preview-bus/v1']) expect(other).not.toMatch(services);
  });

  it('leaves nearly half of an account’s usual thousand copies to everything else', () => {
    const reserved = [...functions.values()].map(
      ({ Properties }) => Properties['ReservedConcurrentExecutions'] ?? 0,
    );
    expect(reserved.reduce((sum, copies) => sum + copies, 0)).toBe(512);
  });
});
