import { gzipSync } from 'node:zlib';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { operatorScope, workspaceScope } from '../../lib/access/trust/principals.ts';
import { registerPrincipal } from '../../lib/access/trust/register-principal.ts';
import { awsRefusedTexts } from '../../lib/bus/activity/refused-texts.dynamodb.ts';
import { startReplay } from '../../lib/bus/replay/start-replay.ts';
import { limits } from '../../lib/contract/limits.ts';
import { alertKindNames } from '../../lib/contract/portal/alerts.ts';
import type { RouteId } from '../../lib/contract/routes.ts';
import { type LocalEnv, localEnv } from '../../lib/local/env.ts';
import { provision } from '../../lib/local/provision.ts';
import { type Seed, seed } from '../../lib/local/seed.ts';
import { serveInProcess } from '../../lib/platform/aws/clients.ts';
import { makeAlert } from '../../lib/portal/alerts/alerts.ts';
import { alerts, alertsFunction } from '../../lib/wiring/alerts.ts';
import { authoriserFunction } from '../../lib/wiring/authoriser.ts';
import {
  checksFunction,
  evidenceFunction,
  listRunsFunction,
  showRunFunction,
  startRunFunction,
  stopRunFunction,
} from '../../lib/wiring/checks.ts';
import { ackFunction, nackFunction, pullFunction } from '../../lib/wiring/consuming.ts';
import { activityTable } from '../../lib/wiring/env.ts';
import { lambda, type RouteFunction } from '../../lib/wiring/function.ts';
import { history } from '../../lib/wiring/history.ts';
import { scheduled } from '../../lib/wiring/job.ts';
import { countLimited, relayFunction, replayFunction } from '../../lib/wiring/jobs.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import {
  iamPublishFunction,
  iamValidateFunction,
  jwtPublishFunction,
  operatorPublishFunction,
  publishFunction,
  validateFunction,
} from '../../lib/wiring/publishing.ts';
import { verifyPrincipalFunction } from '../../lib/wiring/registry.ts';
import { registrationsFunction } from '../../lib/wiring/skills.ts';
import { jwksFunction, tokenFunction } from '../../lib/wiring/tokens.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { linkCommitted, sentBy, storyContext } from '../support/messages.ts';
import { authoriserEvent, type Changes, proxyEvent } from '../support/proxy-event.ts';
import { type RecordedCall, recording } from './support/recorded-calls.ts';
import { defaultDeployment } from './support/stacks.ts';
import { decisionOn, type Thing, things } from './support/things.ts';

const deployment = defaultDeployment();
const calls = new Map<string, RecordedCall[]>();
let aws: Awaited<ReturnType<typeof startLocalAws>>;

/** The environment of one function, whose calls are noted. */
const envOf = (name: string): LocalEnv => {
  const env = { ...localEnv('http://127.0.0.1', aws.endpoints) };
  const noted: RecordedCall[] = [];
  calls.set(name, noted);
  serveInProcess(
    env,
    recording(aws.inProcess, call => noted.push(call)),
  );
  return env;
};

const quiet = {
  answered: () => undefined,
  failed: (error: unknown) => {
    throw error;
  },
};

type Event = Parameters<typeof proxyEvent>[0];
type Body = Record<string, never>;

/** A function that answers events with its status and body. */
const running = <R extends RouteId>(served: RouteFunction<R>) => {
  const handler = lambda(served, envOf(served.route), quiet);
  return async (event: Event): Promise<{ readonly status: number; readonly body: Body }> => {
    const { statusCode, body, isBase64Encoded } = await handler(proxyEvent(event));
    const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
    return { status: statusCode, body: JSON.parse(text || '{}') as Body };
  };
};

const json = { 'content-type': 'application/json' };
const withBody = (message: object): Event => ({ headers: json, body: JSON.stringify(message) });

const as = (connection: string, made: Seed): Event => ({
  pathParameters: { t: made.workspace, c: connection },
  requestContext: {
    authorizer: { connection, workspace: made.workspace },
  } as Changes<never>['requestContext'] & object,
});

const settled = <Result>(result: Result): Exclude<Result, { readonly kind: 'declined' }> => {
  if (isDeclined(result)) throw new Error(result.reason);
  return result as Exclude<Result, { readonly kind: 'declined' }>;
};

