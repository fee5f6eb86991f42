import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/aws/clients.ts';
import { awsInbox } from '../../lib/consuming/inbox.sqs.ts';
import { pull, type ReceiptPorts } from '../../lib/consuming/pull.ts';
import { awsReceipts } from '../../lib/consuming/receipts.dynamodb.ts';
import {
  type AckPorts,
  acknowledge,
  type NackPorts,
  release,
  type Settled,
} from '../../lib/consuming/settle.ts';
import { awsWaitingPolls } from '../../lib/consuming/waiting-polls.dynamodb.ts';
import { limits } from '../../lib/contract/limits.ts';
import { awsQueues } from '../../lib/delivery/queues.sqs.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { awsQueueAdmin } from '../../lib/registry/queue-access.sqs.ts';
import { guardedQueueHome } from '../../lib/wiring/principals.ts';
import { connectionOf } from '../corpus/connections.ts';
import { FrozenClock } from '../engines/support/frozen-clock.ts';
import { correlation, entry, time } from '../support/entries.ts';
import { recorderInMemory } from '../support/fakes/recorder.ts';
import { startLocalAws } from '../support/local-aws.ts';

const clock = new FrozenClock(time);
let ports: ReceiptPorts & AckPorts & NackPorts;
let home: ReturnType<typeof guardedQueueHome>;
let stop: () => Promise<void>;
/** What happens to the next batches of visibility changes, one after the other; then nothing any more. */
let errors: ('throttled' | 'one entry fails')[] = [];

beforeAll(async () => {
  const aws = await startLocalAws(clock);
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await createTables(env, localTables);
  const dynamodb = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const client = new SQSClient(clientConfig(env, 'SQS', { maxAttempts: 1 }));
  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const error = commandName === 'ChangeMessageVisibilityBatchCommand' ? errors.shift() : undefined;
        if (error === undefined) return next(args);
        if (error === 'throttled') throw Object.assign(new Error('Slow down.'), { name: 'RequestThrottled' });
        const input = args.input as { Entries: { Id: string }[] };
        const [broken, ...others] = input.Entries;
        const Failed = [{ Id: broken?.Id, SenderFault: false, Code: 'InternalError' }];
        if (others.length === 0) return { output: { Failed, $metadata: {} }, response: {} };
        const done = await next({ ...args, input: Object.assign({}, args.input, { Entries: others }) });
        return { ...done, output: { ...done.output, Failed } };
      },
    { step: 'initialize' },
  );
  home = { ...guardedQueueHome(env), client };
  let made = 0;
  const portClock = { now: () => clock.now(), sleep: async () => undefined };
  ports = {
    clock: portClock,
    ids: {
      random(bytes) {
        made += 1;
        return Buffer.alloc(bytes, made);
      },
    },
    inbox: awsInbox(home),
    recorder: recorderInMemory().port,
    receipts: awsReceipts({ client: dynamodb, name: localTables.ledger }, portClock),
    polls: awsWaitingPolls({ client: dynamodb, name: localTables.ledger }, portClock),
  };
  stop = async () => {
    dynamodb.destroy();
    client.destroy();
    await aws.close();
  };
});
afterAll(() => stop());

let consumer: Connection;
let consumers = 0;

beforeEach(async () => {
  errors = [];
  consumers += 1;
  const queue = `sombus-${consumers}.fifo`;
  await awsQueueAdmin(home).create(queue);
  consumer = { ...connectionOf(`c${consumers}`, 'consumer', 'w111111111111'), queue };
});

const sent = async (count: number) => {
  for (let number = 1; number <= count; number += 1) {
    const members = { number, correlationId: correlation(consumers) };
    await awsQueues(home).send(consumer.queue ?? '', entry(`m${number}`, members));
  }
};
const pulled = (visibilitySeconds: number = limits.pullVisibilitySeconds.max) =>
  pull(ports)(consumer, { max: 10, waitSeconds: 0, visibilitySeconds });
const handlesOfPull = async () => (await pulled()).map(({ receiptHandle }) => receiptHandle);
const idsOfPull = async () => (await pulled()).map(({ messageId }) => messageId);
const rules = ({ failed }: Settled) => failed.map(({ violation }) => violation.rule);

