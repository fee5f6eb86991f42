import { STSClient } from '@aws-sdk/client-sts';
import { callJson, type JsonService } from '../../../lib/platform/aws/json-call.ts';

const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 's' };
const signingIn = (region: string) => new STSClient({ region, credentials }).config;

afterEach(() => jest.restoreAllMocks());

/** What is asked of a service, and how it ends. */
const called = async (
  answer: Response,
  {
    service = 'ssm',
    region = 'eu-west-1',
    env = {},
  }: {
    service?: JsonService;
    region?: string;
    env?: Readonly<Record<string, string>>;
  } = {},
) => {
  const fetched = jest.spyOn(globalThis, 'fetch').mockResolvedValue(answer);
  const limited = jest.spyOn(AbortSignal, 'timeout');
  const call = { service, operation: 'GetIt', input: { Name: 'n' } };
  const result = await callJson(signingIn(region), call, env).catch((error: unknown) => error);
  const [url, init] = fetched.mock.calls[0] ?? [];
  return { url: String(url), init, result, limits: limited.mock.calls };
};

test('a call is signed, names its operation, and has five seconds', async () => {
  const { url, init, result, limits } = await called(Response.json({ Value: 'v' }));
  expect([url, result]).toEqual(['https://ssm.eu-west-1.amazonaws.com/', { Value: 'v' }]);
  expect(init).toEqual({
    method: 'POST',
    body: '{"Name":"n"}',
    signal: expect.any(AbortSignal),
    headers: {
      host: 'ssm.eu-west-1.amazonaws.com',
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AmazonSSM.GetIt',
      'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
      'x-amz-content-sha256': expect.stringMatching(/^[\da-f]{64}$/),
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-west-1\/ssm\/aws4_request, /,
      ),
    },
  });
  expect(limits).toEqual([[5_000]]);
});

test.each<[JsonService, string, Readonly<Record<string, string>>, string, string]>([
  [
    'codedeploy',
    'cn-north-1',
    {},
    'https://codedeploy.cn-north-1.amazonaws.com.cn/',
    'CodeDeploy_20141006.GetIt',
  ],
  [
    'secretsmanager',
    'us-east-1',
    {},
    'https://secretsmanager.us-east-1.amazonaws.com/',
    'secretsmanager.GetIt',
  ],
  [
    'cognito-idp',
    'eu-west-1',
    { AWS_ENDPOINT_URL_COGNITO_IDP: 'http://127.0.0.1:9/idp' },
    'http://127.0.0.1:9/idp',
    'AWSCognitoIdentityProviderService.GetIt',
  ],
])('%s in %s is asked where it is', async (service, region, env, address, target) => {
  const { url, init } = await called(new Response('{}'), { service, region, env });
  expect(url).toBe(address);
  expect(init?.headers).toMatchObject({ 'x-amz-target': target, host: new URL(address).host });
});

test.each([
  [
    'a code of a name space',
    400,
    '{"__type":"com.amazonaws.ssm#ParameterNotFound","message":"No."}',
    ['ParameterNotFound', 'No.'],
  ],
  ['a message in capitals', 400, '{"__type":"Denied","Message":"No."}', ['Denied', 'No.']],
  ['no message', 400, '{"__type":"a#Throttled"}', ['Throttled', 'a#Throttled']],
  ['no JSON', 502, '<html>', ['HTTP status 502', 'HTTP status 502']],
])('an error with %s has a name and a message', async (_, status, text, [name, message] = []) => {
  const { result } = await called(new Response(text, { status }));
  expect(result).toBeInstanceOf(Error);
  expect(result).toMatchObject({ name, message });
});

test('an empty response is one without members', async () => {
  expect((await called(new Response(''))).result).toEqual({});
});
