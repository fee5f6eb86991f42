import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import { awsInbox } from '../../../lib/bus/consuming/inbox.sqs.ts';
import { pull } from '../../../lib/bus/consuming/pull.ts';
import { acknowledge, release, type SettleResult } from '../../../lib/bus/consuming/settle.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { correlation, entry } from '../../support/entries.ts';
import { answering } from '../../support/fakes/aws-clients.ts';
import { type Bus, startBus } from '../activity/bus.ts';

let bus: Bus;
let ports: Bus['ports'];
/**
 * What happens to the next batches of visibility changes, one after the other; then nothing any
 * more.
 */
let errors: ('throttled' | 'one entry fails' | 'response lost')[] = [];

/** The queues' client, with these errors. */
const failing = (client: SQSClient): SQSClient =>
  answering(SQSClient, async (command, options) => {
    const error =
      command instanceof ChangeMessageVisibilityBatchCommand ? errors.shift() : undefined;
    if (error === undefined) return client.send(command as never, options);
    if (error === 'throttled')
      throw Object.assign(new Error('Slow down.'), { name: 'RequestThrottled' });
    if (error === 'response lost') {
      await client.send(command as never, options);
      // The SDK tries again by itself.
      return client.send(command as never, options);
    }
    const { QueueUrl, Entries: [broken, ...others] = [] } =
      command.input as ChangeMessageVisibilityBatchCommandInput;
    const Failed = [{ Id: broken?.Id, SenderFault: false, Code: 'InternalError' }];
    if (others.length > 0)
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: others }));
    return { Failed };
  });

beforeAll(async () => {
  bus = await startBus();
  ports = {
    ...bus.ports,
    inbox: awsInbox({ ...bus.queueHome, client: failing(bus.queueHome.client) }),
  };
});
afterAll(() => bus.close());

let consumer: Connection;
let consumers = 0;

beforeEach(async () => {
  errors = [];
  consumers += 1;
  consumer = await bus.addConsumer(`c${consumers}`);
});

const sent = async (count: number) => {
  for (let number = 1; number <= count; number += 1) {
    const members = { number, correlationId: correlation(consumers) };
    await ports.queues.send(consumer.queue ?? '', entry(`m${number}`, members));
  }
};
const pulled = (visibilitySeconds: number = limits.pullVisibilitySeconds.max) =>
  pull(ports)(consumer, { max: 10, waitSeconds: 0, visibilitySeconds });
const handlesOfPull = async () => (await pulled()).map(({ receiptHandle }) => receiptHandle);
const idsOfPull = async () => (await pulled()).map(({ messageId }) => messageId);
const rules = ({ failed }: SettleResult) => failed.map(({ violation }) => violation.rule);

