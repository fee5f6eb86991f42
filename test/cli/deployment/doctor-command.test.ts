import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from '../../../lib/cli/deployment/doctor.ts';
import type { Patient } from '../../../lib/cli/deployment/doctor-checks.ts';
import { sombusWith } from '../../support/commands.ts';
import { AwsRefusal, fakeAws } from '../../support/fakes/aws.ts';
import {
  cut,
  json,
  type Reply,
  refusal,
  scriptedServer,
  tokenResponse,
} from '../../support/scripted-server.ts';

const at = Date.parse('2026-05-04T09:00:00Z');
const date = new Date(at).toUTCString();
const healthy = json(200, { ok: true, som_version: '1.0.0' }, { date });
const folder = mkdtempSync(join(tmpdir(), 'sombus-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const saved = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** A bus that answers so while somebody works with it. */
const withBus = async <T>(
  script: Readonly<Record<string, readonly Reply[]>>,
  work: (baseUrl: string) => Promise<T>,
) => {
  const bus = await scriptedServer({
    '/health': [healthy],
    '/oauth/token': [tokenResponse()],
    '/validate': [json(200, { accepted: true })],
    '/messages': [refusal(403, 'producer.not_registered')],
    ...script,
  });
  const done = await work(bus.baseUrl);
  await bus.close();
  return { done, baseUrl: bus.baseUrl, calls: bus.calls };
};

describe('a bus', () => {
  const client = { id: 'c1', secret: 's' };
  /** The request takes twenty seconds, in the middle of which the bus has the time. */
  const slow = () => {
    const times = [at - 10_000, at + 10_000];
    return () => times.shift() ?? at;
  };
  const examined = async (script: Readonly<Record<string, readonly Reply[]>>) => {
    const { done, baseUrl } = await withBus(script, url =>
      diagnose({ baseUrl: url, client, systemId: 'mam-1' }, slow()),
    );
    return { found: done, baseUrl };
  };
  const begun = (baseUrl: string) => [
    { check: 'address', state: 'ok', words: baseUrl },
    { check: 'dns', state: 'ok', words: '127.0.0.1 resolves to 127.0.0.1' },
    { check: 'tls', state: 'info', words: 'the local service does not use it' },
    { check: 'health', state: 'ok', words: 'SOM 1.0.0' },
    { check: 'clock', state: 'ok', words: '0 s apart' },
  ];

  test('is examined from its address to the permissions of a connection', async () => {
    const { found, baseUrl } = await examined({});
    expect(found).toEqual([
      ...begun(baseUrl),
      {
        check: 'token',
        state: 'info',
        words:
          'connection ctest in workspace wtest; the bus gives its address as ' +
          'https://bus.example/v1: use that one.',
      },
      { check: 'dry run', state: 'ok', words: 'story.context as mam-1 would be accepted' },
      {
        check: 'pull',
        state: 'info',
        words: 'skipped: this is a producer, and only consumers can pull',
      },
    ]);
  });

  test.each<[string, Reply, object]>([
    [
      'refuses the secret',
      json(401, { error: 'invalid_client', error_description: 'Unknown.' }),
      { check: 'token', state: 'fail', words: expect.stringMatching(/^invalid_client: Unknown\./) },
    ],
    [
      'is gone meanwhile',
      cut(200),
      { check: 'connection', state: 'fail', words: expect.stringMatching(/^Cannot reach http/) },
    ],
  ])('that %s is examined until then', async (_what, reply, finding) => {
    const { found, baseUrl } = await examined({ '/oauth/token': [reply] });
    expect(found).toEqual([...begun(baseUrl), finding]);
  });
});

describe('the way to a bus', () => {
  const patient: Patient = {
    baseUrl: 'https://bus.invalid/v1',
    client: { id: 'c1', secret: 's' },
  };
  const HTTPS_PROXY = 'http://proxy.invalid:3128';
  const outer = { ...process.env };
  const direct = { HTTPS_PROXY: '', https_proxy: '', NO_PROXY: '', no_proxy: '' };
  const states = async (env: NodeJS.ProcessEnv, one = patient) => {
    Object.assign(process.env, direct, env);
    const found = await diagnose(one, () => at);
    return found.map(({ check, state, words }) => [check, state, words]);
  };
  afterEach(() => {
    process.env = { ...outer };
  });
  const address = ['address', 'ok', patient.baseUrl];
  const unknown = ['dns', 'fail', 'This machine cannot resolve the host name bus.invalid.'];

  test('ends at a name that nobody knows', async () => {
    expect(await states({})).toEqual([address, unknown]);
    const words = 'HTTPS_PROXY is not used here: NO_PROXY names bus.invalid';
    expect(await states({ HTTPS_PROXY, NO_PROXY: 'bus.invalid' })).toEqual([
      address,
      ['proxy', 'info', words],
      unknown,
    ]);
  });

  test('leads through the proxy, which looks the name up', async () => {
    expect((await states({ HTTPS_PROXY })).slice(0, 3)).toEqual([
      address,
      ['proxy', 'info', `calls go through ${HTTPS_PROXY}, which HTTPS_PROXY names`],
      ['dns', 'info', 'the proxy looks up bus.invalid'],
    ]);
  });

  test('is not looked at where the proxy is none, or the address no secret may be sent to', async () => {
    expect(await states({ HTTPS_PROXY: 'ftp://proxy.invalid' })).toEqual([
      address,
      ['connection', 'fail', expect.stringMatching(/^HTTPS_PROXY does not begin with http/)],
    ]);
    const words = 'http://bus.invalid/v1 does not use https: the secret would travel in the clear.';
    expect(await states({}, { ...patient, baseUrl: 'http://bus.invalid/v1' })).toEqual([
      ['address', 'fail', words],
    ]);
  });
});

describe('sombus doctor', () => {
  const nobody = { SOMBUS_CLIENT_ID: 'ctest', SOMBUS_CLIENT_SECRET: 's' };

  test('prints a line for each finding, and its details below it', async () => {
    const { done, baseUrl } = await withBus(
      { '/validate': [refusal(400, 'story-context.required')] },
      SOMBUS_BASE_URL =>
        sombusWith(
          { ...nobody, SOMBUS_BASE_URL, SOMBUS_WORKSPACE: 'wtest' },
          ...['doctor', '--message', saved('message.json', '{}'), '--data', folder],
        ),
    );
    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringMatching(/^[12] of 8 checks failed/),
    ]);
    const lines = done.stdout.split('\n').filter(line => !line.includes('clock'));
    expect(lines).toEqual([
      `ok   address     ${baseUrl}`,
      'ok   dns         127.0.0.1 resolves to 127.0.0.1',
      '-    tls         the local service does not use it',
      'ok   health      SOM 1.0.0',
      expect.stringMatching(/^- {4}token {7}connection ctest in workspace wtest; the bus gives/),
      'FAIL dry run     the message would be refused: status 400, 1 reason',
      expect.stringMatching(/^ {7}- {2}No\. \[story-context\.required: docs\/rules\//),
      '-    pull        skipped: this is a producer, and only consumers can pull',
      '',
    ]);
  });

  test('tries a token of another issuer, without the secret of a connection', async () => {
    const claims = Buffer.from('{"iss":"i"}').toString('base64url');
    const token = `e30.${claims}.c2ln`;
    const { done, calls } = await withBus({}, SOMBUS_BASE_URL =>
      sombusWith(
        { SOMBUS_BASE_URL, SOMBUS_WORKSPACE: 'w1' },
        ...['doctor', '--token', saved('token.txt', `${token}\n`), '--system-id', 'mam-1'],
        ...['--json', '--data', folder],
      ),
    );
    expect(JSON.parse(done.stdout).slice(-2)).toEqual([
      { check: 'token', state: 'ok', words: 'the bus takes it', details: ['iss: "i"'] },
      { check: 'dry run', state: 'ok', words: 'story.context as mam-1 would be accepted' },
    ]);
    expect(calls.map(({ line, authorization }) => [line, authorization])).toEqual([
      ['/health', undefined],
      ['/validate', `Bearer ${token}`],
    ]);
  });
});

describe('sombus doctor --aws', () => {
  const caller = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
    <GetCallerIdentityResult><Arn>arn:aws:sts::123456789012:user/olga</Arn>
    <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const TableArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/r';
  const tables = { registry: 'r', ledger: 'l', activity: 'a', sessions: 's' };
  const ofParameter =
    (told: string | undefined) =>
    ({ Name }: Readonly<Record<string, unknown>>) => {
      if (Name !== '/sombus/sandbox/tables') return { Parameter: { Value: '28' } };
      return told === undefined
        ? new AwsRefusal('ParameterNotFound')
        : { Parameter: { Value: told } };
    };
  const basic = {
    GetCallerIdentity: caller,
    'GET /2016-08-19/account-settings': {
      AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 },
    },
    'GET /account': { cloudwatchRoleArn: 'arn:role' },
  };

  /** Runs the doctor in a folder with settings, where AWS answers so. */
  const diagnosed = async (
    answers: Parameters<typeof fakeAws>[0],
    settings: object,
    ...args: readonly string[]
  ) => {
    const aws = await fakeAws({ ...basic, ...answers });
    saved('cdk.json', JSON.stringify({ context: { sandbox: settings } }));
    const services = ['DYNAMODB', 'SSM', 'API_GATEWAY', 'CLOUDWATCH', 'KMS', 'SQS', 'STS'];
    const outer = process.cwd();
    process.chdir(folder);
    const done = await sombusWith(
      {
        ...Object.fromEntries(services.map(name => [`AWS_ENDPOINT_URL_${name}`, aws.url])),
        AWS_ENDPOINT_URL: aws.url,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 's',
        SOMBUS_ORIGIN: 'https://bus.invalid',
        HTTPS_PROXY: 'http://proxy.invalid:3128',
        NO_PROXY: '',
        no_proxy: '',
      },
      ...['doctor', '--aws', 'sandbox', ...args],
    ).finally(() => process.chdir(outer));
    await aws.close();
    return { ...done, calls: aws.calls };
  };

  const proxy =
    '-    proxy       calls of AWS do not go through http://proxy.invalid:3128, which HTTPS_PROXY names: they need a direct way\n';

  test('compares the account with cdk.json', async () => {
    const { code, stdout, stderr } = await diagnosed({}, { account: '999999999999', region: '' });
    expect([code, stderr]).toEqual([1, '1 of 2 checks failed.\n']);
    expect(stdout).toBe(
      `${proxy}FAIL account     These are credentials for 123456789012, but cdk.json names 999999999999.\n`,
    );
  });

  test('ends where the environment is not deployed yet, and rings nothing', async () => {
    const { code, stdout, calls } = await diagnosed(
      {
        GetParameter: ofParameter(undefined),
        DescribeTable: new AwsRefusal('ResourceNotFoundException'),
        ListSubscriptionsByTopic: new AwsRefusal('NotFoundException'),
      },
      { account: '', region: '', alarmAddress: 'ops@example.org' },
      '--ring',
    );
    expect([code, stdout.split('\n').slice(1)]).toEqual([
      expect.any(Number),
      [
        'ok   account     123456789012 in eu-west-1, as arn:aws:sts::123456789012:user/olga',
        'ok   bootstrap   version 28',
        'ok   functions   900 copies at once are not reserved, 612 are needed',
        'ok   logging     API Gateway logs as arn:role; a deployment sets the role of the whole account and region',
        expect.stringContaining('alarms'),
        '-    tables      not deployed yet',
        '',
      ],
    ]);
    expect(calls.map(([operation]) => operation)).not.toContain('SetAlarmState');
  });

  const deployed = {
    GetParameter: ofParameter(JSON.stringify(tables)),
    DescribeTable: { Table: { TableArn, DeletionProtectionEnabled: true } },
    DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } },
    DescribeContinuousBackups: {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
      },
    },
    SetAlarmState: {},
  };
  const lastOf = (stdout: string) => stdout.trimEnd().split('\n').slice(6);

  test('lets an alarm ring if that is asked for, and goes on', async () => {
    const { stdout } = await diagnosed(deployed, {}, '--ring');
    expect(lastOf(stdout)).toEqual([
      'ok   tables      r, l, a, s',
      '-    ring        sombus-sandbox-job-failures rings now and says a minute later that it is over: see that both emails arrive',
      'FAIL message     GetItem: AccessDeniedException',
    ]);
    const refused = await diagnosed(
      { ...deployed, SetAlarmState: new AwsRefusal('No') },
      {},
      '--ring',
    );
    expect(lastOf(refused.stdout)[1]).toBe('FAIL ring        SetAlarmState: No');
    const silent = await diagnosed(deployed, {});
    expect(lastOf(silent.stdout)).toHaveLength(2);
  });

  test('examines connections, keys and a message of what is deployed', async () => {
    const { stdout } = await diagnosed(
      {
        ...deployed,
        GetItem: {},
        TransactWriteItems: {},
        Query: { Items: [] },
        GetPublicKey: new AwsRefusal('NotFoundException'),
      },
      {},
    );
    expect(lastOf(stdout)).toEqual([
      'ok   tables      r, l, a, s',
      expect.stringMatching(/^FAIL connections GET \/usageplans\S*: AccessDeniedException/),
      'FAIL keys        There is no key: add one.',
      expect.stringMatching(/^FAIL message {5}/),
    ]);
  });
});
