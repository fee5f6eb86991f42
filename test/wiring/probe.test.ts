import { LambdaClient } from '@aws-sdk/client-lambda';
import { invokingFetch, probeHandler, probePortal } from '../../lib/wiring/probe.ts';
import { writtenLines } from '../support/written-lines.ts';

const mockCalled: unknown[] = [];
const mockTimes: unknown[] = [];
let mockParameter: unknown;
let mockProbe: (account: object, given?: { fetch: typeof fetch }) => Promise<unknown>;

jest.mock('../../lib/platform/aws/json-call.ts', () => ({
  callJson: async (_signing: unknown, call: object) => {
    mockCalled.push(call);
    return mockParameter;
  },
}));
jest.mock('../../lib/platform/aws/clients.ts', () => ({
  clientConfig: (_env: object, service: string, times: unknown) => {
    mockTimes.push([service, times]);
    return { region: 'eu-west-1' };
  },
}));
jest.mock('../../lib/kit/client/probe.ts', () => ({
  probe: (account: object, given: { fetch: typeof fetch }) => mockProbe(account, given),
}));

const env = {
  AWS_REGION: 'eu-west-1',
  SOMBUS_ENVIRONMENT: 'sandbox',
  SOMBUS_ORIGIN: 'https://bus.example',
  SOMBUS_PORTAL_URL: 'https://portal.example/app',
};
const account = { workspace: 'w1', producer: { id: 'c1' }, consumer: { id: 'c2' } };
const asked = {
  service: 'ssm',
  operation: 'GetParameter',
  input: { Name: '/sombus/sandbox/probe', WithDecryption: true },
};
const hook = { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'e-1' };
const told = (status: string) => ({
  service: 'codedeploy',
  operation: 'PutLifecycleEventHookExecutionStatus',
  input: { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'e-1', status },
});

beforeEach(() => {
  mockCalled.length = 0;
  mockTimes.length = 0;
  mockParameter = { Parameter: { Value: JSON.stringify(account) } };
});
afterEach(() => jest.restoreAllMocks());

test('on its schedule it goes through the public URLs, with the connections that are stored', async () => {
  const probed: unknown[] = [];
  mockProbe = async (...given) => probed.push(given);
  const limited = jest.spyOn(AbortSignal, 'timeout');
  const page = () => new Response('', { headers: { 'content-type': 'text/html', location: '/' } });
  const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => page());
  await probeHandler(env)({});
  expect(probed).toEqual([[{ ...account, baseUrl: 'https://bus.example/v1' }, undefined]]);
  expect(mockCalled).toEqual([asked]);
  const init = { redirect: 'manual', signal: expect.any(AbortSignal) };
  expect(fetched.mock.calls).toEqual([
    ['https://portal.example/app/', init],
    ['https://portal.example/app/api/sign/in', init],
    ['/', init],
  ]);
  expect(limited.mock.calls).toEqual([[10_000], [10_000], [10_000]]);
});

test.each([
  ['nothing', {}],
  ['no JSON', { Parameter: { Value: 'x' } }],
  ['no consumer', { Parameter: { Value: '{"workspace":"w1","producer":{}}' } }],
  ['no producer', { Parameter: { Value: '{"workspace":"w1","consumer":{}}' } }],
  ['no workspace', { Parameter: { Value: '{"producer":{},"consumer":{}}' } }],
])('it says what is missing if %s is stored', async (_, parameter) => {
  mockParameter = parameter;
  await expect(probeHandler(env)({})).rejects.toThrow(
    'The parameter /sombus/sandbox/probe names no connections of the probe.',
  );
});

