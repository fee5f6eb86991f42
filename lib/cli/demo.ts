import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { clientConfig } from '../aws/clients.ts';
import { databaseOption } from '../local/database.ts';
import { consumerClient, demoStory, type PulledMessage, producerClient } from '../local/demo.ts';
import { type Ready, startLocalService } from '../local/start.ts';
import { type CommandContext, Refused } from './command.ts';

type Print = (line: string) => void;

const publishAll = async (ready: Ready, story: readonly string[], print: Print): Promise<number> => {
  const producer = await producerClient(ready);
  let accepted = 0;
  for (const [index, message] of story.entries()) {
    const { status, body } = await producer.publish(message);
    print(
      `published  snapshot ${index + 1}  ${Buffer.byteLength(message)} bytes  ${status} ${JSON.stringify(body)}`,
    );
    accepted += status === 202 ? 1 : 0;
  }
  return accepted;
};

const sameContent = (pulled: readonly PulledMessage[], story: readonly string[]): number =>
  pulled.filter(({ envelope }, index) => isDeepStrictEqual(envelope, JSON.parse(story[index] ?? 'null')))
    .length;

const pullAll = async (ready: Ready, story: readonly string[], print: Print): Promise<number> => {
  const consumer = await consumerClient(ready);
  const pulled = await consumer.pull('?max=10&wait=5');
  for (const { message_id, receipt_handle } of pulled)
    print(`pulled     ${message_id}  receipt ${receipt_handle.slice(0, 12)}…`);
  await consumer.nack(pulled.map(({ receipt_handle }) => receipt_handle));
  return sameContent(pulled, story);
};

/** Reads the queue itself, as a consumer with a cloud role does. */
const readQueue = async (
  { endpoints, consumer }: Ready,
  story: readonly string[],
  print: Print,
): Promise<number> => {
  const client = new SQSClient(clientConfig({ AWS_ENDPOINT_URL_SQS: endpoints.sqs }, 'SQS'));
  const QueueUrl = consumer.queue_url;
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 });
  const { Messages = [] } = await client.send(receive);
  const same = Messages.filter(({ Body }, index) => Body === story[index]).length;
  for (const { Body = '' } of Messages) print(`received   ${Buffer.byteLength(Body)} bytes from SQS`);
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  client.destroy();
  return same;
};

const run = async (data: string, print: Print): Promise<void> => {
  const service = await startLocalService({
    port: 0,
    portalPort: 0,
    data,
    fresh: false,
    limits: true,
    ...databaseOption(process.env),
    print: () => undefined,
    warn: print,
  });
  try {
    const { ready } = service;
    const story = demoStory(ready.producer.system_id);
    const accepted = await publishAll(ready, story, print);
    const pulled = await pullAll(ready, story, print);
    const identical = await readQueue(ready, story, print);
    print(`${accepted} accepted, ${pulled} delivered in order, ${identical} byte for byte`);
    if ([accepted, pulled, identical].some(count => count !== story.length))
      throw new Refused('The demo did not go as it should.');
  } finally {
    await service.close();
  }
};

/** `sombus demo`: a story of seven snapshots through a service of its own, which goes away afterwards. */
export const demoCommand = ({ terminal }: CommandContext): Command =>
  new Command('demo')
    .description('send a story of seven snapshots through a temporary service')
    .action(async () => {
      const data = mkdtempSync(join(tmpdir(), 'sombus-demo-'));
      try {
        await run(data, line => terminal.out(line));
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    });
