import {
  type AttributeValue,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type RestorePorts,
  restoreTables,
  resumeFunctions,
  stoppedForRestore,
  tablePorts,
} from '../../lib/cli/deployment/aws-restore.ts';
import { envVars } from '../../lib/contract/environments.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { type LocalEnv, localEnv, localTables } from '../../lib/local/env.ts';
import { createTables, provision } from '../../lib/local/provision.ts';
import { seed } from '../../lib/local/seed.ts';
import { clientConfig, serveInProcess } from '../../lib/platform/aws/clients.ts';
import { pullFunction } from '../../lib/wiring/consuming.ts';
import { lambda, type RouteFunction } from '../../lib/wiring/function.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { publishFunction } from '../../lib/wiring/publishing.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import { json, type Reply, scriptedServer } from '../support/scripted-server.ts';
import { defaultDeployment } from './support/stacks.ts';
import { decisionOn, things } from './support/things.ts';

/** What the running test closes, even if it fails: an open server would keep jest from ending. */
const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

type Items = readonly Readonly<Record<string, AttributeValue>>[];

/** The steps of the runbook's section "Restoring the tables", on the local engines. */
const tools = (env: LocalEnv) => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  opened.push(() => client.destroy());
  const scanned = async (table: string): Promise<Items> =>
    (await client.send(new ScanCommand({ TableName: table }))).Items ?? [];
  return {
    /** The tables as they are now. */
    copy: () =>
      Promise.all(tableNames.map(async name => [name, await scanned(localTables[name])] as const)),
    lose: () =>
      Promise.all(
        tableNames.map(name =>
          client.send(new DeleteTableCommand({ TableName: localTables[name] })),
        ),
      ),
    /**
     * What `sombus aws restore` does, with copies in the place of DynamoDB's own; returns the
     * environment that names the new tables.
     */
    async restore(copies: readonly (readonly [(typeof tableNames)[number], Items])[]) {
      const done: string[] = [];
      const itemsOf = new Map<string, Items>(
        copies.map(([name, items]) => [localTables[name], items]),
      );
      const ports: RestorePorts = {
        ...tablePorts(env, async () => undefined),
        check: async source => void done.push(`check ${source}`),
        setCopies: async (name, count) => void done.push(`${name} ${count}`),
        async restore(source, target, at) {
          done.push(`${source} ${at?.toISOString() ?? 'now'}`);
          for (const Item of itemsOf.get(source) ?? [])
            await client.send(new PutItemCommand({ TableName: target, Item }));
        },
        safeguard: async table => void done.push(`safeguard ${table}`),
        say: () => undefined,
      };
      const restored = {
        registry: 'registry-20261122',
        ledger: 'ledger-20261122',
        activity: 'activity-20261122',
        sessions: 'sessions-20261122',
      };
      await createTables(env, restored);
      await restoreTables(
        ports,
        { from: localTables, to: restored },
        new Date('2026-11-22T09:30:00Z'),
      );
      const named: LocalEnv = {
        ...env,
        [envVars.registryTable]: restored.registry,
        [envVars.ledgerTable]: restored.ledger,
        [envVars.activityTable]: restored.activity,
        [envVars.sessionsTable]: restored.sessions,
      };
      return { done, named, resume: () => resumeFunctions(ports) };
    },
  };
};

