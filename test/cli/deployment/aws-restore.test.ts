import { recoverEnvironment } from '../../../lib/cli/deployment/aws-recover.ts';
import { stoppedForRestore } from '../../../lib/cli/deployment/aws-restore.ts';
import { reservedCopies } from '../../../lib/contract/functions.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { sombusOn } from '../../support/commands.ts';
import { AwsRefusal, fakeAws } from '../../support/fakes/aws.ts';

type Input = Readonly<Record<string, unknown>>;

const outer = { ...process.env };
afterEach(() => {
  process.env = { ...outer };
});

const served = { registry: 'r', ledger: 'l', activity: 'a', sessions: 's' };
const GetParameter = { Parameter: { Value: JSON.stringify(served) } };
const absent = new AwsRefusal('ResourceNotFoundException');

/** Runs a command of an environment where AWS answers so. */
const ran = async (
  answers: Parameters<typeof fakeAws>[0],
  args: readonly string[],
  ports: object = {},
) => {
  const aws = await fakeAws(answers);
  const services = ['DYNAMODB', 'SSM', 'LAMBDA'];
  Object.assign(process.env, {
    ...Object.fromEntries(services.map(name => [`AWS_ENDPOINT_URL_${name}`, aws.url])),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
  });
  const command = ['aws', ...args, '--environment', 'sandbox'];
  const { code, stdout, stderr } = await sombusOn({ registry: () => ports as never }, ...command);
  await aws.close();
  const of = (operation: string) =>
    aws.calls.filter(([one]) => one === operation).map(([, input]) => input);
  return { code, stdout, errors: stderr.split('\n').slice(0, -1), calls: aws.calls, of };
};

const copies = (name: string) => `/2017-10-31/functions/sombus-sandbox-${name}/concurrency`;
const limited = Object.fromEntries(stoppedForRestore.map(name => [`PUT ${copies(name)}`, {}]));
const unlimited = Object.fromEntries(stoppedForRestore.map(name => [`DELETE ${copies(name)}`, {}]));

