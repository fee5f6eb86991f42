import type { IdentityProvider } from '../../lib/access/registry/registry.ts';
import { provision } from '../../lib/local/provision.ts';
import { serveInProcess } from '../../lib/platform/aws/clients.ts';
import { recorder } from '../../lib/wiring/activity.ts';
import { webhooks } from '../../lib/wiring/alerts.ts';
import { authoriserFunction } from '../../lib/wiring/authoriser.ts';
import { healthFunction } from '../../lib/wiring/descriptions.ts';
import type { Env } from '../../lib/wiring/env.ts';
import { lambda } from '../../lib/wiring/function.ts';
import { queueAgesFunction, relayFunction } from '../../lib/wiring/jobs.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { tablesHere } from '../support/local-aws.ts';
import { authoriserEvent, proxyEvent } from '../support/proxy-event.ts';
import { writtenLines } from '../support/written-lines.ts';

const here = tablesHere();
beforeAll(() => provision(here.env()));
const deployed = { SOMBUS_ENVIRONMENT: 'sandbox', SOMBUS_ORIGIN: 'https://bus.example' };

/** Without what the logger knows of the process and the time. */
const told = ({ timestamp: _time, ...line }: Record<string, unknown>) => line;

describe('the line of a request', () => {
  const failing = (thrown: unknown): typeof healthFunction => ({
    ...healthFunction,
    edge: () => async () => {
      throw thrown;
    },
  });
  const always = {
    service: 'som-bus',
    environment: 'sandbox',
    route: 'health',
    sampling_rate: 0,
  };
  const answered = {
    ...always,
    level: 'INFO',
    message: 'answered',
    status: 200,
    milliseconds: expect.any(Number),
    requestId: 'request-1',
  };

  test('names the function’s version only where there are versions', async () => {
    const request = proxyEvent({ httpMethod: 'GET' });
    const [line = {}] = await writtenLines(() => lambda(healthFunction, deployed)(request));
    expect(told(line)).toEqual(answered);
    const released = {
      ...deployed,
      AWS_LAMBDA_FUNCTION_NAME: 'sombus-sandbox-health',
      AWS_LAMBDA_FUNCTION_VERSION: '7',
    };
    const [versioned = {}] = await writtenLines(() => lambda(healthFunction, released)(request));
    expect(told(versioned)).toEqual({ ...answered, version: 'health:7' });
  });

  test('says of an error what it is, and of anything else that was thrown its text', async () => {
    const linesOf = (thrown: unknown) =>
      writtenLines(() => lambda(failing(thrown), deployed)(proxyEvent({ httpMethod: 'GET' })));
    const failed = { ...always, level: 'ERROR', message: 'failed', requestId: 'request-1' };
    const [error = {}, answer = {}] = await linesOf(new TypeError('The table is gone.'));
    expect(told(error)).toEqual({
      ...failed,
      error: expect.objectContaining({ name: 'TypeError', message: 'The table is gone.' }),
    });
    expect(told(answer)).toEqual({ ...answered, status: 503, rule: 'registry.unavailable' });
    const [text = {}] = await linesOf('no error at all');
    expect(told(text)).toMatchObject({
      ...failed,
      error: { name: 'Error', message: 'no error at all' },
    });
  });
});

/** A line of the embedded metric format, without its time. */
const metricLine = (metrics: readonly (readonly [string, string, number])[]) => ({
  _aws: {
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      {
        Namespace: 'som-bus/sandbox',
        Dimensions: [['service']],
        Metrics: metrics.map(([Name, Unit]) => ({ Name, Unit })),
      },
    ],
  },
  service: 'som-bus',
  ...Object.fromEntries(metrics.map(([name, , value]) => [name, value])),
});

test('what could not be recorded is one count, which says what and why', async () => {
  const lineOf = async (thrown: unknown) => {
    const env: Env = { ...deployed, SOMBUS_ACTIVITY_TABLE: 'activity' };
    serveInProcess(env, { DYNAMODB: () => Promise.reject(thrown) });
    const at = Date.UTC(2026, 0, 1);
    const limited = {
      kind: 'limited',
      connection: 'c1',
      workspace: 'w1',
      at,
      requests: 1,
    } as const;
    return writtenLines(() => recorder(env).record(limited));
  };
  const throttled = Object.assign(new Error('Slow down.'), { name: 'ThrottlingException' });
  const counted = metricLine([['UnrecordedActivity', 'Count', 1]]);
  expect(await lineOf(throttled)).toEqual([
    { ...counted, activity: 'limited', error: 'ThrottlingException' },
  ]);
  expect(await lineOf('gone')).toEqual([{ ...counted, activity: 'limited', error: 'unknown' }]);
});

