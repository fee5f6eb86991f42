import type { SQSClient, SQSClientConfig } from '@aws-sdk/client-sqs';

/** What signs the requests of an SDK client: the same for all of them, and no client exports it by name. */
type RequestSigner = Exclude<NonNullable<SQSClientConfig['signer']>, (...args: never[]) => unknown>;

/** Dynoxide refuses an Authorization header without a signature, and a request without its date; it looks into neither. */
const zeros = '0'.repeat(64);

/**
 * Gives requests to a local engine the headers of Signature Version 4 with a signature of zeros: nobody checks it
 * there, and to calculate it took a fifth of the main thread's time for a publish.
 *
 * @param service by its name in Signature Version 4
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
const zeroSigner = (region: string, service: string): RequestSigner => ({
  async sign(request, { signingDate } = {}) {
    if (!(signingDate instanceof Date)) throw new Error('The SDK gave no time to sign a request with.');
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
  /** Nothing changes a client's middleware once it has sent its first command: it is put together once. */
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

/** The services by their names in the endpoints' variables, and in Signature Version 4. */
const signingNames = {
  DYNAMODB: 'dynamodb',
  SQS: 'sqs',
  KMS: 'kms',
  API_GATEWAY: 'apigateway',
  WAFV2: 'wafv2',
} as const;

const connectionTimeout = 1_000;
const usualRequestTimeout = 3_000;
const usualAttempts = 3;

/**
 * How to reach one AWS service. A local engine is reached at its endpoint, with credentials and a signature that nobody
 * checks: the machine's own AWS credentials never go there.
 *
 * @param options `requestTimeout` in milliseconds: longer for a long poll; `maxAttempts`: the first one included
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
    maxAttempts: options.maxAttempts ?? usualAttempts,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout,
      requestTimeout: options.requestTimeout ?? usualRequestTimeout,
      throwOnRequestTimeout: true, // otherwise the SDK writes a warning and goes on waiting
      // On a laptop one process serves every request, and a long poll holds its connection: with the SDK's 50 the others
      // would wait. AWS is reached over https, which this leaves as it is.
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

/** What the SDK pauses before a second attempt at most, but after being throttled (AWS SDKs, Retry behavior). */
const pauseMilliseconds = 100;

/**
 * A client whose calls fail within a time, after a second attempt where the first failed. An abort signal would bound them
 * too, but the SDK puts the middleware of a call with options together anew.
 */
export const clientConfigWithin = (
  env: Parameters<typeof clientConfig>[0],
  service: Parameters<typeof clientConfig>[1],
  milliseconds: number,
): ClientConfig =>
  clientConfig(env, service, { requestTimeout: (milliseconds - pauseMilliseconds) / 2, maxAttempts: 2 });

/** Consumers' queues live side by side: a queue's URL is this base and its name. */
export interface QueueHome {
  readonly client: SQSClient;
  /** With the closing slash. */
  readonly baseUrl: string;
}

/** How SQS says that there is no such queue: the second is the name of the older protocol. */
export const goneFaults = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];
