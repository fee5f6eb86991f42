import type { SQSClient, SQSClientConfig } from '@aws-sdk/client-sqs';

/** The signer of an SDK client. All clients share the type, but none exports it. */
type RequestSigner = Exclude<NonNullable<SQSClientConfig['signer']>, (...args: never[]) => unknown>;

/** Dynoxide requires a signature and a date, but checks neither. */
const zeros = '0'.repeat(64);

/**
 * Gives requests to a local engine the headers of Signature Version 4 with a signature of zeros. The engine does not check it,
 * and calculating it took a fifth of the main thread's time for a publish.
 *
 * @param service by its name in Signature Version 4
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
const zeroSigner = (region: string, service: string): RequestSigner => ({
  async sign(request, { signingDate } = {}) {
    if (!(signingDate instanceof Date)) throw new Error('The SDK did not pass a signing date.');
    const time = signingDate.toISOString();
    const date = time.slice(0, 10).replaceAll('-', '');
    const credential = `local/${date}/${region}/${service}/aws4_request`;
    request.headers['x-amz-date'] = `${date}T${time.slice(11, 19).replaceAll(':', '')}Z`;
    request.headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=${zeros}`;
    return request;
  },
});

/** Settings that every SDK client of the service shares. */
export interface ClientConfig {
  readonly region: string;
  readonly maxAttempts: number;
  /** The middleware never changes after the first command, so the client assembles it once. */
  readonly cacheMiddleware: true;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly signer?: RequestSigner;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
    readonly httpAgent: { readonly maxSockets: number };
  };
}

/** The services, by their names in the endpoint variables and in Signature Version 4. */
const signingNames = {
  DYNAMODB: 'dynamodb',
  SQS: 'sqs',
  KMS: 'kms',
  API_GATEWAY: 'apigateway',
  WAFV2: 'wafv2',
} as const;

/** Milliseconds. */
const connectionTimeout = 1_000;
const defaultRequestTimeout = 3_000;
const defaultAttempts = 3;

/**
 * How to reach one AWS service. A local engine is reached at its endpoint, with placeholder credentials and signature: the
 * machine's own AWS credentials are never sent there.
 *
 * @param options `requestTimeout` in milliseconds, longer for a long poll; `maxAttempts` includes the first one
 */
export const clientConfig = (
  env: Readonly<Record<string, string | undefined>>,
  service: keyof typeof signingNames,
  options: { readonly requestTimeout?: number; readonly maxAttempts?: number } = {},
): ClientConfig => {
  const endpoint = env[`AWS_ENDPOINT_URL_${service}`];
  const region = env['AWS_REGION'] ?? 'us-east-1';
  return {
    region,
    maxAttempts: options.maxAttempts ?? defaultAttempts,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout,
      requestTimeout: options.requestTimeout ?? defaultRequestTimeout,
      throwOnRequestTimeout: true, // otherwise the SDK logs a warning and keeps waiting
      // On a laptop one process serves every request, and a long poll holds its connection: with the SDK's default of 50, other
      // requests would wait. AWS is reached over https, which this does not change.
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
    },
    ...(endpoint
      ? {
          endpoint,
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
          signer: zeroSigner(region, signingNames[service]),
        }
      : {}),
  };
};

/** The SDK's longest pause before a second attempt, unless it was throttled (AWS SDKs, Retry behavior). */
const pauseMilliseconds = 100;

/**
 * The settings of a client whose calls end within a given time, including a second attempt. An abort signal would also do, but
 * for a call with options the SDK assembles the middleware again.
 */
export const clientConfigWithin = (
  env: Parameters<typeof clientConfig>[0],
  service: Parameters<typeof clientConfig>[1],
  milliseconds: number,
): ClientConfig =>
  clientConfig(env, service, { requestTimeout: (milliseconds - pauseMilliseconds) / 2, maxAttempts: 2 });

/** Where the consumers' queues are: a queue's URL is the base URL followed by its name. */
export interface QueueHome {
  readonly client: SQSClient;
  /** With the closing slash. */
  readonly baseUrl: string;
}

/** The names of SQS's error for a queue that does not exist, in the JSON and the query protocol. */
export const goneFaults = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];
