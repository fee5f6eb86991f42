import { join } from 'node:path';
import { type Message, SQS } from '@aws-sdk/client-sqs';
import { type SqsServer, startSqsEngine } from '../../support/engine-servers.ts';
import { FrozenClock } from './frozen-clock.ts';
import { scratchFolder } from './scratch-folder.ts';

/** A running engine with a real SDK client and a clock that stands still. */
export interface SqsBench {
  readonly clock: FrozenClock;
  readonly errors: unknown[];
  /** Valid until the next restart. */
  sqs: SQS;
  engine: SqsServer;
  restart(): Promise<void>;
  /** A new FIFO queue; responds with its URL. */
  queue(attributes?: Record<string, string>): Promise<string>;
  /** Sends `bodies` to one group, each with a deduplication id of its own. */
  send(QueueUrl: string, group: string, ...bodies: string[]): Promise<void>;
  receive(QueueUrl: string, options?: ReceiveOptions): Promise<readonly Message[]>;
  bodies(QueueUrl: string, options?: ReceiveOptions): Promise<readonly (string | undefined)[]>;
}

type ReceiveOptions = Omit<Parameters<SQS['receiveMessage']>[0], 'QueueUrl'>;

export const clientOf = (endpoint: string): SQS =>
  new SQS({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });

/** Starts before all tests of the file and stops after them. */
export function sqsBench(): SqsBench {
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
  const bench: SqsBench = {
    clock,
    errors,
    sqs: new SQS({}),
    engine: { endpoint: '', waiting: 0, close: () => Promise.resolve() },
    async restart() {
      await stop();
      await start();
    },
    async queue(attributes = {}) {
      number += 1;
      const Attributes = { FifoQueue: 'true', ...attributes };
      const { QueueUrl = '' } = await bench.sqs.createQueue({
        QueueName: `queue-${number}.fifo`,
        Attributes,
      });
      return QueueUrl;
    },
    async send(QueueUrl, MessageGroupId, ...bodies) {
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
    async receive(QueueUrl, options = { MaxNumberOfMessages: 10 }) {
      const { Messages = [] } = await bench.sqs.receiveMessage({ QueueUrl, ...options });
      return Messages;
    },
    async bodies(QueueUrl, options) {
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
