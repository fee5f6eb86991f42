import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { pageRoutes, portalRoutes } from '../../lib/contract/routes.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { settingsOf, whyNotDeployable } from '../../lib/infra/settings.ts';
import { watchedSettings } from './support/settings.ts';
import { type Resource, running, stackNamed } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const complete = { ...watchedSettings, logDays: '90', restored: '20261122', restoring: '' };

const variableOf = (stack: ReturnType<typeof stackNamed>, name: string, variable: string) =>
  stack.one('AWS::Lambda::Function', ({ FunctionName }) =>
    FunctionName.endsWith(`-sandbox-${name}`),
  ).Properties['Environment'].Variables[variable];

const originOf = (stack: ReturnType<typeof stackNamed>, name: string) =>
  variableOf(stack, name, 'SOMBUS_ORIGIN');

const outputOf = (app: App, name: string): unknown =>
  app
    .synth({ skipValidation: true })
    .stacks.filter(({ stackName }) => stackName.startsWith('sombus-sandbox'))
    .map(({ template }) => template.Outputs?.[name]?.Value)
    .find(value => value !== undefined);

const settingsIn = (sandbox: unknown) =>
  settingsOf(new App({ context: { sandbox } }).node, 'sandbox');

/** Each app is synthesised once. */
const plain = infraApp({}, ['sandbox']);
const whole = infraApp({ sandbox: complete });

describe.each<[string, App, readonly [string, string]]>([
  ['API Gateway’s own addresses', plain, ['/v1', '/app']],
  ['one’s own domains', whole, ['https://bus.example.org/v1', 'https://portal.example.org']],
])('at %s', (_where, app, [bus, portal]) => {
  const stack = running(stacksOf(app));
  const ended = (name: string): string => {
    const value = outputOf(app, name);
    return typeof value === 'string'
      ? value
      : JSON.stringify(value).replace(/^.*\{"Ref":"AWS::URLSuffix"\},"|"\]\]\}$/g, '');
  };

  it('every log is kept for as many days as the settings say, or for thirty', () => {
    const days = stack
      .ofType('AWS::Logs::LogGroup')
      .map(({ Properties }) => Properties['RetentionInDays']);
    expect(new Set(days)).toEqual(new Set([bus === '/v1' ? 30 : 90]));
  });

  it('{base_url} and {portal_url} are addresses that lead to a stage', () => {
    expect([ended('BaseUrl'), ended('PortalUrl')]).toEqual([bus, portal]);
    const stages = stack
      .ofType('AWS::ApiGateway::Stage')
      .map(({ Properties }) => Properties['StageName']);
    expect(stages.sort()).toEqual(['app', 'v1']);
  });

  it('every path of the portal is a resource below it, the root and the API reference too', () => {
    const parts = stack
      .ofType('AWS::ApiGateway::Resource')
      .map(({ Properties }) => Properties['PathPart']);
    const paths = Object.values({ ...portalRoutes, ...pageRoutes }).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/', '/docs', '/api/skills/library']));
    const named = paths.flatMap(path => path.split('/')).filter(part => part !== '');
    expect(named).toContain('library');
    expect(parts).toEqual(expect.arrayContaining(named));
    const variable = variableOf(stack, 'portal-pages', 'SOMBUS_PORTAL_PATH') ?? '';
    expect(variable).toBe(portal.startsWith('https:') ? '' : portal);
  });
});

