import {
  type AttributeValue,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { clientConfig, serveInProcess } from '../../lib/aws/clients.ts';
import { envVars } from '../../lib/contract/environments.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { type LocalEnv, localEnv, localTables } from '../../lib/local/env.ts';
import { createTables, provision } from '../../lib/local/provision.ts';
import { seed } from '../../lib/local/seed.ts';
import { pullFunction } from '../../lib/wiring/consuming.ts';
import { lambda, type RouteFunction } from '../../lib/wiring/function.ts';
import { registryPorts } from '../../lib/wiring/operator.ts';
import { publishFunction } from '../../lib/wiring/publishing.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { proxyEvent } from '../support/proxy-event.ts';

type Items = readonly Readonly<Record<string, AttributeValue>>[];

/** The steps of the runbook's section "Restoring the tables", on the local engines. */
const tools = (env: LocalEnv) => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const scanned = async (table: string): Promise<Items> =>
    (await client.send(new ScanCommand({ TableName: table }))).Items ?? [];
  return {
    /** The tables as they are now. */
    copy: () => Promise.all(tableNames.map(async name => [name, await scanned(localTables[name])] as const)),
    lose: () =>
      Promise.all(
        tableNames.map(name => client.send(new DeleteTableCommand({ TableName: localTables[name] }))),
      ),
    /** New tables with the items of a copy; returns the environment that names them. */
    async restore(copies: readonly (readonly [(typeof tableNames)[number], Items])[]): Promise<LocalEnv> {
      const restored = {
        registry: 'registry-20261122',
        ledger: 'ledger-20261122',
        activity: 'activity-20261122',
        sessions: 'sessions-20261122',
      };
      await createTables(env, restored);
      for (const [name, items] of copies)
        for (const Item of items) await client.send(new PutItemCommand({ TableName: restored[name], Item }));
      return {
        ...env,
        [envVars.registryTable]: restored.registry,
        [envVars.ledgerTable]: restored.ledger,
        [envVars.activityTable]: restored.activity,
        [envVars.sessionsTable]: restored.sessions,
      };
    },
    close: () => client.destroy(),
  };
};

test('restored tables of other names take over: all that was accepted up to the point is known and in order', async () => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await provision(env);
  const made = await seed(registryPorts(env));
  const running = <R extends 'publish' | 'pull'>(
    served: RouteFunction<R>,
    connection: string,
    on: LocalEnv,
  ) => {
    const own = { ...on };
    serveInProcess(own, aws.inProcess);
    const handler = lambda(served, own, { answered: () => undefined, failed: () => undefined });
    return async (body?: object) => {
      const authorizer = { connection, workspace: made.workspace };
      const pathParameters = { t: made.workspace, c: connection };
      const sent = body
        ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
        : {};
      const {
        statusCode,
        body: text,
        isBase64Encoded,
      } = await handler(proxyEvent({ ...sent, pathParameters, requestContext: { authorizer } }));
      const plain = isBase64Encoded ? Buffer.from(text, 'base64').toString('utf8') : text;
      return { status: statusCode, response: JSON.parse(plain) };
    };
  };
  const steps = tools(env);
  const publish = running(publishFunction, made.producer.client_id, env);
  const story = storyContext();
  const [link, late] = [linkCommitted(), linkCommitted()];
  for (const message of [story, link]) expect((await publish(message)).status).toBe(202);
  const copies = await steps.copy();
  expect((await publish(late)).status).toBe(202);
  await steps.lose();
  await expect(publish(linkCommitted())).resolves.toMatchObject({ status: 503 });

  const after = await steps.restore(copies);
  const publishAgain = running(publishFunction, made.producer.client_id, after);
  expect((await publishAgain(story)).response).toMatchObject({ accepted: true, duplicate: true });
  expect((await publishAgain(link)).status).toBe(200);
  const { payload } = story as { readonly payload: Readonly<Record<string, unknown>> };
  const older = storyContext({ ...payload, sequence_number: 1 });
  expect((await publishAgain(older)).response.violations[0].rule).toBe('sequence_number.not_increasing');
  const next = storyContext({ ...payload, sequence_number: 2, updated_at: '2026-05-04T09:05:00Z' });
  expect((await publishAgain(next)).status).toBe(202);
  // After the point: the queue has it, the bus does not remember it.
  expect((await publishAgain(late)).status).toBe(202);

  const pull = running(pullFunction, made.consumer.client_id, after);
  const { response } = await pull();
  const ids = response.messages.map(({ message_id }: { message_id: string }) => message_id);
  const idOf = (message: object) => ('message_id' in message ? message.message_id : undefined);
  expect(new Set(ids)).toEqual(new Set([story, link, late, next].map(idOf)));
  steps.close();
  await aws.close();
});