const role = (name: string): string => `arn:aws:iam::210987654321:role/${name}`;
const signedBy = (name: string): Event => ({
  requestContext: { identity: { userArn: role(name) } as never },
});

/** Tokens, the public keys, and what the authoriser asks about good, unknown and foreign ones. */
const useTokens = async ({ workspace, producer }: Seed): Promise<void> => {
  const { client_id, client_secret } = producer;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const issued = await running(tokenFunction)({ headers, body: form.toString() });
  await running(jwksFunction)({ httpMethod: 'GET' });
  const authorise = authoriserFunction(envOf('authoriser'));
  const foreign = [
    { alg: 'ES256', kid: 'k' },
    { iss: 'https://idp.example', aud: 'x', exp: 9e9 },
  ]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('AAAA')
    .join('.');
  for (const token of [issued.body['access_token'], foreign]) {
    const request = {
      headers: { Authorization: `Bearer ${token}` },
      pathParameters: { t: workspace },
    };
    await authorise(
      authoriserEvent({
        ...request,
        resource: '/tenants/{t}/messages',
        requestContext: { stage: 'v1' },
      }),
    ).catch(() => undefined);
  }
};

/** Every way to publish: new, repeated, repeated with other bytes, refused, and dry. */
const usePublishing = async (made: Seed): Promise<void> => {
  const publish = running(publishFunction);
  const validate = running(validateFunction);
  const caller = as(made.producer.client_id, made);
  const story = storyContext();
  for (const message of [
    story,
    story,
    { ...story, topic: 'other' },
    storyContext({ sequence_number: 0 }),
  ]) {
    await publish({ ...caller, ...withBody(message) });
    await validate({ ...caller, ...withBody(message) });
  }
  const correlation_id = '00000000-0000-4000-8000-0000000000aa';
  for (let count = 0; count < 6; count += 1)
    await publish({ ...caller, ...withBody(linkCommitted({ correlation_id })) });
  await running(jwtPublishFunction)({ ...caller, ...withBody(linkCommitted()) });
};

/** Roles: verified by a challenge, then publishing; and the operator's own. */
const useRoles = async (env: LocalEnv, made: Seed): Promise<void> => {
  const ports = operatorPorts(env);
  const scope = workspaceScope(made.workspace) ?? operatorScope;
  const path = { pathParameters: { t: made.workspace } };
  const verify = running(verifyPrincipalFunction);
  for (const [connection, name] of [
    [made.producer.client_id, 'writer'],
    [made.consumer.client_id, 'reader'],
  ] as const) {
    const registered = settled(
      await registerPrincipal(ports, scope, { connection, roleArn: role(name) }),
    );
    const body = { connection_id: connection, challenge: registered.challenge ?? '' };
    expect(await verify({ ...path, ...signedBy(name), ...withBody(body) })).toMatchObject({
      status: 200,
    });
  }
  for (const call of [running(iamPublishFunction), running(iamValidateFunction)])
    expect(
      await call({ ...path, ...signedBy('writer'), ...withBody(sentBy(made.producer.system_id)) }),
    ).toMatchObject({ status: 202 });
  const own = settled(
    await createConnection(ports, {
      kind: 'producer',
      workspace: made.workspace,
      app: 'operators-own',
      systemIds: ['operators-own'],
      grants: ['*'],
      receives: [],
      sources: [],
    }),
  );
  const wanted = { connection: own.connection.id, roleArn: role('operator') };
  settled(await registerPrincipal(ports, operatorScope, wanted));
  const message = withBody(sentBy('operators-own'));
  expect(
    await running(operatorPublishFunction)({ ...signedBy('operator'), ...message }),
  ).toMatchObject({
    status: 202,
  });
};

/** Pulls, acks and nacks of single messages and of groups. */
const useConsuming = async (made: Seed): Promise<void> => {
  const caller = as(made.consumer.client_id, made);
  const pull = running(pullFunction);
  const [ack, nack] = [running(ackFunction), running(nackFunction)];
  const pulled = await pull({ ...caller, httpMethod: 'GET' });
  const receipts = ((pulled.body['messages'] ?? []) as { receipt_handle: string }[]).map(
    one => one.receipt_handle,
  );
  expect(receipts.length).toBeGreaterThan(6);
  const half = Math.floor(receipts.length / 2);
  await ack({ ...caller, ...withBody({ receipt_handles: receipts.slice(0, half) }) });
  await nack({ ...caller, ...withBody({ receipt_handles: receipts.slice(half) }) });
  await running(registrationsFunction)({ ...caller, httpMethod: 'GET' });
};

