import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { SQS } from '@aws-sdk/client-sqs';
import { FrozenClock } from '../engines/support/frozen-clock.ts';
import { scratchFolder } from '../engines/support/scratch-folder.ts';
import { startSqsEngine } from '../support/engine-servers.ts';

const path = join(scratchFolder(), 'queues.sqlite');
const script = join(__dirname, '../engines/support', 'engine-process.ts');
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const QueueUrl = '/crash.fifo';

interface Running {
  readonly process: ChildProcess;
  readonly sqs: SQS;
}

async function start(): Promise<Running> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', data => resolve(String(data).trim()));
    child.once('exit', code => reject(new Error(`the engine ended with ${code}`)));
  });
  return { process: child, sqs: new SQS({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 }) };
}

const kill = ({ process: child, sqs }: Running) =>
  new Promise<void>(resolve => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
    sqs.destroy();
  });

interface Sent {
  readonly group: string;
  readonly number: number;
}

/** What the clients know for certain: only what the engine acknowledged. */
const acknowledged = { sent: new Map<string, Sent>(), deleted: new Set<string>() };
/** Deletes whose response never came: done or not. */
const unsure = new Set<string>();
let number = 0;
let afterSend: () => void = () => undefined;

/** Sends to one group until the engine dies; of each ten messages it deletes some. */
async function work({ sqs }: Running, group: string): Promise<void> {
  for (;;) {
    number += 1;
    const mine = number;
    const MessageBody = JSON.stringify({ group, number: mine, padding: 'x'.repeat((mine * 37) % 3000) });
    const sent = await sqs.sendMessage({
      QueueUrl,
      MessageBody,
      MessageGroupId: group,
      MessageDeduplicationId: `${mine}`,
    });
    acknowledged.sent.set(sent.MessageId ?? '', { group, number: mine });
    afterSend();
    if (mine % 3 === 0) await consume(sqs);
  }
}

async function consume(sqs: SQS): Promise<void> {
  const { Messages = [] } = await sqs.receiveMessage({
    QueueUrl,
    MaxNumberOfMessages: 3,
    VisibilityTimeout: 600,
  });
  for (const { MessageId = '', ReceiptHandle } of Messages) {
    unsure.add(MessageId);
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
    unsure.delete(MessageId);
    acknowledged.deleted.add(MessageId);
  }
}

/** Everything that is left, in the order it is handed out, an hour later: nothing is in flight any more. */
async function drain(): Promise<readonly { id: string; body: Sent }[]> {
  const engine = await startSqsEngine({ path, clock: new FrozenClock(Date.now() + 3_600_000) });
  const sqs = new SQS({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
  const all: { id: string; body: Sent }[] = [];
  for (let more = true; more; ) {
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
    for (const { MessageId = '', Body = '', ReceiptHandle } of Messages) {
      all.push({ id: MessageId, body: JSON.parse(Body) });
      await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
    }
    more = Messages.length > 0;
  }
  sqs.destroy();
  await engine.close();
  return all;
}

test('no acknowledged message is lost when the engine is killed at any moment', async () => {
  for (const acknowledgements of [40, 150, 230]) {
    // New groups: those of the killed engine are still in flight.
    const groups = ['a', 'b', 'c', 'd'].map(letter => `${letter}${acknowledgements}`);
    const running = await start();
    const Attributes = { FifoQueue: 'true', DeduplicationScope: 'messageGroup' };
    await running.sqs.createQueue({ QueueName: 'crash.fifo', Attributes });
    const target = acknowledged.sent.size + acknowledgements;
    const killed = new Promise<void>(resolve => {
      afterSend = () => {
        if (acknowledged.sent.size === target) kill(running).then(resolve);
      };
    });
    await Promise.all([killed, ...groups.map(group => work(running, group).catch(() => undefined))]);
  }
  const left = await drain();
  const leftIds = new Set(left.map(({ id }) => id));
  const lost = [...acknowledged.sent.keys()].filter(
    id => !leftIds.has(id) && !acknowledged.deleted.has(id) && !unsure.has(id),
  );
  expect(lost).toEqual([]);
  expect([...acknowledged.deleted].filter(id => leftIds.has(id))).toEqual([]);
  for (const group of new Set(left.map(({ body }) => body.group))) {
    const numbers = left.filter(({ body }) => body.group === group).map(({ body }) => body.number);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  }
});
