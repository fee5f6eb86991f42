import { awsAccount, serviceOf } from '../../../lib/cli/deployment/aws-account.ts';
import { AwsRefusal, fakeAws } from '../../support/fakes/aws.ts';

const outer = { ...process.env };
afterEach(() => {
  process.env = { ...outer };
});

/** What STS answers (API reference, "GetCallerIdentity"). */
const callerIs = (arn: string) =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
     <GetCallerIdentityResult><Arn>${arn}</Arn><Account>123456789012</Account></GetCallerIdentityResult>
   </GetCallerIdentityResponse>`;
const arn = 'arn:aws:sts::123456789012:assumed-role/Operator/olga';

/** What an account says to a question, and what AWS was asked, where AWS answers so. */
const asked = async <T>(
  answers: Parameters<typeof fakeAws>[0],
  question: (account: ReturnType<typeof awsAccount>) => Promise<T>,
) => {
  const aws = await fakeAws(answers);
  const services = ['DYNAMODB', 'SSM', 'API_GATEWAY', 'CLOUDWATCH'];
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_ENDPOINT_URL: aws.url,
    ...Object.fromEntries(services.map(name => [`AWS_ENDPOINT_URL_${name}`, aws.url])),
  });
  try {
    const account = awsAccount(process.env, 'sandbox');
    expect(account.region).toBe('eu-west-1');
    const said = await question(account);
    return { said, calls: aws.calls };
  } finally {
    await aws.close();
  }
};

test('an account says whose it is, and how many functions may run at once', async () => {
  expect(await asked({ GetCallerIdentity: callerIs(arn) }, one => one.caller())).toEqual({
    said: { account: '123456789012', arn },
    calls: [['GetCallerIdentity', {}]],
  });
  const route = 'GET /2016-08-19/account-settings';
  const AccountLimit = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 };
  expect(await asked({ [route]: { AccountLimit } }, one => one.concurrency())).toEqual({
    said: { limit: 1_000, unreserved: 900 },
    calls: [[route, {}]],
  });
  const { said } = await asked({ [route]: {} }, one => one.concurrency());
  expect(said).toEqual({ limit: 0, unreserved: 0 });
});

test('an account says which bootstrap it has', async () => {
  const found = { Parameter: { Value: '28' } };
  expect(await asked({ GetParameter: found }, one => one.bootstrapVersion())).toEqual({
    said: 28,
    calls: [['GetParameter', { Name: '/cdk-bootstrap/hnb659fds/version' }]],
  });
  const none = { GetParameter: new AwsRefusal('ParameterNotFound') };
  expect((await asked(none, one => one.bootstrapVersion())).said).toBeUndefined();
});

test('an account says with which role API Gateway writes logs', async () => {
  const answers = { 'GET /account': { cloudwatchRoleArn: 'arn:role' } };
  expect((await asked(answers, one => one.loggingRole())).said).toBe('arn:role');
  expect((await asked({ 'GET /account': {} }, one => one.loggingRole())).said).toBeUndefined();
});

describe('the subscriptions to alarms', () => {
  const member = (address: string, subscription: string) =>
    `<member><Endpoint>${address}</Endpoint><SubscriptionArn>${subscription}</SubscriptionArn></member>`;
  const page = (members: string, next = '') =>
    `<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
       <ListSubscriptionsByTopicResult><Subscriptions>${members}</Subscriptions>${next}</ListSubscriptionsByTopicResult>
     </ListSubscriptionsByTopicResponse>`;
  const first = page(member('a@example.org', 'arn:one'), '<NextToken>more</NextToken>');
  const second = page(member('b@example.org', 'PendingConfirmation'));

  test.each(['aws', 'aws-cn'])('are those of all pages, in the partition %s', async partition => {
    const TopicArn = `arn:${partition}:sns:eu-west-1:123456789012:sombus-sandbox-alarms`;
    const answers = {
      GetCallerIdentity: callerIs(`arn:${partition}:sts::123456789012:user/olga`),
      ListSubscriptionsByTopic: ({ NextToken }: Readonly<Record<string, unknown>>) =>
        NextToken === 'more' ? second : first,
    };
    expect(await asked(answers, one => one.subscriptions())).toEqual({
      said: [
        { endpoint: 'a@example.org', confirmed: true },
        { endpoint: 'b@example.org', confirmed: false },
      ],
      calls: [
        ['GetCallerIdentity', {}],
        ['ListSubscriptionsByTopic', { TopicArn }],
        ['ListSubscriptionsByTopic', { TopicArn, NextToken: 'more' }],
      ],
    });
  });

  test('are none where there is no topic', async () => {
    const answers = {
      GetCallerIdentity: callerIs(arn),
      ListSubscriptionsByTopic:
        '<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>NotFound</Code><Message>No.</Message></Error></ErrorResponse>',
    };
    expect((await asked(answers, one => one.subscriptions())).said).toBeUndefined();
  });
});

test('an alarm rings by its name, with a reason', async () => {
  const AlarmName = 'sombus-sandbox-job-failures';
  expect(await asked({ SetAlarmState: {} }, one => one.ring())).toEqual({
    said: AlarmName,
    calls: [
      [
        'SetAlarmState',
        {
          AlarmName,
          StateValue: 'ALARM',
          StateReason: 'sombus doctor --ring: only a test of who gets alarms.',
        },
      ],
    ],
  });
  await expect(asked({}, one => one.ring())).rejects.toThrow('SetAlarmState: AccessDenied');
});

describe('the tables of an environment', () => {
  const served = { registry: 'r', ledger: 'l', activity: 'a', sessions: 's' };
  const noted = { Parameter: { Value: JSON.stringify(served) } };
  const without =
    (...absent: readonly unknown[]) =>
    ({ TableName }: Readonly<Record<string, unknown>>) =>
      absent.includes(TableName) ? new AwsRefusal('ResourceNotFoundException') : { Table: {} };

  test('are those that its functions work on and that exist', async () => {
    const answers = { GetParameter: noted, DescribeTable: without('l') };
    const { said, calls } = await asked(answers, one => one.tables());
    expect([[...said].sort(), calls[0]]).toEqual([
      ['a', 'r', 's'],
      ['GetParameter', { Name: '/sombus/sandbox/tables' }],
    ]);
  });

  test('have the names of the environment before it is deployed', async () => {
    const answers = {
      GetParameter: new AwsRefusal('ParameterNotFound'),
      DescribeTable: without('sombus-sandbox-ledger', 'sombus-sandbox-sessions'),
    };
    const { said } = await asked(answers, one => one.tables());
    expect([...said].sort()).toEqual(['sombus-sandbox-activity', 'sombus-sandbox-registry']);
  });

  const table = (isProtected: boolean) => ({ Table: { DeletionProtectionEnabled: isProtected } });
  const expiry = (status: string) => ({ TimeToLiveDescription: { TimeToLiveStatus: status } });
  const recovery = (PointInTimeRecoveryStatus: string) => ({
    ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
  });

  test.each([
    [table(true), expiry('ENABLED'), recovery('ENABLED'), []],
    [table(true), expiry('ENABLING'), recovery('ENABLED'), []],
    [table(false), expiry('ENABLED'), recovery('ENABLED'), ['protection']],
    [table(true), expiry('DISABLING'), recovery('DISABLED'), ['expiry', 'recovery']],
    [{}, {}, {}, ['expiry', 'recovery', 'protection']],
  ])('lack what AWS does not say: %j %j %j', async (described, time, backups, lacks) => {
    const answers = {
      DescribeTable: described,
      DescribeTimeToLive: time,
      DescribeContinuousBackups: backups,
    };
    const { said, calls } = await asked(answers, one => one.lacks('l'));
    expect(said).toEqual(lacks);
    expect([...calls].sort()).toEqual([
      ['DescribeContinuousBackups', { TableName: 'l' }],
      ['DescribeTable', { TableName: 'l' }],
      ['DescribeTimeToLive', { TableName: 'l' }],
    ]);
  });
});

test('a service without a client is called in the region of the shell', async () => {
  const called = (answer: object) =>
    asked({ GetParameter: answer }, async () => {
      const { call, region } = serviceOf(process.env, 'ssm');
      return [await call('GetParameter', { Name: 'n' }), await region()];
    });
  expect(await called({ Parameter: {} })).toEqual({
    said: [{ Parameter: {} }, 'eu-west-1'],
    calls: [['GetParameter', { Name: 'n' }]],
  });
  expect((await called([])).said).toEqual([{}, 'eu-west-1']);
});
