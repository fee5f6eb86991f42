import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Sha256 } from '@aws-crypto/sha256-js';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import { systemClock } from '../../lib/local/engines/machine.ts';
import type { Disk } from '../../lib/local/engines/store.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import { startEngines } from '../../lib/local/engines.ts';
import { sendsInProcess } from '../../lib/local/in-process.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { takenPort } from '../support/taken-port.ts';
import { clientOf } from './engines/support/sqs-bench.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
let made = 0;

const options = { clock: systemClock, before: {}, hosts: [], warn: () => undefined };

/** Engines on a disk whose flushes, once `hold` was called, end when they are told to. */
const heldEngines = async () => {
  made += 1;
  const held: (() => void)[] = [];
  let isHeld = false;
  let asked = 0;
  const disk: Disk = {
    flush: () => (isHeld ? new Promise(resolve => held.push(resolve)) : Promise.resolve()),
  };
  const store = openStore(join(folder.path, `${made}.sqlite`), disk);
  const saved = () => {
    asked += 1;
    return store.saved();
  };
  const engines = await startEngines({ ...store, saved }, options);
  const wire = clientOf(engines.endpoints.sqs);
  const release = () => {
    isHeld = false;
    for (const end of held.splice(0)) end();
  };
  return {
    engines,
    wire,
    release,
    hold() {
      isHeld = true;
      asked = 0;
    },
    /** How often somebody has waited for the disk since. */
    asked: () => asked,
    async close() {
      release();
      wire.destroy();
      await engines.close();
      await store.close();
    },
  };
};

const QueueName = 'held.fifo';
const creation = new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true' } });
const sending = new SendMessageCommand({
  QueueUrl: `/${QueueName}`,
  MessageBody: 'x',
  MessageGroupId: 'g',
  MessageDeduplicationId: 'once',
});

/**
 * What the queue returns for a command that is the second of its kind, and when: before or after
 * the disk has the first.
 */
const orderOf = async (
  engines: Awaited<ReturnType<typeof heldEngines>>,
  send: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const order: string[] = [];
  engines.hold();
  const responses = [1, 2].map(() => send().then(() => order.push('answered')));
  await eventually(() => engines.asked() === 2 || order.length > 0);
  order.push('on disk');
  engines.release();
  await Promise.all(responses);
  return order;
};

describe('nothing is confirmed before it is on disk:', () => {
  let held: Awaited<ReturnType<typeof heldEngines>>;
  afterEach(() => held.close());
  const afterDisk = ['on disk', 'answered', 'answered'];

  test('a send and its duplicate', async () => {
    held = await heldEngines();
    await held.wire.send(creation);
    expect(await orderOf(held, () => held.wire.send(sending))).toEqual(afterDisk);
  });

  const receiptOf = async (wire: Pick<SQSClient, 'send'>): Promise<DeleteMessageCommand> => {
    await wire.send(creation);
    await wire.send(sending);
    const QueueUrl = `/${QueueName}`;
    const { Messages: [message] = [] } = await wire.send(new ReceiveMessageCommand({ QueueUrl }));
    return new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle });
  };

  test('a delete and its repetition', async () => {
    held = await heldEngines();
    const deletion = await receiptOf(held.wire);
    expect(await orderOf(held, () => held.wire.send(deletion))).toEqual(afterDisk);
  });

  test('but a send in this process: its caller waits later', async () => {
    held = await heldEngines();
    const { SQS } = sendsInProcess(held.engines);
    await SQS?.(creation);
    held.hold();
    expect(await SQS?.(sending)).toMatchObject({ MessageId: expect.any(String) });
    expect(held.asked()).toBe(0);
  });
});

