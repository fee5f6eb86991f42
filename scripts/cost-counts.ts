import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createConnection } from '../lib/access/registry/connections.ts';
import { envVars } from '../lib/contract/environments.ts';
import { limits } from '../lib/contract/limits.ts';
import { systemClock } from '../lib/local/engines/machine.ts';
import { openStore } from '../lib/local/engines/store.ts';
import { startEngines } from '../lib/local/engines.ts';
import { type LocalEnv, localEnv } from '../lib/local/env.ts';
import { provision } from '../lib/local/provision.ts';
import { type Seed, seed } from '../lib/local/seed.ts';
import { clientConfig } from '../lib/platform/aws/clients.ts';
import { demoStory } from '../lib/som/messages/demo-messages.ts';
import { authoriserFunction } from '../lib/wiring/authoriser.ts';
import { ackFunction, pullFunction } from '../lib/wiring/consuming.ts';
import { lambda, type ProxyHandler } from '../lib/wiring/function.ts';
import { operatorPorts } from '../lib/wiring/operator.ts';
import { publishFunction } from '../lib/wiring/publishing.ts';
import { tokenFunction } from '../lib/wiring/tokens.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';

// Counts what one publish, pull, ack, poll and token ask of AWS, on the local engines.

export const messagesPerPull = 10;
const stories = 4;

interface Proxies {
  readonly dynamodb: CountingProxy;
  readonly sqs: CountingProxy;
  readonly kms: CountingProxy;
}

/** What an action asked of AWS, per message. */
export interface Tally {
  readonly calls: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queueRequests: number;
  /** The part of it that records what happened. */
  readonly records: { readonly calls: number; readonly writeUnits: number };
}

const silent = () => ({
  answered: () => undefined,
  failed(error: unknown) {
    throw error;
  },
});

const event = (
  caller: { connection: string; workspace: string },
  parts: Partial<APIGatewayProxyEvent>,
) =>
  ({
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: caller.workspace, c: caller.connection },
    queryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), authorizer: caller },
    ...parts,
  }) as unknown as APIGatewayProxyEvent;

const sent = async (
  handler: ProxyHandler,
  request: APIGatewayProxyEvent,
  expected = 2,
): Promise<Record<string, never>> => {
  const { statusCode, body, isBase64Encoded } = await handler(request);
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
  if (Math.floor(statusCode / 100) !== expected) throw new Error(`${statusCode}: ${text}`);
  return JSON.parse(text);
};

/** What an action costs, divided by the number of messages it is about. */
const tally = async (
  proxies: Proxies,
  messages: number,
  action: () => Promise<void>,
): Promise<Tally> => {
  for (const proxy of Object.values(proxies)) proxy.empty();
  await action();
  const calls = Object.values(proxies).flatMap(({ counts }) => [...counts.calls]);
  const { counts } = proxies.dynamodb;
  const queueRequests = [...proxies.sqs.counts.calls.values()].reduce(
    (sum, count) => sum + count,
    0,
  );
  return {
    calls: Object.fromEntries(calls.map(([name, count]) => [name, count / messages])),
    readUnits: counts.readUnits / messages,
    writeUnits: counts.writeUnits / messages,
    queueRequests: queueRequests / messages,
    records: {
      calls: counts.records.calls / messages,
      writeUnits: counts.records.writeUnits / messages,
    },
  };
};

/** What was counted with some number of consumers. */
export interface Measured {
  readonly consumers: number;
  readonly bytes: number;
  readonly publish: Tally;
  /** A publish that is refused for its body, and one of a message that was accepted before. */
  readonly refused: Tally;
  readonly repeated: Tally;
  readonly pull: Tally;
  readonly ack: Tally;
  /** A poll that waits and gets nothing. */
  readonly wait: Tally;
  /** By calls, not by messages: what consumers that keep up pull and acknowledge. */
  readonly batches: readonly Batch[];
  readonly token: Tally;
  readonly authorise: Tally;
  /** Bytes of the ledger per message. */
  readonly storedBytes: number;
}

/** What one pull that waits, and its ack, ask of AWS for a batch of so many messages. */
export interface Batch {
  readonly messages: number;
  readonly pull: Tally;
  readonly ack: Tally;
}

/** Batches of a consumer that keeps up: between their counts, costs grow evenly. */
const batchSizes = [1, 2, 4, 7, messagesPerPull] as const;

/** Takes what is left in a queue. */
const empty = async (
  receive: () => Promise<Record<string, never>>,
  settle: (messages: readonly { receipt_handle: string }[]) => Promise<unknown>,
): Promise<void> => {
  for (
    let left = (await receive())['messages'] ?? [];
    left.length > 0;
    left = (await receive())['messages'] ?? []
  )
    await settle(left);
};

