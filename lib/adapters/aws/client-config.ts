/** Settings that every SDK client of the service shares. */
export interface ClientConfig {
  readonly region: string;
  readonly maxAttempts: number;
  /** Nothing changes a client's middleware once it has sent its first command: it is put together once. */
  readonly cacheMiddleware: true;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

const connectionTimeout = 1_000;
const usualRequestTimeout = 3_000;

/**
 * How to reach one AWS service. A local engine is reached at its endpoint, with credentials that nobody checks: the
 * machine's own AWS credentials never go there.
 *
 * @param options `requestTimeout` in milliseconds: longer for a long poll
 */
export const clientConfig = (
  env: Readonly<Record<string, string | undefined>>,
  service: 'DYNAMODB' | 'SQS' | 'KMS' | 'API_GATEWAY' | 'WAFV2',
  options: { readonly requestTimeout?: number } = {},
): ClientConfig => {
  const endpoint = env[`AWS_ENDPOINT_URL_${service}`];
  return {
    region: env['AWS_REGION'] ?? 'us-east-1',
    maxAttempts: 3,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout,
      requestTimeout: options.requestTimeout ?? usualRequestTimeout,
      throwOnRequestTimeout: true, // otherwise the SDK writes a warning and goes on waiting
    },
    ...(endpoint ? { endpoint, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } : {}),
  };
};
