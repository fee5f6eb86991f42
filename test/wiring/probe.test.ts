import { LambdaClient } from '@aws-sdk/client-lambda';
import { probeHandler } from '../../lib/wiring/probe.ts';
import { writtenLines } from '../support/written-lines.ts';

const mockCalled: unknown[] = [];
let mockParameter: unknown;
let mockProbe: (account: object, given?: { fetch: typeof fetch }) => Promise<unknown>;

jest.mock('../../lib/platform/aws/json-call.ts', () => ({
  callJson: async (_signing: unknown, call: object) => {
    mockCalled.push(call);
    return mockParameter;
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
  ['half of it', { Parameter: { Value: '{"workspace":"w1","producer":{}}' } }],
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