test('restored tables of other names take over: all that was accepted up to the point is known and in order', async () => {
  const aws = await startLocalAws();
  opened.push(() => aws.close());
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await provision(env);
  const made = await seed(operatorPorts(env));
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
  const { done, named: after, resume } = await steps.restore(copies);
  await steps.lose();
  await expect(publish(linkCommitted())).resolves.toMatchObject({ status: 503 });
  const at = '2026-11-22T09:30:00.000Z';
  expect(done.slice(0, tableNames.length)).toEqual(
    tableNames.map(name => `check ${localTables[name]}`),
  );
  expect(done.slice(tableNames.length, tableNames.length + stoppedForRestore.length)).toEqual(
    stoppedForRestore.map(name => `${name} 0`),
  );
  expect(done.filter(line => /Z$|now$/.test(line)).sort()).toEqual(
    [
      `${localTables.activity} ${at}`,
      `${localTables.ledger} ${at}`,
      `${localTables.registry} ${at}`,
      `${localTables.sessions} now`,
    ].sort(),
  );
  expect(done.filter(line => line.startsWith('safeguard'))).toHaveLength(tableNames.length);
  await resume();
  // Of these, the templates reserve copies for three.
  const reserved = new Map([
    ['relay', 2],
    ['token', 40],
    ['pull', 400],
  ]);
  expect(done.slice(-stoppedForRestore.length)).toEqual(
    stoppedForRestore.map(name => `${name} ${reserved.get(name)}`),
  );
  const publishAgain = running(publishFunction, made.producer.client_id, after);
  expect((await publishAgain(story)).response).toMatchObject({ accepted: true, duplicate: true });
  expect((await publishAgain(link)).status).toBe(200);
  const { payload } = story as { readonly payload: Readonly<Record<string, unknown>> };
  const older = storyContext({ ...payload, sequence_number: 1 });
  expect((await publishAgain(older)).response.violations[0].rule).toBe(
    'sequence_number.not_increasing',
  );
  const next = storyContext({ ...payload, sequence_number: 2, updated_at: '2026-05-04T09:05:00Z' });
  expect((await publishAgain(next)).status).toBe(202);
  // After the point: the queue has it, the bus does not remember it.
  expect((await publishAgain(late)).status).toBe(202);

  const pull = running(pullFunction, made.consumer.client_id, after);
  const { response } = await pull();
  const ids = response.messages.map(({ message_id }: { message_id: string }) => message_id);
  const idOf = (message: object) => ('message_id' in message ? message.message_id : undefined);
  expect(new Set(ids)).toEqual(new Set([story, link, late, next].map(idOf)));
});

/** Answers as DynamoDB documents them. */
const status = (TableStatus: string) => json(200, { Table: { TableStatus } });
const error = (name: string) => json(400, { __type: name, message: name });

const dynamodb = async (...replies: readonly Reply[]) => {
  const server = await scriptedServer({ '/': replies });
  opened.push(() => server.close());
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB: new URL(server.baseUrl).origin,
  };
  const waits: number[] = [];
  const ports = tablePorts(env, async milliseconds => void waits.push(milliseconds));
  return { server, waits, ports };
};