describe('a pull whose client hangs up', () => {
  const waiting = (gone: AbortSignal) =>
    pull(ports)(consumer, { max: 10, waitSeconds: 20, visibilitySeconds: 60, gone });

  test('ends its wait, and takes nothing that comes later', async () => {
    const client = new AbortController();
    const pulling = waiting(client.signal);
    client.abort();
    expect(await pulling).toEqual([]);
    await sent(2);
    expect((await pulled()).map(({ messageId, receiveCount }) => [messageId, receiveCount])).toEqual([
      ['m1', 1],
      ['m2', 1],
    ]);
  });

  test('returns what it has received already', async () => {
    await sent(2);
    const client = new AbortController();
    const { save } = ports.receipts;
    const receipts = {
      ...ports.receipts,
      save: async (...args: Parameters<typeof save>) => {
        client.abort();
        await save(...args);
      },
    };
    const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60, gone: client.signal };
    expect(await pull({ ...ports, receipts })(consumer, options)).toEqual([]);
    expect(await idsOfPull()).toEqual(['m1', 'm2']);
  });
});

describe('an ack', () => {
  test.each([1, 3])('can be repeated, long after its messages were acknowledged: %i at once', async count => {
    await sent(count);
    const handles = await handlesOfPull();
    for (const wait of [0, 1_000, limits.pullVisibilitySeconds.max * 1000]) {
      clock.advance(wait);
      expect(await acknowledge(ports)(consumer, handles)).toMatchObject({ ok: handles, failed: [] });
    }
    expect(await idsOfPull()).toEqual([]);
  });

  test('can be repeated after an earlier message of the group was returned', async () => {
    await sent(3);
    const [first = '', second = '', third = ''] = await handlesOfPull();
    await acknowledge(ports)(consumer, [second]);
    await release(ports)(consumer, [first], 600);
    expect(rules(await acknowledge(ports)(consumer, [second, third]))).toEqual(['order.blocked']);
    clock.advance(600_000);
    expect(await idsOfPull()).toEqual(['m1', 'm3']);
  });

  test.each([1, 2])('receipt.expired answers it once its message was received again: %i', async count => {
    await sent(count);
    const handles = (await pulled(10)).map(({ receiptHandle }) => receiptHandle);
    clock.advance(10_000);
    expect(await idsOfPull()).toHaveLength(count);
    const allExpired = handles.map(() => 'receipt.expired');
    expect(rules(await acknowledge(ports)(consumer, handles))).toEqual(allExpired);
    expect(rules(await release(ports)(consumer, handles, 0))).toEqual(allExpired);
  });
});