describe('a pull whose client hangs up', () => {
  const waiting = (gone: AbortSignal) =>
    pull(ports)(consumer, { max: 10, waitSeconds: 20, visibilitySeconds: 60, gone });

  test('ends its wait, and takes nothing that comes later', async () => {
    const client = new AbortController();
    const pulling = waiting(client.signal);
    client.abort();
    expect(await pulling).toEqual([]);
    await sent(2);
    expect(
      (await pulled()).map(({ messageId, receiveCount }) => [messageId, receiveCount]),
    ).toEqual([
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
  test.each([1, 3])(
    'can be repeated, long after its messages were acknowledged: %i at once',
    async count => {
      await sent(count);
      const handles = await handlesOfPull();
      for (const wait of [0, 1_000, limits.pullVisibilitySeconds.max * 1000]) {
        bus.clock.advance(wait);
        expect(await acknowledge(ports)(consumer, handles)).toMatchObject({
          ok: handles,
          failed: [],
        });
      }
      expect(await idsOfPull()).toEqual([]);
    },
  );

  test('can be repeated after an earlier message of the group was returned', async () => {
    await sent(3);
    const [first = '', second = '', third = ''] = await handlesOfPull();
    await acknowledge(ports)(consumer, [second]);
    await release(ports)(consumer, [first], 600);
    expect(rules(await acknowledge(ports)(consumer, [second, third]))).toEqual(['order.blocked']);
    bus.clock.advance(600_000);
    expect(await idsOfPull()).toEqual(['m1', 'm3']);
  });

  test.each([1, 2])(
    'receipt.expired answers it once its message was received again: %i',
    async count => {
      await sent(count);
      const handles = (await pulled(10)).map(({ receiptHandle }) => receiptHandle);
      bus.clock.advance(10_000);
      expect(await idsOfPull()).toHaveLength(count);
      const allExpired = handles.map(() => 'receipt.expired');
      expect(rules(await acknowledge(ports)(consumer, handles))).toEqual(allExpired);
      expect(rules(await release(ports)(consumer, handles, 0))).toEqual(allExpired);
    },
  );
});

describe('a nack', () => {
  test('returns the last message of a group first: none becomes visible before an earlier one', async () => {
    await sent(3);
    const atQueue: string[] = [];
    const released: string[] = [];
    const inbox: typeof ports.inbox = {
      ...ports.inbox,
      receive: async (...call) => {
        const received = await ports.inbox.receive(...call);
        atQueue.push(...received.map(({ receiptHandle }) => receiptHandle));
        return received;
      },
      release: async (queue, handles, delaySeconds) => {
        released.push(...handles);
        return ports.inbox.release(queue, handles, delaySeconds);
      },
    };
    const watched = { ...ports, inbox };
    const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };
    const [, second, third] = await pull(watched)(consumer, options);
    const handles = [third, second].map(message => message?.receiptHandle ?? '');
    expect(rules(await release(watched)(consumer, handles, 0))).toEqual([]);
    expect(atQueue).toHaveLength(3);
    expect(released).toEqual([atQueue[2], atQueue[1]]);
  });

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
    [3, 600],
  ])(
    'receipt.expired answers an ack and a second nack after it: %i of one correlation, delay %i s',
    async (count, delay) => {
      await sent(count);
      const handles = await handlesOfPull();
      expect((await release(ports)(consumer, handles, delay)).failed).toEqual([]);
      const allExpired = handles.map(() => 'receipt.expired');
      expect(rules(await acknowledge(ports)(consumer, handles))).toEqual(allExpired);
      expect(rules(await release(ports)(consumer, [...handles, 'no-handle'], 0))).toEqual([
        ...allExpired,
        'receipt.expired',
      ]);
      bus.clock.advance(delay * 1000);
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

  test.each([
    ['goes on with those that the queue service failed to release', 1],
    ['fails as a whole when the queue service fails twice, and is finished by a repetition', 2],
  ])('%s', async (_what, count) => {
    await sent(3);
    const handles = await handlesOfPull();
    errors = Array.from({ length: count }, () => 'one entry fails');
    if (count > 1)
      await expect(release(ports)(consumer, handles, 0)).rejects.toThrow('InternalError');
    expect((await release(ports)(consumer, handles, 0)).failed).toEqual([]);
    expect(await idsOfPull()).toEqual(['m1', 'm2', 'm3']);
  });

  test.each([
    ['all of them', (handles: readonly string[]) => handles],
    ['those after the first', (handles: readonly string[]) => handles.slice(1)],
  ])(
    'says that messages are back if the response to their return is lost: %s',
    async (_what, chosen) => {
      await sent(3);
      const nacked = chosen(await handlesOfPull());
      errors = ['response lost'];
      expect(await release(ports)(consumer, nacked, 0)).toMatchObject({ ok: nacked, failed: [] });
      const allExpired = nacked.map(() => 'receipt.expired');
      expect(rules(await acknowledge(ports)(consumer, nacked))).toEqual(allExpired);
    },
  );

  test('receipt.expired answers it if the response is lost to the return of a message that came alone', async () => {
    await sent(1);
    const handles = await handlesOfPull();
    errors = ['response lost'];
    expect(rules(await release(ports)(consumer, handles, 0))).toEqual(['receipt.expired']);
    expect(await idsOfPull()).toEqual(['m1']);
  });

  test('receipt.expired answers a nack of an acknowledged message that came alone', async () => {
    await sent(1);
    const handles = await handlesOfPull();
    await acknowledge(ports)(consumer, handles);
    expect(rules(await release(ports)(consumer, handles, 0))).toEqual(['receipt.expired']);
  });

  test.each([1, 2])(
    'may ask for the longest delay at any time: %i of one correlation come again within it',
    async count => {
      await sent(count);
      const handles = await handlesOfPull();
      bus.clock.advance(3_600_000);
      expect(rules(await release(ports)(consumer, handles, limits.nackDelaySeconds.max))).toEqual(
        [],
      );
      bus.clock.advance(limits.nackDelaySeconds.max * 1000 - 2 * 3_600_000);
      expect(await idsOfPull()).toEqual([]);
      bus.clock.advance(3_600_000);
      expect(await idsOfPull()).toHaveLength(count);
    },
  );
});
