import { objectOf } from '../../lib/engines/aws-json/input.ts';
import type { Operations } from '../../lib/engines/aws-json/server.ts';
import { committing } from '../../lib/engines/committing.ts';
import { openDynamoDb } from '../../lib/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../lib/engines/dynamodb/operations.ts';
import { kmsOperations } from '../../lib/engines/kms/engine.ts';
import { systemClock } from '../../lib/engines/machine.ts';
import { Issuer } from '../../lib/engines/oidc/issuer.ts';
import { sqsOperations } from '../../lib/engines/sqs/engine.ts';
import type { SqlValue } from '../../lib/engines/store/connection.ts';
import { openStore, type Store } from '../../lib/engines/store/store.ts';
import type { JsonObject } from '../../lib/json/value.ts';

/** The engines as they are, or as a service has them: they answer when a turn is committed. */
const started = (whenCommitted = (operations: Operations, _: Store): Operations => operations) => {
  const store = openStore();
  // A reference that only the commit checks.
  store.define(`PRAGMA foreign_keys = ON;
    CREATE TABLE wholes (name TEXT PRIMARY KEY);
    CREATE TABLE parts (whole TEXT REFERENCES wholes (name) DEFERRABLE INITIALLY DEFERRED)`);
  const queues = sqsOperations(store);
  const engines = {
    dynamodb: whenCommitted(dynamoDbOperations(openDynamoDb(store, Date)), store),
    sqs: whenCommitted(queues.operations, store),
    kms: whenCommitted(kmsOperations(store).operations, store),
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

const startedInService = () =>
  started((operations, store) => committing(operations, () => store.committed()));

describe('a refusal undoes nothing of what others did in the same turn:', () => {
  const table = {
    TableName: 'things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  };
  const TableName = 'things';
  const Key = { pk: { S: 'there' } };
  const half = { S: 'x'.repeat(250_000) };
  const tooLarge = { pk: { S: 'large' }, a: half, b: half };
  const small = { pk: { S: 'small' } };
  const once = 'attribute_not_exists(pk)';
  const put = (Item: JsonObject, more: JsonObject = {}) => ({ Put: { TableName, Item, ...more } });
  const queue = { QueueUrl: '/q.fifo' };
  const message = { ...queue, MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'd' };

  test.each<[string, 'dynamodb' | 'sqs' | 'kms', string, JsonObject]>([
    ['a condition', 'dynamodb', 'PutItem', { TableName, Item: Key, ConditionExpression: once }],
    ['a deletion', 'dynamodb', 'DeleteItem', { TableName, Key, ConditionExpression: once }],
    ['a large item', 'dynamodb', 'PutItem', { TableName, Item: tooLarge }],
    [
      'an update',
      'dynamodb',
      'UpdateItem',
      {
        TableName,
        Key,
        UpdateExpression: 'SET a = :half, b = :half',
        ExpressionAttributeValues: { ':half': half },
      },
    ],
    [
      'a batch',
      'dynamodb',
      'BatchWriteItem',
      { RequestItems: { things: [{ PutRequest: { Item: small } }, { PutRequest: { Item: tooLarge } }] } },
    ],
    [
      'a transaction',
      'dynamodb',
      'TransactWriteItems',
      { ClientRequestToken: 't', TransactItems: [put(small), put(tooLarge)] },
    ],
    [
      'a transaction with a condition',
      'dynamodb',
      'TransactWriteItems',
      { ClientRequestToken: 't', TransactItems: [put(small), put(Key, { ConditionExpression: once })] },
    ],
    ['a table', 'dynamodb', 'CreateTable', table],
    ['no table', 'dynamodb', 'DeleteTable', { TableName: 'none' }],
    ['a send', 'sqs', 'SendMessage', { ...message, MessageBody: 'x'.repeat(2_000_000) }],
    ['a receipt', 'sqs', 'DeleteMessage', { ...queue, ReceiptHandle: 'none' }],
    [
      'a visibility',
      'sqs',
      'ChangeMessageVisibility',
      { ...queue, ReceiptHandle: 'none', VisibilityTimeout: 1 },
    ],
    [
      'a queue',
      'sqs',
      'CreateQueue',
      { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true', DelaySeconds: '9' } },
    ],
    ['no key', 'kms', 'ScheduleKeyDeletion', { KeyId: 'none' }],
  ])('%s', async (_, engine, name, input) => {
    const { store, ask, close } = startedInService();
    await ask('dynamodb', 'CreateTable', table);
    await ask('dynamodb', 'PutItem', { TableName, Item: Key });
    await ask('sqs', 'CreateQueue', { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } });
    await store.committed();
    const undone = jest.fn();
    store.onUndone(undone);
    const sent = ask('sqs', 'SendMessage', message);
    const written = ask('dynamodb', 'PutItem', { TableName, Item: { pk: { S: 'other' } } });
    const refused = ask(engine, name, input);
    await expect(refused).rejects.toMatchObject({ shape: expect.anything() });
    await Promise.all([sent, written, store.committed()]);
    const { Items } = await ask('dynamodb', 'Scan', { TableName });
    expect([undone.mock.calls.length, Items]).toEqual([
      0,
      expect.arrayContaining([Key, { pk: { S: 'other' } }]),
    ]);
    expect(Items).toHaveLength(2);
    expect(await ask('sqs', 'ReceiveMessage', queue)).toMatchObject({ Messages: [{ Body: 'a' }] });
    await close();
  });

  test('a batch of messages, some of which are refused', async () => {
    const { store, ask, close } = startedInService();
    await ask('sqs', 'CreateQueue', { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } });
    await store.committed();
    const undone = jest.fn();
    store.onUndone(undone);
    const sent = ask('sqs', 'SendMessage', message);
    const entry = (Id: string, MessageBody: string) => ({
      Id,
      MessageBody,
      MessageGroupId: 'g',
      MessageDeduplicationId: Id,
    });
    const Entries = [entry('one', 'b'), entry('two', '\0'), entry('three', 'c')];
    const answer = await ask('sqs', 'SendMessageBatch', { ...queue, Entries });
    await sent;
    await store.committed();
    expect(answer).toMatchObject({ Successful: [{ Id: 'one' }, { Id: 'three' }], Failed: [{ Id: 'two' }] });
    const received = await ask('sqs', 'ReceiveMessage', { ...queue, MaxNumberOfMessages: 10 });
    expect(received).toMatchObject({ Messages: [{ Body: 'a' }, { Body: 'b' }, { Body: 'c' }] });
    expect(undone).not.toHaveBeenCalled();
    await close();
  });
});

/** A fault in the middle of a change, such as a full disk. */
describe('a fault after a change', () => {
  const fifo = { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } };
  const queue = { QueueUrl: '/q.fifo' };
  const message = (id: string) => ({
    ...queue,
    MessageBody: id,
    MessageGroupId: id,
    MessageDeduplicationId: id,
  });
  const receive = { ...queue, WaitTimeSeconds: 20, VisibilityTimeout: 600 };
  const nextTurn = () => new Promise(resolve => setImmediate(resolve));

  const withQueue = async () => {
    const engines = startedInService();
    await engines.ask('sqs', 'CreateQueue', fifo);
    return { ...engines, send: (id: string) => engines.ask('sqs', 'SendMessage', message(id)) };
  };
  type Engines = Awaited<ReturnType<typeof withQueue>>;

  /** Lets a statement fail at its time. */
  const failing = ({ store }: Engines, statement: string, time: number) => {
    const { sql } = store;
    let times = 0;
    return jest.spyOn(store, 'sql').mockImplementation(text => {
      if (text.includes(statement)) times += 1;
      if (text.includes(statement) && times === time) throw new Error('disk full');
      return sql(text);
    });
  };
  const outcome = async (answer: Promise<JsonObject>) =>
    answer.then(
      ({ Messages }) =>
        (Messages as readonly { Body: string }[] | undefined)?.map(({ Body }) => Body) ?? 'done',
      ({ message }: Error) => message,
    );

  test('fails all sends of its turn, before and after it; none of their messages is there', async () => {
    const engines = await withQueue();
    const broken = failing(engines, 'INSERT INTO sqs_messages', 2);
    const answers = ['a', 'b', 'c'].map(id => outcome(engines.send(id)));
    expect(await Promise.all(answers)).toEqual(['disk full', 'disk full', 'disk full']);
    broken.mockRestore();
    await nextTurn();
    expect(await engines.ask('sqs', 'ReceiveMessage', queue)).toEqual({});
    await engines.send('a');
    expect(await outcome(engines.ask('sqs', 'ReceiveMessage', queue))).toEqual(['a']);
    await engines.close();
  });

  test('fails what creates something in its turn, so that it can be created later', async () => {
    const engines = await withQueue();
    const broken = failing(engines, 'INSERT INTO sqs_messages', 2);
    const table = {
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    };
    const key = { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' };
    const create = () => [
      outcome(engines.ask('dynamodb', 'CreateTable', table)),
      outcome(engines.ask('kms', 'CreateKey', key)),
    ];
    const answers = [...['a', 'b'].map(id => outcome(engines.send(id))), ...create()];
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['disk full']));
    broken.mockRestore();
    await nextTurn();
    expect(await engines.ask('kms', 'ListKeys', {})).toMatchObject({ Keys: [] });
    expect(await Promise.all(create())).toEqual(['done', 'done']);
    await engines.close();
  });

  test('undoes a reservation of numbers, and the queue that was created in its turn', async () => {
    const { store, ask, close } = startedInService();
    const reserved = () =>
      store.sql<{ reserved: number }>("SELECT reserved FROM sqs_numbers WHERE name = 'sequence'").get()
        ?.reserved;
    const created = ask('sqs', 'CreateQueue', fifo);
    const thrown = () =>
      store.transaction(() => {
        store.sql("UPDATE sqs_numbers SET reserved = reserved WHERE name = 'sequence'").run();
        throw new Error('disk full');
      });
    expect(thrown).toThrow('disk full');
    await expect(created).rejects.toThrow('disk full');
    await nextTurn();
    await expect(ask('sqs', 'SendMessage', message('a'))).rejects.toThrow(/does not exist/);
    await ask('sqs', 'CreateQueue', fifo);
    const { SequenceNumber } = await ask('sqs', 'SendMessage', message('a'));
    expect(Number(String(SequenceNumber).slice(1))).toBeLessThanOrEqual(reserved() ?? 0);
    await close();
  });

  test("undoes the sign-in's key, with which nothing is signed then", async () => {
    const store = openStore();
    store.define('CREATE TABLE others (name TEXT)');
    const issuer = new Issuer(store, {
      client: { id: 'portal', secret: 's' },
      keySecret: 'k',
      isRedirectUri: () => true,
      clock: systemClock,
      newId: () => 'id',
    });
    const { sql } = store;
    const broken = jest.spyOn(store, 'sql').mockImplementation(text => {
      if (!text.startsWith('INSERT INTO oidc_key')) return sql(text);
      const other = () => sql('INSERT INTO others VALUES (?)').run('a');
      const run = (...values: readonly SqlValue[]) => {
        store.transaction(other);
        const changed = sql(text).run(...values);
        const thrown = () =>
          store.transaction(() => {
            other();
            throw new Error('disk full');
          });
        expect(thrown).toThrow('disk full');
        return changed;
      };
      return { ...sql(text), run };
    });
    await expect(issuer.keySet()).rejects.toThrow('disk full');
    broken.mockRestore();
    await nextTurn();
    const { keys } = await issuer.keySet();
    const row = sql<{ jwk: string }>('SELECT jwk FROM oidc_key').get();
    expect(JSON.parse(row?.jwk ?? '{}')).toMatchObject({ n: keys[0]?.['n'] });
    await store.close();
  });

  test('in a receive that a send wakes fails both', async () => {
    const engines = await withQueue();
    const waiting = outcome(engines.ask('sqs', 'ReceiveMessage', receive));
    const broken = failing(engines, 'UPDATE sqs_groups SET ready_at = ? WHERE id', 1);
    expect(await outcome(engines.send('a'))).toBe('disk full');
    expect(await waiting).toBe('disk full');
    broken.mockRestore();
    await nextTurn();
    expect(await engines.ask('sqs', 'ReceiveMessage', queue)).toEqual({});
    await engines.close();
  });

  test('lets a message that was taken in its turn be received once', async () => {
    const engines = await withQueue();
    await engines.send('a');
    const first = outcome(engines.ask('sqs', 'ReceiveMessage', receive));
    const second = outcome(engines.ask('sqs', 'ReceiveMessage', receive));
    const broken = failing(engines, 'INSERT INTO sqs_messages', 1);
    const third = outcome(engines.send('b'));
    expect([await first, await third]).toEqual(['disk full', 'disk full']);
    broken.mockRestore();
    await nextTurn();
    expect(await second).toEqual(['a']);
    expect(await engines.ask('sqs', 'ReceiveMessage', queue)).toEqual({});
    await engines.close();
  });
});
