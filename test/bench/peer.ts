import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { Reader } from './bus.ts';
import { Connection, requestOf } from './lean-client.ts';
import { copiesOf, rawTarget, type Target } from './load.ts';
import { storyOf } from './story.ts';

interface Place {
  readonly port: number;
  readonly topicArn: string;
  readonly queueUrl: string;
}

/** A server of this folder in a process of its own. */
const startServer = async (
  file: string,
  ...args: readonly string[]
): Promise<{ readonly place: Place; close(): Promise<void> }> => {
  const child = spawn(process.execPath, [join(__dirname, '../../test/bench', file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => [undefined]),
  ]);
  if (typeof line !== 'string') throw new Error(`${file} ended with code ${child.exitCode}.`);
  return {
    place: JSON.parse(line),
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** A publish to the topic, as an SNS client sends it, but for the signature: the peer does not look at it. */
const snsPublishing = ({ port, topicArn }: Place, bytes: number): Target => {
  const { text, messageId, correlationId } = storyOf(bytes);
  const form = new URLSearchParams({
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: topicArn,
    MessageGroupId: correlationId,
    MessageDeduplicationId: messageId,
    Message: text,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = requestOf('POST /', headers, form.toString());
  return rawTarget(port, copiesOf(request, [messageId, correlationId]), 200);
};

/** The same with the client that its users have. */
const sdkPublishing = ({ port, topicArn: TopicArn }: Place, bytes: number): Target => {
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const client = new SNSClient({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials });
  const { text, messageId, correlationId } = storyOf(bytes);
  const message = copiesOf(Buffer.from(text), [messageId, correlationId]);
  const send = async (): Promise<number> => {
    const ids = { MessageGroupId: randomUUID(), MessageDeduplicationId: randomUUID() };
    const input = { TopicArn, Message: message().toString(), ...ids };
    return (await client.send(new PublishCommand(input))).$metadata.httpStatusCode ?? 0;
  };
  return { client: () => ({ send, close: () => undefined }), accepted: 200 };
};

interface Received {
  readonly Messages?: readonly { readonly ReceiptHandle: string }[];
}

/** Receives and deletes by tens, as an SQS client does. */
const sqsReader = ({ port, queueUrl }: Place): Reader => {
  const connection = new Connection(port);
  const ask = async (action: string, input: object): Promise<Buffer> => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
    const body = JSON.stringify({ QueueUrl: queueUrl, ...input });
    const { status, body: response } = await connection.send(requestOf('POST /', headers, body));
    if (status !== 200) throw new Error(`${action} was answered with ${status}: ${response}`);
    return response;
  };
  return {
    async take(waitSeconds) {
      const input = { MaxNumberOfMessages: 10, WaitTimeSeconds: waitSeconds };
      const { Messages = [] }: Received = JSON.parse((await ask('ReceiveMessage', input)).toString());
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      if (Entries.length > 0) await ask('DeleteMessageBatch', { Entries });
      return Entries.length;
    },
    close: () => connection.close(),
  };
};

/**
 * fauxqs: an SNS FIFO topic and one SQS FIFO queue that is subscribed to it.
 *
 * @param data where it keeps its data, on a Node that has node:sqlite; in memory if absent
 */
export const startPeer = async (bytes: number, ...data: readonly [] | readonly [string]) => {
  const { place, close } = await startServer('fauxqs.mjs', ...data);
  return {
    target: snsPublishing(place, bytes),
    sdkTarget: sdkPublishing(place, bytes),
    reader: () => sqsReader(place),
    close,
  };
};

/** A server that reads the same bytes and does nothing with them. */
export const startBare = async (bytes: number) => {
  const { place, close } = await startServer('bare-server.mjs');
  const request = requestOf('POST /', { 'content-type': 'application/json' }, storyOf(bytes).text);
  return { target: rawTarget(place.port, () => request, 202), close };
};