describe('sombus aws restore', () => {
  const seconds = (time: string) => Date.parse(time) / 1000;
  const ring = { pk: { S: 'KEYS' }, sk: { S: 'RING' }, version: { N: '3' } };
  const answers = {
    ...limited,
    GetParameter,
    DescribeTable: absent,
    DescribeContinuousBackups: {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: {
          EarliestRestorableDateTime: seconds('2026-11-20T09:30:00Z'),
          LatestRestorableDateTime: seconds('2026-11-24T09:30:00Z'),
        },
      },
    },
    RestoreTableToPointInTime: { TableDescription: { TableStatus: 'ACTIVE' } },
    UpdateTimeToLive: {},
    UpdateContinuousBackups: {},
    UpdateTable: {},
    GetItem: ({ Key }: Input) => (JSON.stringify(Key).includes('KEYS') ? { Item: ring } : {}),
    PutItem: {},
  };
  const to = ['--to', '2026-11-22T09:30:00Z'];

  test('stops what writes, and makes the tables anew under other names', async () => {
    const { code, stdout, errors, calls, of } = await ran(answers, [
      ...['restore', ...to, '--name', 'x1'],
    ]);
    expect([code, stdout]).toEqual([
      0,
      'Write "restoring": "x1" into cdk.json, deploy, and let everything run again with --resume.\n',
    ]);
    const made = ['registry', 'ledger', 'activity', 'sessions'].map(
      one => `sombus-sandbox-${one}-x1`,
    );
    expect(errors.slice(0, 2)).toEqual([
      `stopping ${stoppedForRestore.length} functions: callers get 503 and retry`,
      'restoring the tables: minutes to hours, by their size',
    ]);
    expect(errors.slice(2).sort()).toEqual(made.map(one => `${one} is there`).sort());
    const stops = calls.filter(([operation]) => operation.startsWith('PUT '));
    expect(stops.map(([operation]) => operation).sort()).toEqual(Object.keys(limited).sort());
    for (const [, input] of stops) expect(input).toEqual({ ReservedConcurrentExecutions: 0 });
    const RestoreDateTime = seconds('2026-11-22T09:30:00Z');
    const restored = (SourceTableName: string, at: object, index: number) => ({
      SourceTableName,
      TargetTableName: made[index],
      ...at,
    });
    const byName = (one: Input, other: Input) =>
      String(one['SourceTableName']) < String(other['SourceTableName']) ? -1 : 1;
    expect([...of('RestoreTableToPointInTime')].sort(byName)).toEqual([
      restored('a', { RestoreDateTime }, 2),
      restored('l', { RestoreDateTime }, 1),
      restored('r', { RestoreDateTime }, 0),
      restored('s', { UseLatestRestorableTime: true }, 3),
    ]);
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const backups = made.map(TableName => ({ TableName, PointInTimeRecoverySpecification }));
    expect(of('UpdateContinuousBackups')).toHaveLength(4);
    expect(of('UpdateContinuousBackups')).toEqual(expect.arrayContaining(backups));
    expect(of('UpdateTimeToLive')).toHaveLength(4);
    expect(of('UpdateTimeToLive')).toContainEqual({
      TableName: made[0],
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires_at' },
    });
    expect(of('GetItem')).toEqual(
      ['KEYS', 'SEALS'].map(pk => ({
        TableName: 'r',
        Key: { pk: { S: pk }, sk: { S: 'RING' } },
        ConsistentRead: true,
      })),
    );
    expect(of('PutItem')).toEqual([{ TableName: made[0], Item: ring }]);
  });

  test('lets every function run again, with the copies that are reserved for it', async () => {
    const { code, calls } = await ran({ ...limited, ...unlimited }, ['restore', '--resume']);
    const expected = stoppedForRestore.map(name => {
      const count = reservedCopies[name];
      if (count === undefined) return [`DELETE ${copies(name)}`, {}];
      return [`PUT ${copies(name)}`, { ReservedConcurrentExecutions: count }];
    });
    expect(code).toBe(0);
    expect([...calls].sort()).toEqual(expected.sort());
  });

  const which =
    'refused: Name the point in time with --to, and the end of the tables’ names with --name: ' +
    'at most 20 letters, digits, _ . and -, such as 20261122.';

  test.each([
    [['--name', 'x1'], served, which],
    [to, served, which],
    [[...to, '--name', 'x/1'], served, which],
    [
      [...to, '--name', 'x1'],
      undefined,
      'refused: The environment sandbox is not deployed in this account and region.',
    ],
    [
      [...to, '--name', 'x1'],
      { ...served, registry: 'sombus-sandbox-registry-x1' },
      'refused: The functions work on the tables -x1 already.',
    ],
  ])('%j on %j is refused before anything stops', async (args, tables, sentence) => {
    const told =
      tables === undefined
        ? new AwsRefusal('ParameterNotFound')
        : { Parameter: { Value: JSON.stringify(tables) } };
    const { code, errors, calls } = await ran({ ...answers, GetParameter: told }, [
      ...['restore', ...args],
    ]);
    expect([code, errors]).toEqual([1, [sentence]]);
    expect(calls.filter(([operation]) => operation !== 'GetParameter')).toEqual([]);
  });
});

const ringKey = { kid: 'k1', keyId: 'arn:here', state: 'active', publishedAt: 0 };

/** A registry of one workspace, whose gateway has these keys and is busy for some. */
const portsOf = (keyed: readonly string[], busy: readonly string[] = []) => {
  const assigned: unknown[] = [];
  const all = ['c1', 'c2', 'c3'].map(id => connectionOf(id, 'producer', 'w1'));
  const ports = {
    directory: {
      page: async () => ({ entries: [{ id: 'o1' }] }),
      list: async () => [{ id: 'w1' }],
    },
    connections: { ofWorkspace: async () => [...all, connectionOf('c4', 'consumer', 'w1')] },
    principals: { list: async () => [] },
    guardedQueues: { look: async () => ({ isGuarded: true }) },
    usageKeys: { connections: async () => new Set(keyed) },
    usagePlans: {
      async assign(id: string, quota: unknown) {
        if (busy.includes(id)) throw new Error('API Gateway is busy.');
        assigned.push([id, quota]);
      },
    },
    keyRings: { find: async () => ({ version: 1, keys: [ringKey] }) },
    isKeyHere: () => true,
    clock: { now: () => 5 },
  };
  return { ports, assigned };
};