describe('a nack', () => {
  test.each([
    ['that of the first message', (handles: readonly string[]) => handles.slice(0, 1)],
    ['that of all', (handles: readonly string[]) => handles],
    ['those of later ones first', (handles: readonly string[]) => handles.slice(1)],
  ])('that failed in the queue can be repeated: %s', async (_what, chosen) => {
    await sent(3);
    const handles = await handlesOfPull();
    errors = ['throttled'];
    await expect(release(ports)(consumer, handles.slice(0, 1), 0)).rejects.toThrow('Slow down.');
    const again = chosen(handles);
    expect(await release(ports)(consumer, again, 0)).toMatchObject({ ok: again, failed: [] });
    if (!again.includes(handles[0] ?? ''))
      expect(rules(await release(ports)(consumer, handles.slice(0, 1), 0))).toEqual([]);
    expect(await idsOfPull()).toEqual(['m1', 'm2', 'm3']);
  });

  test('of one message frees those after it at once', async () => {
    await sent(3);
    const [first = '', second = ''] = await handlesOfPull();
    expect(rules(await release(ports)(consumer, [second], 0))).toEqual([]);
    expect(rules(await acknowledge(ports)(consumer, [first]))).toEqual([]);
    expect(await idsOfPull()).toEqual(['m2', 'm3']);
  });

  test('receipt.expired answers a nack of an acknowledged message, and those after it stay as they are', async () => {
    await sent(3);
    const [first = '', second = '', third = ''] = await handlesOfPull();
    await acknowledge(ports)(consumer, [first]);
    expect(rules(await release(ports)(consumer, [first], 0))).toEqual(['receipt.expired']);
    expect(await idsOfPull()).toEqual([]);
    expect(rules(await acknowledge(ports)(consumer, [first, second, third]))).toEqual([]);
  });

  test('of a used handle and of a good one returns only from the good one on', async () => {
    await sent(4);
    const [first = '', second = '', third = ''] = await handlesOfPull();
    await acknowledge(ports)(consumer, [first]);
    const { ok, failed } = await release(ports)(consumer, [first, third], 0);
    expect([ok, failed.map(({ receiptHandle }) => receiptHandle)]).toEqual([[third], [first]]);
    expect(rules(await acknowledge(ports)(consumer, [second]))).toEqual([]);
    expect(await idsOfPull()).toEqual(['m3', 'm4']);
  });

  test.each([
    [1, 0],
    [1, 600],
    [3, 0],
    [3, 600],
  ])(
    'receipt.expired answers an ack and a second nack after it: %i of one correlation, delay %i s',
    async (count, delay) => {
      await sent(count);
      const handles = await handlesOfPull();
      expect((await release(ports)(consumer, handles, delay)).failed).toEqual([]);
      const allExpired = handles.map(() => 'receipt.expired');
      expect(rules(await acknowledge(ports)(consumer, handles))).toEqual(allExpired);
      expect(rules(await release(ports)(consumer, handles, 0))).toEqual(allExpired);
      clock.advance(delay * 1000);
      expect(await idsOfPull()).toHaveLength(count);
      expect(rules(await acknowledge(ports)(consumer, handles))).toEqual(allExpired);
    },
  );

  test('order.blocked answers an ack and a nack of what was returned with an earlier message', async () => {
    await sent(2);
    const [first = '', second = ''] = await handlesOfPull();
    await release(ports)(consumer, [first], 0);
    expect(rules(await acknowledge(ports)(consumer, [first, second]))).toEqual([
      'receipt.expired',
      'order.blocked',
    ]);
    expect(rules(await release(ports)(consumer, [second], 600))).toEqual(['order.blocked']);
    expect(await idsOfPull()).toEqual(['m1', 'm2']);
  });

  test('goes on with those that the queue service failed to release', async () => {
    await sent(3);
    const handles = await handlesOfPull();
    errors = ['one entry fails'];
    expect((await release(ports)(consumer, handles, 0)).failed).toEqual([]);
    expect(await idsOfPull()).toEqual(['m1', 'm2', 'm3']);
  });

  test('fails as a whole when the queue service fails twice, and is finished by a repetition', async () => {
    await sent(3);
    const handles = await handlesOfPull();
    errors = ['one entry fails', 'one entry fails'];
    await expect(release(ports)(consumer, handles, 0)).rejects.toThrow('InternalError');
    expect((await release(ports)(consumer, handles, 0)).failed).toEqual([]);
    expect(await idsOfPull()).toEqual(['m1', 'm2', 'm3']);
  });

  test('receipt.expired answers what was never issued, and what came alone and was released before', async () => {
    await sent(1);
    const [only = ''] = await handlesOfPull();
    expect(rules(await release(ports)(consumer, [only, 'no-handle'], 0))).toEqual(['receipt.expired']);
    expect(rules(await release(ports)(consumer, [only], 0))).toEqual(['receipt.expired']);
  });

  test.each([1, 2])(
    'may ask for the longest delay at any time: %i of one correlation come again within it',
    async count => {
      await sent(count);
      const handles = await handlesOfPull();
      clock.advance(3_600_000);
      expect(rules(await release(ports)(consumer, handles, limits.nackDelaySeconds.max))).toEqual([]);
      clock.advance(limits.nackDelaySeconds.max * 1000 - 2 * 3_600_000);
      expect(await idsOfPull()).toEqual([]);
      clock.advance(3_600_000);
      expect(await idsOfPull()).toHaveLength(count);
    },
  );
});
