import { isDeepStrictEqual } from 'node:util';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { operatorKeyIn } from '../../local/roles.ts';
import { demoSystemId, readSeed } from '../../local/seed.ts';
import type { SigV4Key } from '../../local/sigv4.ts';
import type { Ready } from '../../local/start.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { demoChain, demoStory, demoTypes } from '../../som/messages/demo-messages.ts';
import {
  acceptedRecords,
  type BusSession,
  openSession,
  pullMessages,
  settle,
} from '../frame/bus.ts';
import { type CommandSpec, command } from '../frame/command.ts';
import { CommandRefused } from '../frame/failures.ts';
import { flag, type OptionsOf, option, systemIdOption } from '../frame/options.ts';
import { withFreshService } from './dev.ts';

type Print = (line: string) => void;

const sessionAs = (
  { base_url, ...ready }: Ready,
  kind: 'producer' | 'consumer',
): Promise<BusSession> => {
  const { client_id: id, client_secret: secret } = ready[kind];
  return openSession({ baseUrl: base_url, client: { id, secret }, isDemo: true });
};

const publishAll = async (
  ready: Ready,
  story: readonly string[],
  print: Print,
): Promise<number> => {
  const producer = await sessionAs(ready, 'producer');
  let accepted = 0;
  for (const [index, message] of story.entries()) {
    const { status, body } = await producer.call('messages', message);
    print(
      `published  snapshot ${index + 1}  ${Buffer.byteLength(message)} bytes  ${status} ` +
        `${JSON.stringify(body)}`,
    );
    accepted += status === 202 ? 1 : 0;
  }
  return accepted;
};

const pullAll = async (ready: Ready, story: readonly string[], print: Print): Promise<number> => {
  const consumer = await sessionAs(ready, 'consumer');
  const pulled = acceptedRecords(await pullMessages(consumer, { max: 10, wait: 5 }));
  for (const { message_id, receipt_handle } of pulled)
    print(`pulled     ${message_id}  receipt ${String(receipt_handle).slice(0, 12)}…`);
  acceptedRecords(await settle(consumer, 'nack', pulled));
  return pulled.filter(({ envelope }, index) =>
    isDeepStrictEqual(envelope, JSON.parse(story[index] ?? 'null')),
  ).length;
};

const readQueue = async (
  { ready, credentials }: { ready: Ready; credentials: SigV4Key },
  story: readonly string[],
  print: Print,
): Promise<number> => {
  const config = clientConfig({ AWS_ENDPOINT_URL_SQS: ready.endpoints.sqs }, 'SQS');
  const client = new SQSClient({ ...config, credentials });
  const QueueUrl = ready.consumer.queue_url;
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 5,
  });
  const { Messages = [] } = await client.send(receive);
  const same = Messages.filter(({ Body }, index) => Body === story[index]).length;
  for (const { Body = '' } of Messages)
    print(`received   ${Buffer.byteLength(Body)} bytes from SQS`);
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
  }));
  if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return same;
};

const run = async (ready: Ready, credentials: SigV4Key, print: Print): Promise<void> => {
  const story = demoStory(ready.producer.system_id);
  const accepted = await publishAll(ready, story, print);
  const pulled = await pullAll(ready, story, print);
  const identical = await readQueue({ ready, credentials }, story, print);
  print(`${accepted} accepted, ${pulled} delivered in order, ${identical} byte for byte`);
  if ([accepted, pulled, identical].some(count => count !== story.length))
    throw new CommandRefused('The demo failed: not every snapshot arrived unchanged and in order.');
};

export const demoCommand: CommandSpec = {
  usage: 'demo',
  description: 'send a story of seven snapshots through a temporary service',
  target: 'none',
  run: ({ terminal: { out } }) =>
    withFreshService({ limits: true, warn: out }, ({ ready }, data) =>
      run(ready, operatorKeyIn(data), out),
    ),
};

const exampleOptions = {
  systemId: systemIdOption(
    'the system that the message comes from (default: that of the demo producer)',
  ),
  type: option('--type <type>', 'the type of the message (default: "story.context")', demoTypes),
  story: flag('--story', 'a whole chain instead: one message of each type, one a line').conflicts(
    'type',
  ),
};

type ExampleOptions = { readonly data: string } & OptionsOf<typeof exampleOptions>;

const exampleLines = ({ data, type, story, ...options }: ExampleOptions): readonly string[] => {
  const systemId = options.systemId ?? readSeed(data)?.producer.system_id ?? demoSystemId;
  if (story) return demoChain(systemId).map(message => JSON.stringify(message));
  if (type === undefined || type === 'story.context') return demoStory(systemId).slice(0, 1);
  return demoChain(systemId)
    .filter(({ message_type }) => message_type === type)
    .map(message => JSON.stringify(message, null, 2));
};

export const exampleCommand = command({
  usage: 'example',
  description: 'print a valid message for a new story, as the demo producer would send it',
  target: 'folder',
  options: exampleOptions,
  run({ terminal, options }) {
    for (const line of exampleLines(options).flatMap(text => text.split('\n'))) terminal.out(line);
  },
});