test('the relay counts what is left, and says what the last error was and of which queue', async () => {
  const { report } = relayFunction.ports.metrics(deployed);
  const left = { pendingHeads: 3, oldestPendingSeconds: 121, finished: 2 };
  const counted = metricLine([
    ['PendingHeads', 'Count', 3],
    ['OldestPendingSeconds', 'Seconds', 121],
  ]);
  expect(await writtenLines(() => report(left))).toEqual([counted]);
  const lines = await writtenLines(() => {
    report({ ...left, lastError: { name: 'QueueDoesNotExist', queue: 'c1.fifo' } });
    report({ ...left, lastError: { name: 'TimeoutError' } });
  });
  expect(lines).toEqual([
    { ...counted, last_error: 'QueueDoesNotExist c1.fifo' },
    { ...counted, last_error: 'TimeoutError' },
  ]);
});

test('the watch of queues counts the oldest message, and names each queue that needs a look', async () => {
  const { report } = queueAgesFunction.ports.ageReport(deployed);
  const queue = (connection: string) => ({ connection, workspace: 'w1', queue: `${connection}.f` });
  const nothing = { old: [], unknown: [], unguarded: [] };
  const age = ['OldestUnacknowledgedSeconds', 'Seconds'] as const;
  expect(await writtenLines(() => report({ oldestSeconds: 0, ...nothing }))).toEqual([
    metricLine([[...age, 0]]),
  ]);
  const found = {
    oldestSeconds: 700_000,
    old: [{ ...queue('c1'), seconds: 700_000 }],
    unknown: [queue('c2')],
    unguarded: [queue('c3')],
  };
  const [metrics, ...warnings] = await writtenLines(() => report(found));
  expect(metrics).toEqual(
    metricLine([
      [...age, 700_000],
      ['UnguardedQueues', 'Count', 1],
    ]),
  );
  const warning = { level: 'WARN', service: 'som-bus', sampling_rate: 0 };
  expect(warnings.map(told)).toEqual([
    { ...warning, message: 'unacknowledged', ...queue('c1'), seconds: 700_000 },
    { ...warning, message: 'unknown age', ...queue('c2') },
    { ...warning, message: 'changed policy', ...queue('c3') },
  ]);
});

describe('only the local service reaches insecure addresses of this machine', () => {
  const workspace = 'waaaaaaaaaaaa';
  const scope = workspace;
  // Nothing listens there.
  const closed = 'http://127.0.0.1:1/keys';

  const provider = (issuer: string, insecureLocal: boolean): IdentityProvider => ({
    scope,
    issuer,
    jwksUri: closed,
    audience: 'bus',
    clientClaim: 'azp',
    insecureLocal,
    createdAt: '2026-01-01T00:00:00.000Z',
  });

  const askedBy = async (env: Env, issuer: string) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: issuer, aud: 'bus', azp: 'vendor', exp: 9e9 };
    const token = `${part({ alg: 'ES256', kid: 'k' })}.${part(claims)}.AAAA`;
    const event = authoriserEvent({
      headers: { Authorization: `Bearer ${token}` },
      pathParameters: { t: workspace },
      resource: '/tenants/{t}/messages',
      requestContext: { stage: 'v1' },
    });
    const lines = await writtenLines(() => authoriserFunction(env)(event).catch(() => undefined));
    return lines.filter(({ message }) => message === 'key set unreadable').map(told);
  };

  test('to fetch the keys of identity providers, and says which it could not read', async () => {
    const [open, safe] = ['https://open.example', 'https://safe.example'];
    const { identityProviders } = operatorPorts(here.env());
    for (const one of [provider(open, true), provider(safe, false)])
      await identityProviders.add(one);
    const onAws: Env = { ...here.env(), SOMBUS_LOCAL_SERVICE: undefined };
    const line = (issuer: string, reason: unknown) => ({
      level: 'WARN',
      message: 'key set unreadable',
      service: 'som-bus',
      sampling_rate: 0,
      route: 'authoriser',
      scope,
      issuer,
      reason,
    });
    const insecure = 'Error: The key set was not fetched: its address is not https.';
    expect(await askedBy(here.env(), open)).toEqual([
      line(open, expect.stringContaining('ECONNREFUSED')),
    ]);
    expect(await askedBy(here.env(), safe)).toEqual([line(safe, insecure)]);
    expect(await askedBy(onAws, open)).toEqual([line(open, insecure)]);
  });

  test('to call webhooks', async () => {
    const problemOf = async (env: Env) =>
      (await webhooks(env).post({ url: closed, headers: {}, body: '{}' })).problem;
    expect(await problemOf(here.env())).toBe('it cannot be reached (ECONNREFUSED)');
    expect(await problemOf(deployed)).toBe('its address is not https');
  });
});
