import { performance } from 'node:perf_hooks';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { clientConfig, clientOf, serveInProcess } from '../../lib/aws/clients.ts';
import { envVars } from '../../lib/contract/environments.ts';
import { limits, withCommas } from '../../lib/contract/limits.ts';
import { type LocalEnv, localEnv } from '../../lib/local/env.ts';
import { provision } from '../../lib/local/provision.ts';
import { type Seed, seed } from '../../lib/local/seed.ts';
import { createConnection } from '../../lib/registry/connections.ts';
import { raiseLimit } from '../../lib/registry/quotas.ts';
import { ackFunction, pullFunction } from '../../lib/wiring/consuming.ts';
import { lambda, type ProxyHandler } from '../../lib/wiring/function.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { publishFunction } from '../../lib/wiring/publishing.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { linkCommitted } from '../support/messages.ts';
import { print } from './figures.ts';

// One workspace with a thousand consumers, over the production functions: does every consumer get every message, in order, and
// what becomes of a publish? `-- --consumers 200` for fewer.

const at = process.argv.indexOf('--consumers');
const consumers = at === -1 ? 1_000 : Number(process.argv[at + 1]);
const correlations = 4;
const messagesEach = 5;

const silent = () => ({
  answered: () => undefined,
  failed: (error: unknown) => print(`error: ${String(error)}`),
});

const call = async (
  handler: ProxyHandler,
  { workspace, connection }: { readonly workspace: string; readonly connection: string },
  parts: Partial<APIGatewayProxyEvent>,
): Promise<{ readonly status: number; readonly body: Record<string, never> }> => {
  const { statusCode, body, isBase64Encoded } = await handler({
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: workspace, c: connection },
    queryStringParameters: null,
    body: null,
    requestContext: { requestId: 'r', authorizer: { workspace, connection } },
    ...parts,
  } as unknown as APIGatewayProxyEvent);
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
  return { status: statusCode, body: JSON.parse(text) };
};

const addConsumers = async (env: LocalEnv, { workspace }: Seed): Promise<readonly string[]> => {
  const ids: string[] = [];
  const ports = operatorPorts(env);
  const place = await ports.directory.find('workspace', workspace);
  const organisation = place?.kind === 'workspace' ? place.organisation : '';
  for (const bound of ['connections', 'apps'] as const)
    await raiseLimit(ports, { bound, organisation }, consumers + 10);
  await raiseLimit(ports, { bound: 'consumers', organisation, workspace }, consumers + 10);
  const nothing = { systemIds: [], grants: [], sources: [], receives: ['*'] };
  for (let number = 1; number < consumers; number += 1) {
    const app = `reader-${number}`;
    const made = await createConnection(ports, { ...nothing, kind: 'consumer', workspace, app });
    if (made.kind === 'declined') throw new Error(made.reason);
    ids.push(made.connection.id);
  }
  return ids;
};

const correlationOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

/** Publishes to all correlations at once, one message after the other in each. Returns the milliseconds of each publish. */
const publishAll = async (env: LocalEnv, { workspace, producer }: Seed) => {
  const publish = lambda(publishFunction, env, silent());
  const caller = { workspace, connection: producer.client_id };
  const took: number[] = [];
  const expected = new Map<string, string[]>();
  const tell = async (number: number): Promise<void> => {
    const correlation_id = correlationOf(number);
    const ids: string[] = [];
    expected.set(correlation_id, ids);
    for (let sent = 0; sent < messagesEach; sent += 1) {
      const message = linkCommitted({ correlation_id });
      const began = performance.now();
      const { status } = await call(publish, caller, { body: JSON.stringify(message) });
      took.push(performance.now() - began);
      if (status !== 202) print(`a publish was answered ${status}`);
      ids.push(String(message['message_id']));
    }
  };
  await Promise.all(Array.from({ length: correlations }, (_, number) => tell(number)));
  return { took: took.sort((one, other) => one - other), expected };
};

type Pulled = readonly {
  readonly message_id: string;
  readonly correlation_id: string;
  readonly receipt_handle: string;
}[];

/** What one consumer gets, by correlation, in the order of arrival. */
const takeAll = async (
  handlers: { pull: ProxyHandler; ack: ProxyHandler },
  caller: Parameters<typeof call>[1],
) => {
  const got = new Map<string, string[]>();
  for (;;) {
    const { body } = await call(handlers.pull, caller, { queryStringParameters: { max: '10' } });
    const messages = (body['messages'] ?? []) as Pulled;
    if (messages.length === 0) return got;
    for (const { message_id, correlation_id } of messages)
      got.set(correlation_id, [...(got.get(correlation_id) ?? []), message_id]);
    const receipt_handles = messages.map(({ receipt_handle }) => receipt_handle);
    await call(handlers.ack, caller, { body: JSON.stringify({ receipt_handles }) });
  }
};

/** The stored size of an entry: its list of targets grows with the consumers, and an item has at most 400 KB. */
const entryBytes = async (env: LocalEnv, { workspace }: Seed): Promise<number> => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const { ConsumedCapacity } = await client.send(
    new QueryCommand({
      TableName: env[envVars.ledgerTable],
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :entries)',
      ExpressionAttributeValues: {
        ':pk': { S: `LOG#${workspace}#${correlationOf(0)}` },
        ':entries': { S: '#' },
      },
      Limit: 1,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  return (ConsumedCapacity?.CapacityUnits ?? 0) * 4_096;
};

const main = async (): Promise<void> => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  serveInProcess(env, aws.inProcess);
  await provision(env);
  const made = await seed(operatorPorts(env));
  const ids = [made.consumer.client_id, ...(await addConsumers(env, made))];
  const { took, expected } = await publishAll(env, made);
  const handlers = { pull: lambda(pullFunction, env, silent()), ack: lambda(ackFunction, env, silent()) };
  let wrong = 0;
  for (const connection of ids) {
    const got = await takeAll(handlers, { workspace: made.workspace, connection });
    const isRight = [...expected].every(([id, sent]) => got.get(id)?.join() === sent.join());
    if (!isRight) wrong += 1;
  }
  const middle = Math.round(took[Math.floor(took.length / 2)] ?? 0);
  print(
    `${withCommas(ids.length)} consumers, ${correlations * messagesEach} messages in ${correlations} correlations`,
  );
  print(
    `a publish took ${middle} ms in the middle, ${Math.round(took.at(-1) ?? 0)} ms at most; it may take ${withCommas(limits.publishBudgetMilliseconds)} ms`,
  );
  print(
    `an entry takes up to ${withCommas(await entryBytes(env, made))} bytes of the 400 KB that DynamoDB allows`,
  );
  print(`${wrong} consumers did not get every message once and in order`);
  if (wrong > 0) process.exitCode = 1;
  await aws.close();
};

void main();
