import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { alarms, blockingRules, customMetrics } from '../lib/contract/alarms.ts';
import { functionSizes } from '../lib/contract/functions.ts';
import { daySeconds, limits } from '../lib/contract/limits.ts';
import { systemClock } from '../lib/engines/machine.ts';
import { openStore } from '../lib/engines/store/store.ts';
import { managedGroups, rateRules } from '../lib/infra/firewall-rules.ts';
import { databaseOption } from '../lib/local/database.ts';
import { demoStory } from '../lib/local/demo-story.ts';
import { startEngines } from '../lib/local/engines.ts';
import { type LocalEnv, localEnv } from '../lib/local/env.ts';
import { provision } from '../lib/local/provision.ts';
import { type Seed, seed } from '../lib/local/seed.ts';
import { createConnection } from '../lib/registry/connections.ts';
import { ackFunction, pullFunction } from '../lib/wiring/consuming.ts';
import { lambda, type ProxyHandler } from '../lib/wiring/function.ts';
import { registryPorts } from '../lib/wiring/operator.ts';
import { publishFunction } from '../lib/wiring/publishing.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';

// Counts what one publish, pull and ack ask of AWS, on the local engines, and writes docs/cost.md from that and a price list.

/** On-demand list prices of us-east-1 in US dollars, without free allowances. */
const prices = {
  date: 'November 2025',
  gatewayRequest: 3.5 / 1e6,
  firewallRequest: 0.6 / 1e6,
  functionRequest: 0.2 / 1e6,
  functionGigabyteSecond: 0.000_013_333_4,
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  queueRequest: 0.5 / 1e6,
  logGigabyte: 0.5,
  firewallPerMonth: 5,
  firewallRulePerMonth: 1,
  metricPerMonth: 0.3,
  alarmPerMonth: 0.1,
  dashboardPerMonth: 3,
  keyPerMonth: 1,
} as const;

/** What cannot be counted here: how long a function runs on AWS, warm, and how much one request logs. */
const assumed = {
  publishSeconds: 0.06,
  pullSeconds: 0.03,
  ackSeconds: 0.03,
  logBytesPerRequest: 1_000,
} as const;

const messagesPerPull = 10;
const stories = 4;

interface Proxies {
  readonly dynamodb: CountingProxy;
  readonly sqs: CountingProxy;
  readonly kms: CountingProxy;
}

interface Tally {
  readonly calls: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queueRequests: number;
}

const silent = () => ({
  answered: () => undefined,
  failed(fault: unknown) {
    throw fault;
  },
});

const event = (caller: { connection: string; workspace: string }, parts: Partial<APIGatewayProxyEvent>) =>
  ({
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: caller.workspace, c: caller.connection },
    queryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), authorizer: caller },
    ...parts,
  }) as unknown as APIGatewayProxyEvent;

const sent = async (handler: ProxyHandler, request: APIGatewayProxyEvent): Promise<Record<string, never>> => {
  const { statusCode, body, isBase64Encoded } = await handler(request);
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
  if (statusCode >= 300) throw new Error(`${statusCode}: ${text}`);
  return JSON.parse(text);
};

/** What an action costs, divided by the number of messages it is about. */
const tally = async (proxies: Proxies, messages: number, action: () => Promise<void>): Promise<Tally> => {
  for (const proxy of Object.values(proxies)) proxy.empty();
  await action();
  const calls = Object.values(proxies).flatMap(({ counts }) => [...counts.calls]);
  const { counts } = proxies.dynamodb;
  const queueRequests = [...proxies.sqs.counts.calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    calls: Object.fromEntries(calls.map(([name, count]) => [name, count / messages])),
    readUnits: counts.readUnits / messages,
    writeUnits: counts.writeUnits / messages,
    queueRequests: queueRequests / messages,
  };
};

interface Measured {
  readonly consumers: number;
  readonly bytes: number;
  readonly publish: Tally;
  readonly pull: Tally;
  readonly ack: Tally;
}