const isListening = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe('the engines', () => {
  const key = { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'secret' };
  /** What each is asked, and how it is called in signatures. */
  const calls = {
    dynamodb: ['DynamoDB_20120810.DescribeTable', 'dynamodb'],
    sqs: ['AmazonSQS.ListQueues', 'sqs'],
    kms: ['TrentService.DescribeKey', 'kms'],
    cloudwatch: ['GraniteServiceVersion20100801.DescribeAlarms', 'monitoring'],
  } as const;
  type Name = keyof typeof calls;
  const names = Object.keys(calls) as readonly Name[];
  type Headers = Readonly<Record<string, string>>;
  const ask = (endpoint: string, name: Name, more: Headers = { host: 'localhost' }) =>
    new Promise<readonly [number | undefined, string]>((resolve, reject) => {
      const headers = { 'x-amz-target': calls[name][0], connection: 'close', ...more };
      const asked = request(endpoint, { method: 'POST', headers }, response => {
        let text = '';
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve([response.statusCode, text] as const));
      });
      asked.once('error', reject).end('{}');
    });
  const closing: (() => Promise<void>)[] = [];
  const started = async (
    change: Partial<Parameters<typeof startEngines>[1]>,
    saved?: () => Promise<void>,
  ) => {
    const store = openStore();
    const { endpoints, close } = await startEngines(saved ? { ...store, saved } : store, {
      ...options,
      ...change,
    });
    closing.push(close, () => store.close());
    return endpoints;
  };
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  test('check signatures, each as its own service', async () => {
    const keys = { operator: key, role: () => undefined, now: Date.now };
    const endpoints = await started({ keys });
    const signed = (url: string, name: Name, service: string) =>
      new SignatureV4({ service, region: 'us-east-1', sha256: Sha256, credentials: key }).sign({
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: '/',
        headers: { host: new URL(url).host, 'x-amz-target': calls[name][0] },
        body: '{}',
      });
    for (const name of names) {
      const url = endpoints[name];
      const [status, text] = await ask(url, name);
      expect([name, status]).toEqual([name, name === 'sqs' ? 403 : 400]);
      expect(text).toContain('MissingAuthenticationToken');
      const { headers } = await signed(url, name, calls[name][1]);
      expect((await ask(url, name, headers))[1]).not.toMatch(/Authentication|Signature/);
      const { headers: others } = await signed(url, name, 'sns');
      expect((await ask(url, name, others))[1]).toContain('InvalidSignatureException');
    }
  });

  test('answer at this machine’s names and those that are allowed', async () => {
    const endpoints = await started({ hosts: ['bus.example'] });
    for (const name of names) {
      const statusAt = async (host: string) => (await ask(endpoints[name], name, { host }))[0];
      const known = await statusAt('localhost');
      expect(await statusAt('bus.example')).toBe(known);
      expect([known, await statusAt('evil.example')]).not.toEqual([403, 403]);
      expect(await statusAt('evil.example')).toBe(403);
    }
  });

  test('say of which one an error is that nobody expects', async () => {
    const warned: string[] = [];
    const warn = (line: string) => void warned.push(line);
    const endpoints = await started({ warn }, () => Promise.reject(new Error('The disk is full.')));
    for (const name of names) await ask(endpoints[name], name);
    expect(warned).toEqual(names.map(name => `${name}  The disk is full.`));
  });
});

describe('the ports of the last run', () => {
  test('are taken again, by each engine its own', async () => {
    const store = openStore();
    const first = await startEngines(store, options);
    await first.close();
    const second = await startEngines(store, { ...options, before: first.endpoints });
    expect(second.endpoints).toEqual(first.endpoints);
    expect(new Set(Object.values(second.endpoints)).size).toBe(4);
    await second.close();
    for (const origin of Object.values(second.endpoints))
      expect(await isListening(Number(new URL(origin).port))).toBe(false);
    await store.close();
  });

  test('are closed again if one of the engines cannot start', async () => {
    const { port, release } = await takenPort();
    release();
    const before = { dynamodb: `http://127.0.0.1:${port}`, sqs: 'http://192.0.2.1:65536' };
    const store = openStore();
    await expect(startEngines(store, { ...options, before })).rejects.toThrow();
    expect(await isListening(Number(port))).toBe(false);
    await store.close();
  });

  test('are given up if another program has one', async () => {
    const { port, release } = await takenPort();
    const store = openStore();
    const before = { sqs: `http://127.0.0.1:${port}` };
    const engines = await startEngines(store, { ...options, before });
    expect(engines.endpoints.sqs).not.toBe(before.sqs);
    expect(await isListening(Number(new URL(engines.endpoints.sqs).port))).toBe(true);
    await engines.close();
    await store.close();
    release();
  });
});

test('engines that lack an operation which the adapters need fail the start', async () => {
  const store = openStore();
  const engines = await startEngines(store, options);
  const kms = new Map(engines.operations.kms);
  kms.delete('Sign');
  expect(() => sendsInProcess({ ...engines, operations: { ...engines.operations, kms } })).toThrow(
    'The local engine does not serve Sign.',
  );
  await engines.close();
  await store.close();
});