describe('an environment without settings', () => {
  const stack = running(stacksOf(plain));

  it('goes to the account and region of the deployer, at API Gateway’s own address', () => {
    expect(
      plain.synth({ skipValidation: true }).stacks.map(({ environment }) => environment.name),
    ).toEqual(Array.from({ length: 4 }, () => 'aws://unknown-account/unknown-region'));
    const [, [scheme, api, host]] = originOf(stack, 'token')['Fn::Join'];
    expect(scheme).toBe('https://');
    expect(stack.resources.find(({ id }) => id === api.Ref)?.Properties['Name']).toBe(
      'sombus-sandbox-bus',
    );
    expect(host).toBe('.execute-api.');
    expect(stack.ofType('AWS::ApiGateway::DomainName')).toEqual([]);
    expect(stack.ofType('AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('an environment with settings', () => {
  const stacks = stacksOf(whole);
  const stack = running(stacks);

  it('goes to the account and region it names', () => {
    const own = whole
      .synth({ skipValidation: true })
      .stacks.filter(one => one.stackName.startsWith(stack.name));
    expect(own.map(({ environment }) => [environment.account, environment.region])).toEqual(
      Array.from({ length: 4 }, () => ['111122223333', 'eu-west-1']),
    );
  });

  it('has only its custom domains, with TLS 1.2', () => {
    expect(originOf(stack, 'token')).toBe('https://bus.example.org');
    expect(originOf(stack, 'portal-pages')).toBe('https://bus.example.org');
    expect(variableOf(stack, 'portal-pages', 'SOMBUS_PORTAL_PATH')).toBeUndefined();
    const names = stack.ofType('AWS::ApiGateway::DomainName').map(({ Properties }) => Properties);
    expect(names.map(({ DomainName, SecurityPolicy }) => [DomainName, SecurityPolicy])).toEqual([
      ['bus.example.org', 'TLS_1_2'],
      ['portal.example.org', 'TLS_1_2'],
    ]);
    for (const { Properties } of stack.ofType('AWS::ApiGateway::RestApi')) {
      expect(Properties['DisableExecuteApiEndpoint']).toBe(true);
    }
  });

  it('maps the first segments of the bus’s paths to its stage, and the portal’s domain to its own', () => {
    const mappings = stack
      .ofType('AWS::ApiGateway::BasePathMapping')
      .map(({ Properties }) => Properties['BasePath'] ?? '(none)');
    expect(mappings.sort()).toEqual(['.well-known', '(none)', 'v1'].sort());
  });

  it('mails alarms', () => {
    expect(stack.one('AWS::SNS::Subscription', () => true).Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operator@example.org',
    });
  });

  it('mails when the month costs more than planned', () => {
    const budgets = stack.ofType('AWS::Budgets::Budget').map(({ Properties }) => Properties);
    for (const { Budget, NotificationsWithSubscribers } of budgets) {
      const limit = { BudgetLimit: { Amount: 60, Unit: 'USD' }, TimeUnit: 'MONTHLY' };
      expect(Budget).toMatchObject(limit);
      expect(NotificationsWithSubscribers).toHaveLength(2);
      for (const { Subscribers } of NotificationsWithSubscribers)
        expect(Subscribers).toEqual([
          { SubscriptionType: 'EMAIL', Address: 'operator@example.org' },
        ]);
    }
    expect(budgets.map(({ Budget }) => [Budget.BudgetName, Budget.CostFilters])).toEqual([
      ['sombus-sandbox', undefined],
      ['sombus-sandbox-tag', { TagKeyValue: ['user:sombus-environment$sandbox'] }],
    ]);
  });

  it('puts the environment on whatever is paid for, so that a bill can be told apart', () => {
    const paid =
      /^AWS::(ApiGateway::Stage|CloudWatch::Alarm|Cognito::UserPool|DynamoDB::\w+|KMS::Key|Lambda::Function|Logs::LogGroup|S3::Bucket|SNS::Topic|SQS::Queue|WAFv2::WebACL)$/;
    const tag = { Key: 'sombus-environment', Value: 'sandbox' };
    const isTagged = ({ Properties: { Tags = [], UserPoolTags = {} } }: Resource): boolean =>
      [JSON.stringify(tag), '"sombus-environment":"sandbox"'].some(text =>
        JSON.stringify([Tags, UserPoolTags]).includes(text),
      );
    const resources = [...stacks.values()]
      .filter(({ name }) => name.startsWith('sombus-sandbox-'))
      .flatMap(one => one.resources)
      .filter(({ Type }) => paid.test(Type));
    const untagged = resources.filter(one => !isTagged(one));
    expect(untagged.map(({ Type, id }) => `${Type} ${id}`)).toEqual([]);
    expect(new Set(resources.map(({ Type }) => Type)).size).toBeGreaterThan(8);
  });

  it('records who touches items of the tables by other means than the functions', () => {
    const { AdvancedEventSelectors, IsLogging } = stack.one(
      'AWS::CloudTrail::Trail',
      () => true,
    ).Properties;
    expect(IsLogging).toBe(true);
    const [{ FieldSelectors }, ...more] = AdvancedEventSelectors;
    expect(more).toEqual([]);
    const selected = new Map<string, string>(
      FieldSelectors.map(({ Field, ...how }: { readonly Field: string }) => [
        Field,
        JSON.stringify(how),
      ]),
    );
    for (const table of ['registry', 'ledger', 'activity', 'sessions'])
      expect(selected.get('resources.ARN')).toContain(`table/sombus-sandbox-${table}`);
    expect(selected.get('userIdentity.arn')).toMatch(
      /"NotStartsWith":.*:assumed-role\/sombus-sandbox-"/,
    );
    const roles = [...stacks.values()]
      .filter(({ name }) => name.startsWith('sombus-sandbox-'))
      .flatMap(({ name, ofType }) => ofType('AWS::IAM::Role').map(one => ({ name, one })));
    // Their names are made by CloudFormation, which begins them with the stack's.
    const named = roles.filter(({ one }) => one.Properties['RoleName'] !== undefined);
    expect(named.map(({ one }) => one.Properties['RoleName'])).toEqual([
      'sombus-sandbox-logs-writer',
    ]);
  });

  it('tells a channel of alarms, from where nobody can change anything', () => {
    const { Properties } = stack.one('AWS::Chatbot::SlackChannelConfiguration', () => true);
    expect(Properties).toMatchObject({
      SlackWorkspaceId: 'T07EA123LEP',
      SlackChannelId: 'C07EZ1ABC23',
    });
    const topic = stack.one('AWS::SNS::Topic', () => true);
    expect(Properties['SnsTopicArns'].map(stack.referred)).toEqual([{ Ref: topic.id }]);
    expect(JSON.stringify(Properties['GuardrailPolicies'])).toMatch(
      /:iam::aws:policy\/CloudWatchReadOnlyAccess"/,
    );
    const role = stack.one('AWS::IAM::Role', ({ AssumeRolePolicyDocument }) =>
      JSON.stringify(AssumeRolePolicyDocument).includes('chatbot.amazonaws.com'),
    );
    const [{ PolicyDocument }] = role.Properties['Policies'];
    expect(
      PolicyDocument.Statement.flatMap(({ Action }: { readonly Action: unknown }) => Action),
    ).toEqual(['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData']);
  });

  it('copies the lines of every log to a bucket, which keeps them for as long as the settings say', () => {
    const state = stackNamed(stacks, 'sombus-sandbox-stateful');
    const logs = stack.ofType('AWS::Logs::LogGroup').map(({ id }) => id);
    const toArchive = stack
      .ofType('AWS::Logs::SubscriptionFilter')
      .filter(one => /:deliverystream\/sombus-sandbox-logs"/.test(JSON.stringify(one.Properties)));
    expect(toArchive.map(({ Properties }) => Properties['LogGroupName'].Ref).sort()).toEqual(
      logs.sort(),
    );
    const writer = state.one(
      'AWS::IAM::Role',
      ({ RoleName }) => RoleName === 'sombus-sandbox-logs-writer',
    );
    for (const { Properties } of toArchive)
      expect(JSON.stringify(Properties['RoleArn'])).toContain(
        `:role/${writer.Properties['RoleName']}"`,
      );
    const stream = state.one('AWS::KinesisFirehose::DeliveryStream', () => true).Properties;
    expect(stream['DeliveryStreamName']).toBe('sombus-sandbox-logs');
    // What a filter sends is compressed already, and Firehose compresses nothing unless it is told
    // to.
    const { FileExtension, CompressionFormat } = stream['ExtendedS3DestinationConfiguration'];
    expect([FileExtension, CompressionFormat]).toEqual(['.gz', undefined]);
    const bucket = state.one('AWS::S3::Bucket', () => true);
    expect(bucket.DeletionPolicy).toBe('Retain');
    const [rule] = bucket.Properties['LifecycleConfiguration'].Rules;
    expect([rule.ExpirationInDays, rule.Status]).toEqual([400, 'Enabled']);
  });

  it('works on restored tables, and no longer on those that were lost', () => {
    const named = (table: string) => `sombus-sandbox-${table}-20261122`;
    expect(variableOf(stack, 'publish', 'SOMBUS_REGISTRY_TABLE')).toBe(named('registry'));
    expect(variableOf(stack, 'publish', 'SOMBUS_LEDGER_TABLE')).toBe(named('ledger'));
    const policies = ['AWS::IAM::Role', 'AWS::IAM::ManagedPolicy'].flatMap(type =>
      stack.ofType(type),
    );
    const granted = JSON.stringify(policies).match(/table\/[\w-]+/g) ?? [];
    expect(new Set(granted)).toEqual(new Set(tableNames.map(name => `table/${named(name)}`)));
    const watched = JSON.stringify(stack.ofType('AWS::CloudWatch::Alarm'));
    expect(watched).toContain(named('ledger'));
    // The stateful stack keeps the old tables, which CloudFormation must not touch.
    const kept = stackNamed(stacks, 'sombus-sandbox-stateful').ofType('AWS::DynamoDB::Table');
    expect(kept.map(({ Properties }) => Properties['TableName']).sort()).toEqual([
      'sombus-sandbox-activity',
      'sombus-sandbox-ledger',
      'sombus-sandbox-registry',
      'sombus-sandbox-sessions',
    ]);
  });

  it('leaves the other environment alone', () => {
    expect(running(stacks, 'preview').ofType('AWS::ApiGateway::DomainName')).toEqual([]);
  });
});

describe('an app without AWS credentials', () => {
  const node = new App().node;

  it('says so in one sentence, before a function is bundled', () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ['--import', 'tsx', 'bin/app.ts'],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
      },
    );
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^No AWS credentials were found[^\n]+\.\n$/);
    expect(stderr).not.toContain('Bundling');
  });

  it('with them, or for the templates alone, it goes on', () => {
    expect(whyNotDeployable(node, { CDK_DEFAULT_ACCOUNT: '111122223333' })).toBeUndefined();
    const { node: reading } = new App({ context: { templatesOnly: 'true' } });
    expect(whyNotDeployable(reading, {})).toBeUndefined();
    expect(readFileSync('package.json', 'utf8')).toContain(
      '"cdk synth --quiet -c templatesOnly=true"',
    );
  });
});

