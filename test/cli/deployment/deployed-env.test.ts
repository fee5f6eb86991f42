import { deployedEnv } from '../../../lib/cli/frame/target.ts';
import { tableVars } from '../../../lib/contract/environments.ts';
import { type TableName, tableNames } from '../../../lib/contract/tables.ts';
import type { Engines } from '../../../lib/local/engines.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { createTables } from '../../../lib/local/provision.ts';
import { StartRefusal } from '../../../lib/local/start-refusal.ts';
import { startLocalAws } from '../../support/local-aws.ts';
import { json, type Reply, scriptedServer } from '../../support/scripted-server.ts';

let aws: Engines;
let env: Record<string, string>;
let parameters: Awaited<ReturnType<typeof scriptedServer>>;

const parameter = (value: object) => json(200, { Parameter: { Value: JSON.stringify(value) } });

const names = (suffix: string) =>
  Object.fromEntries(tableNames.map(name => [name, `sombus-sandbox-${name}${suffix}`])) as Record<
    TableName,
    string
  >;

/** What the deployment noted of its tables. */
const noted = (suffix: string): Reply => parameter(names(suffix));

const notFound = json(400, { __type: 'ParameterNotFound' });

beforeAll(async () => {
  aws = await startLocalAws();
  parameters = await scriptedServer({ '/': [noted('')] });
  env = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB: aws.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SSM: new URL(parameters.baseUrl).origin,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
    SOMBUS_ORIGIN: 'https://bus.example',
  };
  for (const suffix of ['', '-20261122'])
    await createTables(localEnv('http://127.0.0.1', aws.endpoints), names(suffix));
});

afterAll(async () => {
  await parameters.close();
  await aws.close();
});

test('a deployed environment is found by the names of its resources, its queues by the account of its registry', async () => {
  const found = await deployedEnv('sandbox', env);
  expect(found).toMatchObject({
    SOMBUS_ENVIRONMENT: 'sandbox',
    SOMBUS_ORIGIN: 'https://bus.example',
    SOMBUS_REGISTRY_TABLE: 'sombus-sandbox-registry',
    SOMBUS_LEDGER_TABLE: 'sombus-sandbox-ledger',
    SOMBUS_SIGNING_KEY: 'alias/sombus-sandbox-signing',
    AWS_ENDPOINT_URL_DYNAMODB: aws.endpoints.dynamodb,
  });
  const { AWS_REGION: region, SOMBUS_QUEUE_BASE_URL: queues, SOMBUS_QUEUE_BASE_ARN: arns } = found;
  expect(queues).toMatch(new RegExp(`^https://sqs\\.${region}\\.amazonaws\\.com/\\d{12}/$`));
  expect(arns).toMatch(new RegExp(`^arn:aws:sqs:${region}:\\d{12}:$`));
});

/** The environment as it is found where Systems Manager answers so. */
const foundWhere = async (response: Reply, more: Readonly<Record<string, string>> = {}) => {
  const told = await scriptedServer({ '/': [response] });
  const there = { ...env, AWS_ENDPOINT_URL_SSM: new URL(told.baseUrl).origin, ...more };
  return deployedEnv('sandbox', there).finally(told.close);
};

test('after a restore, commands work on the tables that the functions work on, without being told', async () => {
  const found = await foundWhere(noted('-20261122'));
  for (const name of tableNames)
    expect(found[tableVars[name]]).toBe(`sombus-sandbox-${name}-20261122`);
});

test('a variable of the shell names another table', async () => {
  const found = await foundWhere(noted(''), { SOMBUS_LEDGER_TABLE: 'mine' });
  expect([found.SOMBUS_REGISTRY_TABLE, found.SOMBUS_LEDGER_TABLE]).toEqual([
    'sombus-sandbox-registry',
    'mine',
  ]);
});

test('commands refuse to guess: without a note of the tables, or with an unreadable one', async () => {
  await expect(foundWhere(notFound)).rejects.toThrow('is not deployed in this account and region');
  await expect(foundWhere(parameter({ registry: 'r' }))).rejects.toThrow(
    'The parameter /sombus/sandbox/tables does not name the tables',
  );
});

test('the endpoints that the shell names are used, and no others', async () => {
  const named = {
    AWS_ENDPOINT_URL_DYNAMODB: aws.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: 'https://sqs.example',
    AWS_ENDPOINT_URL_KMS: 'https://kms.example',
    AWS_ENDPOINT_URL_API_GATEWAY: 'https://apis.example',
    AWS_ENDPOINT_URL_SSM: new URL(parameters.baseUrl).origin,
  };
  const other = { AWS_ENDPOINT_URL_S3: 'https://s3.example', AWS_ENDPOINT_URL_SNS: '' };
  const found = await deployedEnv('sandbox', { ...env, ...named, ...other });
  const endpoints = Object.entries(found).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'));
  expect(Object.fromEntries(endpoints)).toEqual(named);
  expect(found['SOMBUS_QUEUE_BASE_URL']).toMatch(/^https:\/\/sqs\.example\/\d{12}\/$/);
});

test('an environment that is not deployed is refused with a sentence', async () => {
  await expect(foundWhere(noted('-lost'))).rejects.toThrow(
    new StartRefusal(
      'The environment sandbox is not deployed in this account and region: check AWS_REGION and AWS_PROFILE.',
    ),
  );
});

describe('where SOMBUS_ORIGIN names no address', () => {
  /** The environment as it is found where API Gateway lists these APIs, a page each. */
  const foundWith = async (...pages: readonly string[]) => {
    const replies = pages.map((name, page) =>
      json(200, {
        item: [{ id: `api${page}`, name }],
        ...(page + 1 < pages.length ? { position: 'on' } : {}),
      }),
    );
    const gateway = await scriptedServer({ '/restapis': replies });
    const AWS_ENDPOINT_URL_API_GATEWAY = new URL(gateway.baseUrl).origin;
    const there = { ...env, SOMBUS_ORIGIN: '', AWS_ENDPOINT_URL_API_GATEWAY };
    return deployedEnv('sandbox', there).finally(gateway.close);
  };

  test("it is the URL of the bus's API, on whichever page that is", async () => {
    const found = await foundWith('somebody-elses', 'sombus-sandbox-portal', 'sombus-sandbox-bus');
    expect(found.SOMBUS_ORIGIN).toBe(`https://api2.execute-api.${found.AWS_REGION}.amazonaws.com`);
  });

  test('an environment without an API is refused, instead of being given an address', async () => {
    await expect(foundWith('sombus-preview-bus')).rejects.toThrow(
      new StartRefusal(
        'The environment sandbox has no API sombus-sandbox-bus in this account and region: deploy it, or set SOMBUS_ORIGIN.',
      ),
    );
  });
});