/** A token request, and a run of the authoriser whose process remembers nothing of the registry. */
const identityTallies = async (
  proxies: Proxies,
  env: LocalEnv,
  { workspace, producer }: Seed,
): Promise<Pick<Measured, 'token' | 'authorise'>> => {
  const issue = lambda(tokenFunction, env, silent());
  const pair = Buffer.from(`${producer.client_id}:${producer.client_secret}`).toString('base64');
  const request = {
    ...event({ connection: '', workspace: '' }, {}),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${pair}`,
    },
    body: 'grant_type=client_credentials',
  };
  await sent(issue, request);
  let access = '';
  const token = await tally(proxies, 1, async () => {
    access = (await sent(issue, request))['access_token'] ?? '';
  });
  const asked = {
    httpMethod: 'POST',
    resource: '/tenants/{t}/messages',
    methodArn: 'arn:aws:execute-api:local:000000000000:local/v1/POST/messages',
    pathParameters: { t: workspace },
    headers: { Authorization: `Bearer ${access}` },
    requestContext: { stage: 'v1' },
  } as unknown as Parameters<ReturnType<typeof authoriserFunction>>[0];
  const authorise = await tally(
    proxies,
    1,
    async () => void (await authoriserFunction({ ...env })(asked)),
  );
  return { token, authorise };
};

/** The approximate size of all items of the ledger. */
const ledgerBytes = async (env: LocalEnv): Promise<number> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const { Items = [] } = await client.send(
    new ScanCommand({ TableName: env[envVars.ledgerTable] }),
  );
  client.destroy();
  const sizeOf = (value: unknown): number => {
    if (value instanceof Uint8Array) return value.length;
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).reduce(
        (sum, [name, part]) => sum + name.length + sizeOf(part),
        0,
      );
    return String(value).length;
  };
  return Items.reduce((sum, item) => sum + sizeOf(unmarshall(item)), 0);
};

const measure = async (consumers: number, proxies: Proxies, env: LocalEnv): Promise<Measured> => {
  const made: Seed = await seed(operatorPorts(env));
  for (let more = 1; more < consumers; more += 1) {
    await createConnection(operatorPorts(env), {
      kind: 'consumer',
      workspace: made.workspace,
      app: `reader-${more}`,
      systemIds: [],
      grants: [],
      receives: ['*'],
      sources: [],
    });
  }
  const producer = { connection: made.producer.client_id, workspace: made.workspace };
  const consumer = { connection: made.consumer.client_id, workspace: made.workspace };
  const run = {
    publish: lambda(publishFunction, env, silent()),
    pull: lambda(pullFunction, env, silent()),
    ack: lambda(ackFunction, env, silent()),
  };
  const send = (body: string) => sent(run.publish, event(producer, { body }));
  const receive = () =>
    sent(run.pull, event(consumer, { queryStringParameters: { max: String(messagesPerPull) } }));
  const settle = (messages: readonly { receipt_handle: string }[]) => {
    const body = JSON.stringify({
      receipt_handles: messages.map(({ receipt_handle }) => receipt_handle),
    });
    return sent(run.ack, event(consumer, { body }));
  };
  // Warm: what functions remember between requests is remembered.
  for (const message of demoStory(made.producer.system_id)) await send(message);
  await settle((await receive())['messages'] ?? []);

  const messages = Array.from({ length: stories }, () => demoStory(made.producer.system_id)).flat();
  const published = await tally(proxies, messages.length, async () => {
    for (const message of messages) {
      // Publishes this far apart share no read: what a function remembers for a moment only would
      // make every run another.
      await setTimeout(limits.consumersCacheMilliseconds + 1);
      await send(message);
    }
  });
  const [first = ''] = messages;
  const repeated = await tally(proxies, 1, async () => void (await send(first)));
  const invalid = JSON.stringify({ ...JSON.parse(first), message_id: randomUUID(), payload: {} });
  const refused = await tally(
    proxies,
    1,
    async () => void (await sent(run.publish, event(producer, { body: invalid }), 4)),
  );
  let received: readonly { receipt_handle: string }[] = [];
  const pulled = await tally(proxies, messagesPerPull, async () => {
    received = (await receive())['messages'] ?? [];
  });
  if (received.length !== messagesPerPull)
    throw new Error(`A pull got ${received.length} messages.`);
  const acked = await tally(proxies, messagesPerPull, async () => void (await settle(received)));
  await empty(receive, settle);
  // One story more than was counted, before the count began.
  const storedBytes = (await ledgerBytes(env)) / ((messages.length * (stories + 1)) / stories);
  const batches: Batch[] = [];
  for (const size of batchSizes) {
    const told = [0, 1].flatMap(() => demoStory(made.producer.system_id));
    for (const message of told.slice(0, size)) await send(message);
    let taken: readonly { receipt_handle: string }[] = [];
    const query = { max: String(messagesPerPull), wait: String(limits.pullWaitSeconds.max) };
    const pull = await tally(proxies, 1, async () => {
      const polled = event(consumer, { queryStringParameters: query });
      taken = (await sent(run.pull, polled))['messages'] ?? [];
    });
    if (taken.length !== size) throw new Error(`A pull got ${taken.length} messages, not ${size}.`);
    const ack = await tally(proxies, 1, async () => void (await settle(taken)));
    batches.push({ messages: size, pull, ack });
  }
  const waited = await tally(
    proxies,
    1,
    async () =>
      void (await sent(run.pull, event(consumer, { queryStringParameters: { wait: '1' } }))),
  );
  const tokens = await identityTallies(proxies, env, made);
  const bytes =
    messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0) / messages.length;
  return {
    consumers,
    bytes,
    publish: published,
    refused,
    repeated,
    pull: pulled,
    ack: acked,
    wait: waited,
    batches,
    ...tokens,
    storedBytes,
  };
};

/** Runs the service on the local engines with some consumers, and counts. */
export const measured = async (consumers: number): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-cost-'));
  const store = openStore(join(folder, 'store.sqlite'));
  const engines = await startEngines(store, {
    clock: systemClock,
    before: {},
    hosts: [],
    warn: () => undefined,
  });
  const { dynamodb, sqs, kms } = engines.endpoints;
  const proxies: Proxies = {
    dynamodb: await countingProxy(dynamodb),
    sqs: await countingProxy(sqs),
    kms: await countingProxy(kms),
  };
  try {
    const endpoints = {
      dynamodb: proxies.dynamodb.endpoint,
      sqs: proxies.sqs.endpoint,
      kms: proxies.kms.endpoint,
      cloudwatch: '',
    };
    const env = localEnv('http://127.0.0.1', endpoints);
    await provision(env);
    return await measure(consumers, proxies, env);
  } finally {
    for (const proxy of Object.values(proxies)) proxy.close();
    await engines.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