describe('contradictory settings are refused with one sentence', () => {
  it.each([
    [{ zone: 'x' }, 'knows no "zone"'],
    [{ region: 7 }, '"sandbox.region" is not a string'],
    ['eu-west-1', 'context "sandbox" is not an object'],
    [{ backupVault: 'elsewhere' }, '"sandbox.backupVault" is not the ARN of a vault of AWS Backup'],
    [{ logArchiveDays: 'long' }, '"sandbox.logArchiveDays" is not a whole number of days'],
    [{ chat: '#alarms' }, '"sandbox.chat" is neither slack:<workspace id>/<channel id> nor teams:'],
    [{ monthlyDollars: 'a few' }, '"sandbox.monthlyDollars" is not a whole number of dollars'],
    [{ restored: 'a table' }, '"sandbox.restored" is not the end of a table'],
    [{ restoring: 'a table' }, '"sandbox.restoring" is not the end of a table'],
    [{ restored: '1', restoring: '1' }, 'name the same tables'],
    [{ mailFrom: 'news.example.org' }, '"sandbox.mailFrom" is not an address'],
    [{ mailFrom: 'portal@news.example.org' }, '"sandbox.mailFrom" needs "region"'],
    [{ oidcIssuer: 'https://idp.example' }, 'needs oidcIssuer and oidcClientId together'],
    [
      { oidcIssuer: 'http://idp.example', oidcClientId: 'p' },
      '"sandbox.oidcIssuer" does not begin with https',
    ],
    ...['45', '9999', 'a month'].map(
      logDays => [{ logDays }, '"sandbox.logDays" is none of 1, 3, 5, 7'] as const,
    ),
  ] as const)('%j', (sandbox, words) => {
    expect(() => settingsIn(sandbox)).toThrow(words);
  });
});

