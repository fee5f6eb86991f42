import { objectOf } from '../../lib/engines/aws-json/input.ts';
import { openDynamoDb } from '../../lib/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../lib/engines/dynamodb/operations.ts';
import { kmsOperations } from '../../lib/engines/kms/engine.ts';
import { sqsOperations } from '../../lib/engines/sqs/engine.ts';
import { openStore } from '../../lib/engines/store/store.ts';
import type { JsonObject } from '../../lib/json/value.ts';

const started = () => {
  const store = openStore();
  // A reference that only the commit checks.
  store.define(`PRAGMA foreign_keys = ON;
    CREATE TABLE wholes (name TEXT PRIMARY KEY);
    CREATE TABLE parts (whole TEXT REFERENCES wholes (name) DEFERRABLE INITIALLY DEFERRED)`);
  const queues = sqsOperations(store);
  const engines = {
    dynamodb: dynamoDbOperations(openDynamoDb(store, Date)),
    sqs: queues.operations,
    kms: kmsOperations(store).operations,
  };
  const call = { endpoint: 'http://127.0.0.1:1', gone: new AbortController().signal };
  return {
    store,
    ask: async (engine: keyof typeof engines, name: string, input: JsonObject): Promise<JsonObject> => {
      const operation = engines[engine].get(name);
      if (operation === undefined) throw new Error(`There is no ${name}.`);
      return operation(input, call);
    },
    async close() {
      queues.endPolls();
      await store.close();
    },
    /** Lets the commit of this turn fail. */
    async undo() {
      store.transaction(() => store.sql('INSERT INTO parts VALUES (?)').run('missing'));
      await expect(store.committed()).rejects.toThrow(/FOREIGN KEY/);
    },
  };
};

/** After a commit that failed, an engine knows nothing of what was undone. */
describe('what was undone is forgotten by', () => {
  test('DynamoDB', async () => {
    const { store, ask, undo, close } = started();
    const table = {
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    };
    const put = { TableName: 'things', Item: { pk: { S: 'a' } } };
    store.transaction(() => undefined);
    await ask('dynamodb', 'CreateTable', table);
    await ask('dynamodb', 'PutItem', put);
    await undo();
    await expect(ask('dynamodb', 'PutItem', put)).rejects.toThrow(/not found/);
    await ask('dynamodb', 'CreateTable', table);
    await close();
  });

  test('KMS', async () => {
    const { store, ask, undo, close } = started();
    const { KeyMetadata } = await ask('kms', 'CreateKey', {
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
    });
    const { KeyId } = objectOf(KeyMetadata, 'KeyMetadata');
    await store.saved();
    store.transaction(() => undefined);
    await ask('kms', 'DisableKey', { KeyId });
    expect(await ask('kms', 'DescribeKey', { KeyId })).toMatchObject({ KeyMetadata: { Enabled: false } });
    await undo();
    expect(await ask('kms', 'DescribeKey', { KeyId })).toMatchObject({ KeyMetadata: { Enabled: true } });
    await close();
  });

  test('SQS: numbers are given anew, and a poll finds at once what was taken', async () => {
    const { store, ask, undo, close } = started();
    const Attributes = { FifoQueue: 'true' };
    const { QueueUrl } = await ask('sqs', 'CreateQueue', { QueueName: 'q.fifo', Attributes });
    const send = (id: string) =>
      ask('sqs', 'SendMessage', {
        QueueUrl,
        MessageBody: id,
        MessageGroupId: 'g',
        MessageDeduplicationId: id,
      });
    await store.saved();
    await send('undone');
    await undo();
    const first = await send('first');
    await store.saved();
    const receive = { QueueUrl, VisibilityTimeout: 600, WaitTimeSeconds: 20 };
    expect(await ask('sqs', 'ReceiveMessage', receive)).toHaveProperty('Messages');
    const next = ask('sqs', 'ReceiveMessage', receive);
    await undo();
    expect(await next).toMatchObject({ Messages: [{ Body: 'first' }] });
    const second = await send('second');
    expect(String(second['SequenceNumber']) > String(first['SequenceNumber'])).toBe(true);
    await close();
  });
});