test('a release is told that its new code works, which is called without the URLs', async () => {
  const sent: unknown[] = [];
  const results = [
    { statusCode: 200, headers: { 'x-one': '1' }, body: 'aGk=', isBase64Encoded: true },
    { statusCode: 400, headers: {}, body: 'no', isBase64Encoded: false },
  ];
  jest.spyOn(LambdaClient.prototype, 'send').mockImplementation(async (command: object) => {
    const { input } = command as { input: { FunctionName: string; Payload: Buffer } };
    sent.push([input.FunctionName, JSON.parse(input.Payload.toString()).body]);
    const result = results.shift();
    if (result === undefined) return { FunctionError: 'Unhandled', Payload: Buffer.from('{}') };
    return { Payload: Buffer.from(JSON.stringify(result)) };
  });
  const answers: unknown[] = [];
  mockProbe = async (_account, given) => {
    for (let call = 0; call < 3; call += 1) {
      const init = { method: 'POST', body: 'grant_type=x' };
      const response = await given?.fetch('https://bus.example/v1/oauth/token', init);
      answers.push([response?.status, response?.headers.get('x-one'), await response?.text()]);
    }
  };
  await probeHandler(env)(hook);
  expect(sent).toEqual(Array(3).fill(['sombus-sandbox-token', 'grant_type=x']));
  const violation = {
    source: 'policy',
    rule: 'bus.publish_failed',
    message: 'bus.publish_failed',
  };
  expect(answers).toEqual([
    [200, '1', 'hi'],
    [400, null, 'no'],
    [502, null, JSON.stringify({ accepted: false, violations: [violation] })],
  ]);
  expect(mockCalled).toEqual([asked, told('Succeeded')]);
  // A function has the time that API Gateway gives it, and is not called twice.
  expect(mockTimes).toContainEqual(['LAMBDA', { requestTimeout: 29_000, maxAttempts: 1 }]);
});

describe('a request that a token is needed for', () => {
  const url = 'https://bus.example/v1/tenants/w1/consumers/c2/messages?max=1&wait=0';
  const init = { headers: { authorization: 'Bearer t' } };

  test('goes to the authoriser first, whose answer goes with it', async () => {
    const invoked: (readonly [string, object])[] = [];
    const context = { connection: 'c2', workspace: 'w1' };
    const send = invokingFetch(async (name, event) => {
      invoked.push([name, event]);
      return name === 'authoriser' ? { context } : { statusCode: 200, headers: {}, body: '' };
    });
    expect((await send(url, init)).status).toBe(200);
    const request = {
      path: '/v1/tenants/w1/consumers/c2/messages',
      httpMethod: 'GET',
      pathParameters: { t: 'w1', c: 'c2' },
      queryStringParameters: { max: '1', wait: '0' },
    };
    expect(invoked).toMatchObject([
      ['authoriser', request],
      ['pull', { ...request, body: null, requestContext: { authorizer: context } }],
    ]);
  });

  test('is refused if the authoriser fails', async () => {
    const response = await invokingFetch(async () => undefined)(url, init);
    const [source, rule] = ['policy', 'producer.unauthenticated'];
    expect([response.status, await response.json()]).toEqual([
      401,
      { accepted: false, violations: [{ source, rule, message: rule }] },
    ]);
  });

  test('is one of the bus', async () => {
    const send = invokingFetch(async () => ({}));
    await expect(send('https://bus.example/v1/nothing', {})).rejects.toThrow(
      'The probe calls no GET /v1/nothing.',
    );
  });
});

describe('the portal', () => {
  const page = (status: number, headers: Readonly<Record<string, string>>) =>
    new Response('', { status, headers });
  const html = { 'content-type': 'text/html' };
  const probing = (...answers: readonly (Response | Error)[]) => {
    const left = [...answers];
    return probePortal('https://portal.example/app', async () => {
      const answer = left.shift();
      if (answer instanceof Response) return answer;
      throw answer;
    });
  };

  test.each([
    ['portal page failed: HTTP 400', [page(400, html)]],
    ['portal page failed: it is no HTML.', [page(200, { 'content-type': 'text/plain' })]],
    ['sign-in failed: it leads nowhere.', [page(200, html), page(302, {})]],
    [
      'sign-in page of the identity provider failed: HTTP 500',
      [page(200, html), page(399, { location: '/' }), page(500, html)],
    ],
  ])('%s', async (words, answers) => {
    await expect(probing(...answers)).rejects.toThrow(`The probe's ${words}`);
  });

  test('that cannot be reached says why', async () => {
    const cause = new TypeError('fetch failed');
    await expect(probing(cause)).rejects.toMatchObject({
      message: "The probe's portal page failed: TypeError: fetch failed",
      cause,
    });
  });
});

test('a release is told that its new code fails, and the log says why', async () => {
  mockProbe = () => Promise.reject(new Error("The probe's ack failed: no"));
  const lines = await writtenLines(() => probeHandler(env)(hook));
  expect(lines).toMatchObject([
    {
      level: 'ERROR',
      service: 'som-bus',
      message: 'probe failed',
      reason: "Error: The probe's ack failed: no",
    },
  ]);
  expect(mockCalled).toEqual([asked, told('Failed')]);
});
