import type { SQSClient } from '@aws-sdk/client-sqs';

type Env = Readonly<Record<string, string | undefined>>;

export type InProcessService = 'CLOUDWATCH' | 'DYNAMODB' | 'SQS' | 'KMS';

/**
 * Answers an SDK command as the SDK would: it resolves with the output, or rejects with the SDK's
 * exception.
 */
export type SendCommand = (
  command: object,
  options?: { abortSignal?: AbortSignal | undefined },
) => Promise<object>;

const attached = new WeakMap<Env, Partial<Readonly<Record<InProcessService, SendCommand>>>>();

/**
 * Lets the clients of an environment be answered in this process: call it before the first client
 * is made.
 */
export const serveInProcess = (
  env: Env,
  services: Partial<Readonly<Record<InProcessService, SendCommand>>>,
): void => void attached.set(env, services);

/** The client, or one whose commands never leave this process if its environment says so. */
export const clientOf = <Client extends object>(
  env: Env,
  service: InProcessService,
  client: Client,
): Client => {
  const send = attached.get(env)?.[service];
  if (send) return Object.assign(client, { send });
  return client;
};

interface ClientConfig {
  readonly region: string;
  readonly maxAttempts: number;
  /** The middleware never changes after the first command, so the client assembles it once. */
  readonly cacheMiddleware: true;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Times in milliseconds. */
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
    readonly httpAgent: { readonly maxSockets: number };
  };
}

type ServiceName =
  | 'DYNAMODB'
  | 'SQS'
  | 'KMS'
  | 'API_GATEWAY'
  | 'WAFV2'
  | 'CLOUDWATCH'
  | 'SSM'
  | 'LAMBDA'
  | 'SESV2'
  | 'STS';

export const engineKeyVars = {
  accessKeyId: 'SOMBUS_ENGINE_ACCESS_KEY_ID',
  secretAccessKey: 'SOMBUS_ENGINE_SECRET_ACCESS_KEY',
} as const;

/**
 * How to reach one AWS service. Requests to a local engine are signed with the key of
 * `engineKeyVars`, or with a placeholder: the machine's own AWS credentials are never used there.
 * The timeout is in milliseconds, and longer for a long poll; the attempts include the first one.
 */
export const clientConfig = (
  env: Env,
  service: ServiceName,
  {
    requestTimeout = 3_000,
    maxAttempts = 3,
  }: { requestTimeout?: number; maxAttempts?: number } = {},
): ClientConfig => {
  const endpoint = env[`AWS_ENDPOINT_URL_${service}`];
  return {
    region: env['AWS_REGION'] ?? 'us-east-1',
    maxAttempts,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout,
      throwOnRequestTimeout: true, // otherwise the SDK logs a warning and keeps waiting
      // On a laptop one process serves every request, and a long poll holds its connection: with
      // the SDK's default of 50, other requests would wait. AWS is reached over https, which this
      // does not change.
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
    },
    ...(endpoint && {
      endpoint,
      credentials: {
        accessKeyId: env[engineKeyVars.accessKeyId] ?? 'local',
        secretAccessKey: env[engineKeyVars.secretAccessKey] ?? 'local',
      },
    }),
  };
};

/**
 * The SDK's longest pause before a second attempt, unless it was throttled (AWS SDKs, Retry
 * behavior).
 */
const pauseMilliseconds = 100;

/**
 * The settings of a client whose calls end within a given time, including a second attempt. An
 * abort signal would also do, but for a call with options the SDK assembles the middleware again.
 */
export const clientConfigWithin = (
  env: Env,
  service: ServiceName,
  milliseconds: number,
): ClientConfig =>
  clientConfig(env, service, {
    requestTimeout: (milliseconds - pauseMilliseconds) / 2,
    maxAttempts: 2,
  });

/** Where the consumers' queues are: a queue's URL is the base URL followed by its name. */
export interface QueueHome {
  readonly client: SQSClient;
  /** With the closing slash. */
  readonly baseUrl: string;
}

/** The names of SQS's error for a queue that does not exist, in the JSON and the query protocol. */
export const goneErrors = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];
