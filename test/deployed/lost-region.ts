import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { tableNames } from '../../lib/contract/tables.ts';
import { prepareAccount } from './first-deployment.ts';
import { expectArrival, newMessage, publishOnce, publishPatiently } from './newsroom-traffic.ts';
import { commandIn, commandsIn } from './runbook.ts';
import { type Keys, printed, shellAt } from './shell.ts';
import { tokenOf } from './tokens.ts';
import { elsewhere, environment, region, workFolder } from './tools.ts';
import { type Run, rootKeys, type World } from './world.ts';

const heading = '## A region is lost';
const first = '## Before the first deployment';

/** At the emulator, the number of an account is the key of its root user. */
const otherRoot: Keys = { ...rootKeys, AWS_ACCESS_KEY_ID: elsewhere.account };

const dynamoDbAs = (keys: Keys, place: string): DynamoDBClient =>
  new DynamoDBClient({
    region: place,
    credentials: {
      accessKeyId: keys.AWS_ACCESS_KEY_ID,
      secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
    },
  });

const batchOf = 25;

/** Makes a table from another one, as AWS Backup does from a copy: its keys, indexes and items. */
const copyTable = async (
  from: { readonly client: DynamoDBClient; readonly name: string },
  to: { readonly client: DynamoDBClient; readonly name: string },
): Promise<number> => {
  const { Table } = await from.client.send(new DescribeTableCommand({ TableName: from.name }));
  assert.ok(Table, `There is no table ${from.name}.`);
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table;
  const indexes = GlobalSecondaryIndexes.map(one => ({
    IndexName: one.IndexName,
    KeySchema: one.KeySchema,
    Projection: one.Projection,
  }));
  await to.client.send(
    new CreateTableCommand({
      TableName: to.name,
      KeySchema,
      AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
      ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
    }),
  );
  const items: Record<string, AttributeValue>[] = [];
  for await (const page of paginateScan({ client: from.client }, { TableName: from.name }))
    items.push(...(page.Items ?? []));
  for (let at = 0; at < items.length; at += batchOf) {
    const puts = items.slice(at, at + batchOf).map(Item => ({ PutRequest: { Item } }));
    await to.client.send(new BatchWriteItemCommand({ RequestItems: { [to.name]: puts } }));
  }
  return items.length;
};

/** The names of the tables that the environment works on. */
const servedTables = async ({ shell }: Run): Promise<Readonly<Record<string, string>>> => {
  const value = await printed(
    shell(
      rootKeys,
      'aws ssm get-parameter --name /sombus/$ENV/tables --query Parameter.Value --output text',
    ),
  );
  return JSON.parse(value);
};

/** The environment is made anew in another account and region, from copies of its tables. */
export const lostRegion = async (run: Run, world: World): Promise<void> => {
  const { checks } = run;
  checks.step('A region is lost');
  const { producer, consumer } = world;
  const outputs = join(workFolder, 'elsewhere/outputs.json');
  const shell = shellAt(
    {
      assembly: join(workFolder, 'assemblies/elsewhere'),
      outputs,
      folder: join(workFolder, 'elsewhere'),
      account: elsewhere.account,
      region: elsewhere.region,
    },
    run.env,
  );
  const waiting = newMessage();
  await checks.check('a message waits in the queue of a consumer', () =>
    publishPatiently(world, producer, waiting),
  );
  const { deployer, operator } = await prepareAccount({ checks, shell }, otherRoot);
  const asOperator = (commands: string) => shell(operator, commands);

  await checks.check('the tables are there, as copies', async () => {
    const from = dynamoDbAs(rootKeys, region);
    const to = dynamoDbAs(otherRoot, elsewhere.region);
    const served = await servedTables(run);
    for (const table of tableNames) {
      const name = `sombus-${environment}-${table}-${elsewhere.restored}`;
      const source = { client: from, name: served[table] ?? '' };
      checks.count('items of a lost region', await copyTable(source, { client: to, name }));
    }
  });
  const isDeployed = await checks.check('the deployer deploys the four stacks there', () =>
    printed(shell(deployer, commandsIn(first, 'cdk deploy'))),
  );
  if (!isDeployed) return;
  const stacks = JSON.parse(readFileSync(outputs, 'utf8'));
  const there = {
    baseUrl: String(stacks[`sombus-${environment}-bus`]?.BaseUrl),
    workspace: world.workspace,
  };
  assert.match(there.baseUrl, new RegExp(`\\.${elsewhere.region}\\.`));

  await checks.check('before it is recovered, nobody gets in', () =>
    assert.rejects(tokenOf(there.baseUrl, producer), /50\d/),
  );
  await checks.check('sombus aws recover makes what is missing, and says what', async () => {
    const { code, out, err } = await asOperator(commandsIn(heading, 'aws recover'));
    assert.equal(code, 0, out + err);
    assert.match(err, /signing keys: \S+ signs from now on/);
    assert.match(err, new RegExp(`secured .*sombus-${environment}-ledger-${elsewhere.restored}`));
    for (const { client_id } of [producer, consumer]) assert.match(out, new RegExp(client_id));
  });
  await checks.check('repeated, it finds nothing to make', async () => {
    const { code, out, err } = await asOperator(commandsIn(heading, 'aws recover'));
    assert.equal(code, 0, out + err);
    assert.match(err, /signing keys: unchanged/);
    assert.match(err, /tables: unchanged/);
    assert.match(err, /^(\d+) connections: \1 lacked nothing\.$/m);
  });
  await checks.check('doctor --aws: every line is ok', async () => {
    const { code, out, err } = await asOperator(commandIn(heading, 'doctor --aws $ENV'));
    assert.equal(code, 0, out + err);
    assert.match(out, /connections\s+\d+, each with its key at API Gateway/);
  });
  await checks.check('clients go on with the secrets that they have', async () => {
    const message = newMessage();
    await publishPatiently(there, producer, message);
    await expectArrival(there, consumer, [message]);
  });
  await checks.check('what waited in a lost queue is replayed from the ledger', async () => {
    const replay = commandIn(heading, 'replay start');
    await printed(asOperator(`CONNECTION=${consumer.client_id}\n${replay}`));
    await expectArrival(there, consumer, [waiting]);
  });
  await checks.check('a repeated message is known there', async () => {
    const response = await publishOnce(there, producer, waiting);
    assert.equal(response.status, 200, await response.text());
  });
  await checks.check('the probe gets its connections again', () =>
    printed(asOperator(commandIn(first, 'aws probe'))),
  );
};