describe('partial settings', () => {
  const domainMembers = ['domain', 'portalDomain', 'hostedZoneId', 'hostedZoneName'] as const;

  it.each(domainMembers)('%s alone, or a domain without it, is refused', member => {
    const { [member]: _left, ...others } = complete;
    for (const partial of [{ [member]: complete[member] }, others, { ...complete, [member]: '' }])
      expect(() => settingsIn(partial)).toThrow(
        'cdk.json: "sandbox" needs domain, portalDomain, hostedZoneId and hostedZoneName together, or none of them.',
      );
  });

  it.each(['account', 'region', 'alarmAddress'] as const)('%s may be set alone', member => {
    const only = { [member]: complete[member] };
    expect(settingsIn(only)).toEqual({
      environment: 'sandbox',
      atOnce: false,
      logRetention: 30,
      ...only,
    });
  });

  it('an empty string means "not set"', () => {
    const names = [...Object.keys(complete), 'permissionsBoundary'];
    const empty = Object.fromEntries(names.map(member => [member, '']));
    expect(settingsIn(empty)).toEqual({ environment: 'sandbox', atOnce: false, logRetention: 30 });
  });

  it('an issuer of somebody else’s takes the pool’s place', () => {
    const issuer = { oidcIssuer: 'https://idp.example', oidcClientId: 'portal' };
    expect(settingsIn(issuer).issuer).toEqual({ url: 'https://idp.example', clientId: 'portal' });
  });
});