test('a table is restored once, waited for, and gets what a restore does not bring', async () => {
  const { server, waits, ports } = await dynamodb(
    error('ResourceNotFoundException'),
    json(200, { TableDescription: { TableStatus: 'CREATING' } }),
    status('ACTIVE'),
    error('ValidationException'), // enabled already
    json(200, {}),
    json(200, {}),
    status('ACTIVE'), // the second run
  );
  await ports.restore('a', 'b', new Date('2026-11-22T09:30:00Z'));
  await ports.safeguard('b', 'ledger');
  await ports.restore('a', 'b', undefined);
  const [, asked, , expiry, recovery, protection] = server.calls.map(({ body }) =>
    JSON.parse(body),
  );
  expect(asked).toEqual({
    SourceTableName: 'a',
    TargetTableName: 'b',
    RestoreDateTime: Date.parse('2026-11-22T09:30:00Z') / 1000,
  });
  expect([waits, server.calls.length]).toEqual([[20_000], 7]);
  expect(expiry.TimeToLiveSpecification).toEqual({ Enabled: true, AttributeName: 'expires_at' });
  expect(recovery.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
  expect(protection).toEqual({ TableName: 'b', DeletionProtectionEnabled: true });
});

test('a table that is deleted while it is restored is not waited for', async () => {
  const { ports } = await dynamodb(status('CREATING'), error('ResourceNotFoundException'));
  await expect(ports.restore('a', 'b', undefined)).rejects.toThrow('The table b is gone');
});

describe('before anything stops, a restore', () => {
  const seconds = (time: string) => Date.parse(time) / 1000;
  const at = (time: string) => new Date(`2026-11-22T${time}Z`);
  const recovery = json(200, {
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription: {
        EarliestRestorableDateTime: seconds('2026-11-22T08:00:00Z'),
        LatestRestorableDateTime: seconds('2026-11-22T09:30:00Z'),
      },
    },
  });
  const absent = error('ResourceNotFoundException');
  const made = (source: string) =>
    json(200, {
      Table: {
        TableName: 'b',
        RestoreSummary: {
          SourceTableArn: `arn:aws:dynamodb:eu-west-1:111111111111:table/${source}`,
          RestoreDateTime: seconds('2026-11-22T09:00:00Z'),
        },
      },
    });

  it.each([
    ['to a second that can be restored', [absent, recovery], at('09:30:00')],
    ['to the latest', [absent, recovery], undefined],
    ['that goes on', [made('a')], at('09:00:00.400')],
    ['that goes on to the latest', [made('a')], undefined],
  ])('is let through: %s', async (_what, replies, time) => {
    const { ports } = await dynamodb(...replies);
    await expect(ports.check('a', 'b', time)).resolves.toBeUndefined();
  });

  it.each([
    ['too late', [absent, recovery], at('09:30:01'), '2026-11-22T09:30:00.000Z at the latest'],
    ['too early', [absent, recovery], at('07:59:59'), '2026-11-22T08:00:00.000Z at the earliest'],
    ['without recovery', [absent, json(200, {})], undefined, 'its recovery is off'],
    ['of another time', [made('a')], at('09:10:00'), 'as of 2026-11-22T09:00:00.000Z'],
    ['of another table', [made('aa')], at('09:00:00'), 'table/aa'],
    [
      'onto a table of another origin',
      [status('ACTIVE')],
      undefined,
      'was not restored from another',
    ],
  ])('is refused: %s', async (_what, replies, time, reason) => {
    const { ports } = await dynamodb(...replies);
    await expect(ports.check('a', 'b', time)).rejects.toThrow(reason);
  });
});

describe('a restore that fails', () => {
  const failing = async (failed: Partial<RestorePorts>) => {
    const stopped: string[] = [];
    const said: string[] = [];
    const nothing = async () => undefined;
    const ports: RestorePorts = {
      check: nothing,
      restore: nothing,
      safeguard: nothing,
      copyRings: nothing,
      setCopies: async name => void stopped.push(name),
      say: line => void said.push(line),
      ...failed,
    };
    const restored = { from: localTables, to: localTables };
    await expect(restoreTables(ports, restored, new Date('2026-11-22T09:30:00Z'))).rejects.toThrow(
      'no',
    );
    return { stopped, said: said.join('\n') };
  };
  const no = () => Promise.reject(new Error('no'));

  it('stops nothing if it cannot begin', async () => {
    expect(await failing({ check: no })).toEqual({ stopped: [], said: '' });
  });

  it('says that the functions are stopped, and how to go on', async () => {
    const { stopped, said } = await failing({ restore: no });
    expect(stopped).toEqual(stoppedForRestore);
    expect(said).toContain(
      'The functions are stopped. Repeat the command with --to 2026-11-22T09:30:00.000Z',
    );
    expect(said).toContain('--resume');
  });
});

test('every function that may write to a table is stopped, but for the authoriser', () => {
  const deployment = defaultDeployment();
  const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(
    name => `dynamodb:${name}`,
  );
  const items = things.filter(({ context }) => context['dynamodb:LeadingKeys']);
  const writers = deployment.roles.flatMap(({ functionName }) => {
    if (functionName === undefined) return [];
    const name = functionName.replace('sombus-sandbox-', '');
    const isWriter = items.some(thing =>
      writes.some(action => decisionOn(deployment, name, { action, thing }) === 'allowed'),
    );
    return isWriter ? [name] : [];
  });
  expect(writers).toEqual(expect.arrayContaining(['token', 'registrations', 'alerts', 'relay']));
  // The authoriser counts refused tokens in the feed: nobody misses what it says meanwhile.
  expect([...stoppedForRestore, 'authoriser'].sort()).toEqual(writers.sort());
});
