import { SignatureV4 } from '@smithy/signature-v4';

/**
 * Services of which we call one or two operations: a client of their own would be a dependency, and
 * hundreds of kilobytes in a bundle. The header that names an operation begins so (AWS JSON 1.1
 * protocol, botocore's `targetPrefix`).
 */
const targets = {
  'cognito-idp': 'AWSCognitoIdentityProviderService',
  codedeploy: 'CodeDeploy_20141006',
  secretsmanager: 'secretsmanager',
  ssm: 'AmazonSSM',
} as const;

export type JsonService = keyof typeof targets;

/** What signs a call: the configuration of any of the SDK's clients has it. */
export interface Signing {
  readonly region: () => Promise<string>;
  readonly credentials: ConstructorParameters<typeof SignatureV4>[0]['credentials'];
  readonly sha256: ConstructorParameters<typeof SignatureV4>[0]['sha256'];
}

export interface JsonCall {
  readonly service: JsonService;
  readonly operation: string;
  readonly input: object;
}

const timeoutMilliseconds = 5_000;

const endpointOf = (
  env: Readonly<Record<string, string | undefined>>,
  service: string,
  region: string,
) =>
  env[`AWS_ENDPOINT_URL_${service.replace('-', '_').toUpperCase()}`] ||
  `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;

/** The service's error, with its code as the name, as the SDK's clients throw it. */
const errorIn = (text: string, status: number): Error => {
  const said: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  const {
    __type: type = `HTTP status ${status}`,
    message,
    Message,
  } = said as Record<string, string>;
  const error = new Error(message ?? Message ?? type);
  error.name = type.replace(/^.*#/, '');
  return error;
};

/**
 * Calls an operation once, and returns its output.
 *
 * @throws Error with the service's error code as its name
 */
export const callJson = async (
  { region, credentials, sha256 }: Signing,
  { service, operation, input }: JsonCall,
  env: Readonly<Record<string, string | undefined>>,
): Promise<unknown> => {
  const url = new URL(endpointOf(env, service, await region()));
  const signer = new SignatureV4({ service, region: await region(), credentials, sha256 });
  const body = JSON.stringify(input);
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: {},
    headers: {
      host: url.host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `${targets[service]}.${operation}`,
    },
    body,
  });
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  const text = await response.text();
  if (!response.ok) throw errorIn(text, response.status);
  if (text === '') return {};
  return JSON.parse(text);
};