describe('a recovery', () => {
  const recovered = async (
    keyed: readonly string[],
    { busy = [], change = {} }: { busy?: readonly string[]; change?: object } = {},
  ) => {
    const { ports, assigned } = portsOf(keyed, busy);
    const said: string[] = [];
    const noted: unknown[] = [];
    const result: unknown = await recoverEnvironment({
      ports: { ...ports, ...change } as never,
      notes: { on: async ({ id }, what) => void noted.push([id, what]) },
      secureTables: async () => ['l', 's'],
      say: line => void said.push(line),
    }).catch((error: unknown) => error);
    return { result, said, noted, assigned };
  };
  const begun = ['signing keys: unchanged', 'tables: secured l, s'];
  const of = (connection_id: string, kind = 'producer') => ({
    connection_id,
    kind,
    workspace_id: 'w1',
  });

  test('makes the keys that are missing, and says and notes which', async () => {
    expect(await recovered(['c1', 'c3'])).toEqual({
      result: [
        { ...of('c2'), key: 'made', queue: null },
        { ...of('c4', 'consumer'), key: 'made', queue: 'unchanged' },
      ],
      said: [...begun, 'c2 of w1: made', 'c4 of w1: made', '4 connections: 2 lacked nothing.'],
      noted: [
        ['c2', 'connection.recover'],
        ['c4', 'connection.recover'],
      ],
      assigned: [
        ['c2', 'standard'],
        ['c4', 'standard'],
      ],
    });
  });

  test('that fails in part names the part', async () => {
    const { result, said, noted } = await recovered(['c3', 'c4'], { busy: ['c1'] });
    expect([said.slice(2), noted]).toEqual([
      ['c1 of w1: failed', 'c2 of w1: made', '4 connections: 2 lacked nothing.'],
      [['c2', 'connection.recover']],
    ]);
    expect(result).toMatchObject({
      message: '1 of 4 connections could not be recovered: repeat the command, which goes on.',
      details: ['c1: API Gateway is busy.'],
    });
  });

  test('in another region begins with a key of that region', async () => {
    const written: unknown[] = [];
    const keyRings = {
      find: async () => ({ version: 1, keys: [ringKey] }),
      first: async () => ({ kid: 'k2', keyId: 'arn:there' }),
      replace: async (ring: object) => written.push(ring) > 0,
    };
    const isKeyHere = (id: string) => id === 'arn:there';
    const { said } = await recovered(['c1', 'c2', 'c3', 'c4'], { change: { keyRings, isKeyHere } });
    expect(said[0]).toBe(
      'signing keys: k2 signs from now on, clients get new tokens with their secrets',
    );
    expect(written).toHaveLength(1);
  });
});

describe('sombus aws recover', () => {
  const complete = {
    DescribeTable: { Table: { DeletionProtectionEnabled: true } },
    DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } },
    DescribeContinuousBackups: ({ TableName }: Input) => ({
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: {
          PointInTimeRecoveryStatus: TableName === 'l' ? 'DISABLED' : 'ENABLED',
        },
      },
    }),
    UpdateTimeToLive: new AwsRefusal('ValidationException'),
    UpdateContinuousBackups: {},
    UpdateTable: {},
  };
  const { ports } = portsOf(['c1', 'c2', 'c3', 'c4']);
  const recover = (told: object) =>
    ran({ ...complete, GetParameter: told }, ['recover', '--data', 'x', '--json'], ports);
  const nothing = '4 connections: 4 lacked nothing.';

  test('secures the tables that lack something, and no others', async () => {
    const { code, stdout, errors, of } = await recover(GetParameter);
    expect([code, stdout, errors]).toEqual([
      0,
      '[]\n',
      ['signing keys: unchanged', 'tables: secured l', nothing],
    ]);
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    expect([of('UpdateTimeToLive'), of('UpdateContinuousBackups'), of('UpdateTable')]).toEqual([
      [{ TableName: 'l', TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires_at' } }],
      [{ TableName: 'l', PointInTimeRecoverySpecification }],
      [{ TableName: 'l', DeletionProtectionEnabled: true }],
    ]);
  });

  test('secures none where nothing is deployed', async () => {
    const { errors } = await recover(new AwsRefusal('ParameterNotFound'));
    expect(errors).toEqual(['signing keys: unchanged', 'tables: unchanged', nothing]);
  });
});
