import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { localEnv } from '../../lib/local/env.ts';
import { provision } from '../../lib/local/provision.ts';
import { serveInProcess } from '../../lib/platform/aws/clients.ts';

const engines = { dynamodb: 'http://d', sqs: 'http://s', kms: 'http://k', cloudwatch: 'http://c' };

/** Engines that note what they are asked, each call once the one before it is answered. */
const set = (failures: Readonly<Record<string, string>> = {}) => {
  const env = localEnv('http://127.0.0.1', engines);
  const asked: [string, object][] = [];
  let isBusy = false;
  const answer = async (command: object) => {
    const name = command.constructor.name.replace(/Command$/, '');
    expect([name, isBusy]).toEqual([name, false]);
    isBusy = true;
    await new Promise(resolve => setImmediate(resolve));
    isBusy = false;
    asked.push([name, (command as { input: object }).input]);
    const failure = failures[name];
    if (failure !== undefined) throw Object.assign(new Error(failure), { name: failure });
    return name === 'CreateKey' ? { KeyMetadata: { KeyId: 'key-7' } } : {};
  };
  serveInProcess(env, { DYNAMODB: answer, KMS: answer });
  return { env, asked, names: () => asked.map(([name]) => name) };
};

const four = (name: string) => Array.from({ length: 4 }, () => name);
const created = [...four('CreateTable'), ...four('UpdateTimeToLive'), 'DescribeKey'];
const key = [
  { AttributeName: 'pk', KeyType: 'HASH' },
  { AttributeName: 'sk', KeyType: 'RANGE' },
];
const attribute = (AttributeName: string, AttributeType = 'S') => ({
  AttributeName,
  AttributeType,
});
const index = (IndexName: string, [hash, range]: [string, string], ProjectionType: string) => ({
  IndexName,
  KeySchema: [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType },
});
const common = { BillingMode: 'PAY_PER_REQUEST', KeySchema: key };

afterEach(() => jest.restoreAllMocks());

test('tables are made with their keys, indexes and expiry, and the signing key by its alias', async () => {
  const { env, asked } = set({ DescribeKey: 'NotFoundException' });
  await provision(env);
  const tables = [
    {
      TableName: 'sombus-registry',
      ...common,
      AttributeDefinitions: [attribute('pk'), attribute('sk'), attribute('parent')],
      GlobalSecondaryIndexes: [index('children', ['parent', 'pk'], 'ALL')],
    },
    {
      TableName: 'sombus-ledger',
      ...common,
      AttributeDefinitions: [
        ...[attribute('pk'), attribute('sk'), attribute('pending_work'), attribute('due_at', 'N')],
        ...[attribute('archive_day'), attribute('archive_position')],
      ],
      GlobalSecondaryIndexes: [
        index('pending', ['pending_work', 'due_at'], 'KEYS_ONLY'),
        index('archive', ['archive_day', 'archive_position'], 'KEYS_ONLY'),
      ],
    },
    {
      TableName: 'sombus-activity',
      ...common,
      AttributeDefinitions: [
        ...[attribute('pk'), attribute('sk')],
        ...[attribute('in_flight_of'), attribute('visible_at', 'N')],
      ],
      GlobalSecondaryIndexes: [index('in_flight', ['in_flight_of', 'visible_at'], 'ALL')],
    },
    {
      TableName: 'sombus-sessions',
      ...common,
      AttributeDefinitions: [attribute('pk'), attribute('sk')],
    },
  ];
  const TimeToLiveSpecification = { AttributeName: 'expires_at', Enabled: true };
  const alias = 'alias/sombus-signing';
  expect(asked).toEqual([
    ...tables.map(table => ['CreateTable', table]),
    ...tables.map(({ TableName }) => ['UpdateTimeToLive', { TableName, TimeToLiveSpecification }]),
    ['DescribeKey', { KeyId: alias }],
    ['CreateKey', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }],
    ['CreateAlias', { AliasName: alias, TargetKeyId: 'key-7' }],
  ]);
});

test('what is there already stays as it is', async () => {
  const { env, names } = set({
    CreateTable: 'ResourceInUseException',
    UpdateTimeToLive: 'ValidationException',
  });
  await provision(env);
  expect(names()).toEqual(created);
});

test.each([
  ['CreateTable', 1],
  ['UpdateTimeToLive', 5],
  ['DescribeKey', 9],
])('another error of %s ends it', async (call, calls) => {
  const { env, names } = set({ [call]: 'InternalServerError' });
  await expect(provision(env)).rejects.toThrow('InternalServerError');
  expect(names()).toEqual(created.slice(0, calls));
});

test('no connection is left open, and none is closed before the signing key is there', async () => {
  const { env, names } = set({ DescribeKey: 'NotFoundException' });
  const database = jest.spyOn(DynamoDBClient.prototype, 'destroy');
  const closed: number[] = [];
  jest.spyOn(KMSClient.prototype, 'destroy').mockImplementation(() => {
    closed.push(names().length);
  });
  await provision(env);
  expect(database).toHaveBeenCalledTimes(2);
  expect(closed).toEqual([11]);
});
