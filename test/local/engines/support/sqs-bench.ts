import { join } from 'node:path';
import { SQS } from '@aws-sdk/client-sqs';
import { type SqsServer, startSqsEngine } from '../../../support/engine-servers.ts';
import { FrozenClock } from './frozen-clock.ts';
import { scratchFolder } from './scratch-folder.ts';

type ReceiveOptions = Omit<Parameters<SQS['receiveMessage']>[0], 'QueueUrl'>;

export const clientOf = (endpoint: string): SQS =>
  new SQS({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });

/**
 * A running engine with a real SDK client and a clock that stands still; it starts before all tests
 * of the file and stops after them.
 */
export function sqsBench() {
  const clock = new FrozenClock();
  const errors: unknown[] = [];
  let number = 0;
  const start = async () => {
    bench.engine = await startSqsEngine({
      path: join(folder, 'queues.sqlite'),
      clock,
      onError: error => errors.push(error),
    });
    bench.sqs = clientOf(bench.engine.endpoint);
  };
  const stop = async () => {
    bench.sqs.destroy();
    await bench.engine.close();
  };
  const bench = {
    clock,
    /** Valid until the next restart. */
    sqs: new SQS({}),
    engine: { endpoint: '', waiting: 0, close: () => Promise.resolve() } as SqsServer,
    async restart() {
      await stop();
      await start();
    },
    /** A new FIFO queue; responds with its URL. */
    async queue(attributes: Record<string, string> = {}) {
      number += 1;
      const Attributes = { FifoQueue: 'true', ...attributes };
      const { QueueUrl = '' } = await bench.sqs.createQueue({
        QueueName: `queue-${number}.fifo`,
        Attributes,
      });
      return QueueUrl;
    },
    /** Sends `bodies` to one group, each with a deduplication id of its own. */
    async send(QueueUrl: string, MessageGroupId: string, ...bodies: readonly string[]) {
      for (const MessageBody of bodies) {
        number += 1;
        await bench.sqs.sendMessage({
          QueueUrl,
          MessageBody,
          MessageGroupId,
          MessageDeduplicationId: String(number),
        });
      }
    },
    async receive(QueueUrl: string, options: ReceiveOptions = { MaxNumberOfMessages: 10 }) {
      const { Messages = [] } = await bench.sqs.receiveMessage({ QueueUrl, ...options });
      return Messages;
    },
    async bodies(QueueUrl: string, options?: ReceiveOptions) {
      return (await bench.receive(QueueUrl, options)).map(({ Body }) => Body);
    },
  };
  beforeAll(start);
  afterAll(async () => {
    await stop();
    expect(errors).toEqual([]);
  });
  // Removed after the engine has closed.
  const folder = scratchFolder();
  return bench;
}

/** Expects a refusal with a name, and with some words in its message. */
export const refused = (response: Promise<unknown>, name: string, message = ''): Promise<void> =>
  expect(response).rejects.toMatchObject({ name, message: expect.stringContaining(message) });