/** A run of checks from its start to its end. */
const useChecks = async (made: Seed): Promise<void> => {
  const caller = as(made.consumer.client_id, made);
  const [start, show, stop] = [
    running(startRunFunction),
    running(showRunFunction),
    running(stopRunFunction),
  ];
  // By then, every process knows that the connections are under test.
  const ahead = (limits.registryCacheSeconds + 1) * 1000;
  const clock = { now: () => Date.now() + ahead, sleep: async () => undefined };
  const drive = scheduled(checksFunction, envOf('checks'), { clock: () => clock });
  const executor = {
    kind: 'executor',
    producer: made.producer.client_id,
    cases: ['raise-flag-on-match'],
  };
  for (const wanted of [{ kind: 'consumer' }, executor]) {
    const started = await start({ ...caller, ...withBody(wanted) });
    expect(started.status).toBe(201);
    await drive(0);
    const pathParameters = { ...caller.pathParameters, r: started.body['run_id'] ?? '' };
    expect((await stop({ ...caller, pathParameters })).status).toBe(200);
    await drive(0);
    expect(await show({ ...caller, pathParameters })).toMatchObject({
      body: { status: 'aborted' },
    });
  }
  await running(listRunsFunction)({ ...caller, httpMethod: 'GET' });
  const report = { httpMethod: 'GET', pathParameters: { e: '0'.repeat(32) } };
  expect((await running(evidenceFunction)(report)).status).toBe(404);
};

/** What a publisher leaves to the relay, and a replay of everything. */
const useJobs = async (env: LocalEnv, made: Seed): Promise<void> => {
  const { ledger, clock } = { ledger: operatorPorts(env), clock: operatorPorts(env).clock };
  const now = clock.now();
  settled(await startReplay(ledger, made.consumer.client_id, { from: now - 60_000, to: now }));
  await scheduled(relayFunction, envOf('relay'), {
    metrics: () => ({ report: () => undefined }),
  })();
  await scheduled(replayFunction, envOf('replay'))();
};

/** An alert of each kind, whose webhook takes nothing, and one of a workspace that is gone. */
const useAlerts = async (env: LocalEnv, { workspace }: Seed): Promise<void> => {
  const found = await operatorPorts(env).directory.find('workspace', workspace);
  const organisation = found?.kind === 'workspace' ? found.organisation : '';
  const ports = { ...operatorPorts(env), alerts: alerts(env) };
  const choice = { threshold: 1, to: { url: 'https://hooks.example' }, insecureLocal: false };
  for (const kind of alertKindNames) {
    const wanted = { organisation, workspace, kind, isGuest: false };
    settled(
      await makeAlert(
        ports,
        wanted,
        kind === 'test_run_ended' ? { ...choice, threshold: 0 } : choice,
      ),
    );
  }
  settled(
    await makeAlert(
      ports,
      { organisation, workspace: 'wgone', kind: 'refusals', isGuest: false },
      choice,
    ),
  );
  const webhooks = () => ({ post: async () => ({ problem: 'it responded with status 500' }) });
  const ahead = () => ({ now: () => Date.now() + 300_000, sleep: async () => undefined });
  await scheduled(alertsFunction, envOf('alerts'), { webhooks, clock: ahead })(400);
};

let limitedOfProducer: Awaited<ReturnType<ReturnType<typeof history>['feed']>>['lines'];

/** A batch of lines of the access log, as CloudWatch Logs sends them. */
const useAccessLog = async (made: Seed): Promise<void> => {
  const line = {
    connection: made.producer.client_id,
    workspace: made.workspace,
    refusedBy: 'THROTTLED',
  };
  const logEvents = [{ id: '1', timestamp: Date.now(), message: JSON.stringify(line) }];
  const batch = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents }));
  const event = { awslogs: { data: batch.toString('base64') } };
  for (let delivery = 0; delivery < 2; delivery += 1)
    await countLimited(envOf('limited-requests'))(event);
  const read = history(localEnv('http://127.0.0.1', aws.endpoints));
  const { lines } = await read.feed(made.workspace, { day: Date.now(), max: 200 });
  limitedOfProducer = lines.filter(
    ({ kind, connection }) => kind === 'limited' && connection === line.connection,
  );
};