const measure = async (consumers: number, proxies: Proxies, env: LocalEnv): Promise<Measured> => {
  const made: Seed = await seed(registryPorts(env));
  for (let more = 1; more < consumers; more += 1) {
    await createConnection(registryPorts(env), {
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
    const body = JSON.stringify({ receipt_handles: messages.map(({ receipt_handle }) => receipt_handle) });
    return sent(run.ack, event(consumer, { body }));
  };
  // Warm: what functions remember between requests is remembered.
  for (const message of demoStory(made.producer.system_id)) await send(message);
  await settle((await receive())['messages'] ?? []);

  const messages = Array.from({ length: stories }, () => demoStory(made.producer.system_id)).flat();
  const published = await tally(proxies, messages.length, async () => {
    for (const message of messages) {
      // Publishes this far apart share no read: what a function remembers for a moment only would make every run another.
      await setTimeout(limits.consumersCacheMilliseconds + 1);
      await send(message);
    }
  });
  let received: readonly { receipt_handle: string }[] = [];
  const pulled = await tally(proxies, messagesPerPull, async () => {
    received = (await receive())['messages'] ?? [];
  });
  if (received.length !== messagesPerPull) throw new Error(`A pull got ${received.length} messages.`);
  const acked = await tally(proxies, messagesPerPull, async () => void (await settle(received)));
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0) / messages.length;
  return { consumers, bytes, publish: published, pull: pulled, ack: acked };
};

const measured = async (consumers: number): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-cost-'));
  const store = openStore(join(folder, 'store.sqlite'));
  const engines = await startEngines(store, {
    ...databaseOption(process.env),
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

/** What every request costs before its function does anything. */
const request = (route: 'publish' | 'pull' | 'ack', seconds: number): number =>
  prices.gatewayRequest +
  prices.firewallRequest +
  prices.functionRequest +
  (functionSizes[route].memoryMegabytes / 1024) * seconds * prices.functionGigabyteSecond +
  (assumed.logBytesPerRequest / 1e9) * prices.logGigabyte;

const data = ({ readUnits, writeUnits, queueRequests }: Tally): number =>
  readUnits * prices.readUnit + writeUnits * prices.writeUnit + queueRequests * prices.queueRequest;

const perMillion = ({ consumers, publish: published, pull: pulled, ack: acked }: Measured) => {
  const producer = request('publish', assumed.publishSeconds) + data(published);
  const requests = request('pull', assumed.pullSeconds) + request('ack', assumed.ackSeconds);
  const consumer = requests / messagesPerPull + data(pulled) + data(acked);
  const million = (dollars: number) => (dollars * 1e6).toFixed(2);
  return [
    consumers,
    million(producer),
    million(consumer * consumers),
    million(producer + consumer * consumers),
  ];
};

const waitingPerMonth = (): string => {
  const polls = (30 * daySeconds) / 20;
  const held = 20 * (functionSizes.pull.memoryMegabytes / 1024) * prices.functionGigabyteSecond;
  const once = request('pull', 0) + held + prices.queueRequest;
  return (polls * once).toFixed(2);
};

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const callRows = (all: readonly Measured[]): readonly string[] => {
  const parts = ['publish', 'pull', 'ack'] as const;
  return parts.flatMap(part => {
    const names = [...new Set(all.flatMap(entry => Object.keys(entry[part].calls)))].sort();
    const counted = names.map(name =>
      row([part, name, ...all.map(entry => Number((entry[part].calls[name] ?? 0).toFixed(2)))]),
    );
    const units = (name: string, of: (tally: Tally) => number) =>
      row([part, name, ...all.map(entry => Number(of(entry[part]).toFixed(2)))]);
    return [...counted, units('read units', t => t.readUnits), units('write units', t => t.writeUnits)];
  });
};

const firewallRules = rateRules().length + managedGroups().length;

const fixedPerMonth = (): string =>
  (
    prices.firewallPerMonth +
    firewallRules * prices.firewallRulePerMonth +
    Object.keys(customMetrics).length * prices.metricPerMonth +
    (Object.keys(alarms).length + Object.keys(blockingRules).length) * prices.alarmPerMonth +
    prices.dashboardPerMonth +
    prices.keyPerMonth
  ).toFixed(2);

const page = (all: readonly Measured[]): string => `# What it costs

Written by \`npm run cost\`: calls and units are counted on the local engines with the messages of the demo story (${Math.round(all[0]?.bytes ?? 0)} bytes each
on average), warm functions, and one publish at a time. Prices are list prices for us-east-1, ${prices.date}, without free
allowances. They exclude taxes, data transfer out and support. Check current prices before you decide.

## Dollars per million messages

Consumers pull and acknowledge ${messagesPerPull} messages at a time. Assumptions: ${assumed.publishSeconds * 1000} ms per publish, ${assumed.pullSeconds * 1000} ms per pull that finds
messages, ${assumed.ackSeconds * 1000} ms per ack, ${assumed.logBytesPerRequest} bytes of logs per request.

| consumers | publishing | pulling and acknowledging | together |
| --- | --- | --- | --- |
${all.map(entry => row(perMillion(entry))).join('\n')}

## Dollars per month without any messages

- An idle environment: ${fixedPerMonth()} (firewall, alarms, metrics, dashboard, key).
- Each consumer that polls without a break, 20 seconds at a time: ${waitingPerMonth()}, nearly all of it for the memory of the waiting function.

## Calls per message

| action | call | ${all.map(({ consumers }) => `${consumers} consumer${consumers === 1 ? '' : 's'}`).join(' | ')} |
| --- | --- | ${all.map(() => '---').join(' | ')} |
${callRows(all).join('\n')}
`;

const main = async (): Promise<void> => {
  const all: Measured[] = [];
  for (const consumers of [1, 3, 10]) all.push(await measured(consumers));
  writeFileSync(join(__dirname, '../docs/cost.md'), page(all));
  console.log('docs/cost.md is written.');
};

void main();