beforeAll(async () => {
  aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await provision(env);
  const made = await seed(operatorPorts(env));
  await awsRefusedTexts(activityTable(env)).setKeeps(made.organisation, {
    keep: true,
    now: Date.now(),
  });
  await useTokens(made);
  await usePublishing(made);
  await useRoles(env, made);
  await useConsuming(made);
  await useChecks(made);
  await useAlerts(env, made);
  await useJobs(env, made);
  await useAccessLog(made);
});
afterAll(() => aws.close());

/** What a call on a local resource is about on AWS. */
const thingOf = ({ action, on }: RecordedCall): Thing => {
  // Metrics have no names in policies.
  if (action.startsWith('cloudwatch:')) return { name: on, arn: '*', context: {} };
  const name = action.startsWith('sqs:') ? 'consumer’s queue' : 'rotated key';
  const known = things.find(thing => thing.name === name);
  const table = /^sombus-(registry|ledger|activity|sessions)/.exec(on);
  const [some] = things;
  if (!some || !known) throw new Error(`There is no thing ${name}.`);
  return table
    ? {
        name: on,
        arn: some.arn.replace(/table\/.*/, `table/${on.replace('sombus-', 'sombus-sandbox-')}`),
        context: {},
      }
    : known;
};

/** The functions that call AWS, with a call that shows that the scenario reached it. */
const reached: readonly (readonly [string, ...string[]])[] = [
  ['token', 'kms:Sign', 'kms:GetPublicKey', 'dynamodb:UpdateItem', 'dynamodb:GetItem'],
  ['jwks', 'kms:GetPublicKey', 'dynamodb:GetItem'],
  ['authoriser', 'kms:GetPublicKey', 'dynamodb:GetItem'],
  ['publish', 'dynamodb:PutItem', 'sqs:SendMessage'],
  ['validate', 'dynamodb:BatchGetItem'],
  ['jwt-publish', 'sqs:SendMessage'],
  ['verify-principal', 'dynamodb:UpdateItem', 'sqs:SetQueueAttributes'],
  ['iam-publish', 'sqs:SendMessage'],
  ['iam-validate', 'dynamodb:BatchGetItem'],
  ['operator-publish', 'sqs:SendMessage'],
  ['pull', 'sqs:ReceiveMessage', 'dynamodb:BatchWriteItem'],
  ['ack', 'sqs:DeleteMessage', 'dynamodb:UpdateItem'],
  ['nack', 'sqs:ChangeMessageVisibility', 'dynamodb:UpdateItem'],
  ['registrations', 'dynamodb:Query'],
  ['check-start', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'sqs:GetQueueAttributes'],
  ['check-list', 'dynamodb:Query', 'dynamodb:GetItem'],
  ['check-report', 'dynamodb:Query', 'dynamodb:GetItem'],
  ['check-stop', 'dynamodb:UpdateItem'],
  ['check-evidence', 'dynamodb:GetItem'],
  ['checks', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  [
    'alerts',
    ...['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
    ...['dynamodb:DeleteItem', 'sqs:GetQueueAttributes', 'cloudwatch:GetMetricData'],
  ],
  ['limited-requests', 'dynamodb:UpdateItem'],
  ['relay', 'dynamodb:Query'],
  ['replay', 'dynamodb:Query', 'dynamodb:UpdateItem'],
];

describe('what functions ask of AWS is allowed to their roles', () => {
  it.each(reached)('%s', (name, ...expected) => {
    const made = calls.get(name) ?? [];
    expect([...new Set(made.map(({ action }) => action))]).toEqual(
      expect.arrayContaining(expected),
    );
    const refused = made.filter(
      call =>
        decisionOn(deployment, name.startsWith('check-') ? 'check-runs' : name, {
          action: call.action,
          thing: thingOf(call),
          context: call.context,
        }) === 'denied',
    );
    expect(refused).toEqual([]);
  });
});

test('a batch of the access log that is delivered twice is counted once', () => {
  expect(limitedOfProducer.map(({ count }) => count)).toEqual([1]);
});
