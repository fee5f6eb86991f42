import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { JsonObject } from '../../../platform/json/value.ts';
import { errorMessage, keepAliveMilliseconds, loopback } from '../machine.ts';
import { foreignHost, headerPairs, type RawRequest } from '../raw-request.ts';
import { AwsError, objectInput, objectOnWire, protocolErrors } from './input.ts';

export interface CallContext {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Aborted if the caller disconnects before its response is written. */
  readonly gone: AbortSignal;
}

/** Answers a call, or throws an `AwsError` to refuse it. */
export type Operation = (input: JsonObject, call: CallContext) => JsonObject | Promise<JsonObject>;

export type Operations = ReadonlyMap<string, Operation>;

export interface AdmissionCall {
  readonly operation: string;
  readonly input: JsonObject;
  readonly request: RawRequest;
}

/**
 * Decides whether a call may run: throws an `AwsError` to refuse it. The operation runs at once
 * after it.
 */
export type Admit = (call: AdmissionCall) => void;

/** How a service speaks the AWS JSON protocol. */
export interface AwsJsonProtocol {
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly maxRequestBytes: number;
}

/** A service of the AWS JSON protocol. */
interface AwsJsonService extends AwsJsonProtocol {
  readonly operations: Operations;
}

interface AwsJsonServerOptions {
  readonly port: number;
  readonly admit?: Admit;
  /**
   * Awaited before every response: if it fails, the response is an InternalFailure. Absent: nothing
   * to wait for.
   */
  readonly beforeResponse?: () => Promise<void>;
  /** Host names that requests may be addressed to, besides those of the loopback addresses. */
  readonly hosts?: readonly string[];
  readonly onError?: (error: unknown) => void;
}

interface ResponseContext extends Omit<AwsJsonServerOptions, 'port'> {
  readonly service: AwsJsonService;
  readonly endpoint: string;
  readonly closing: boolean;
}

const refuse = (shape: keyof typeof protocolErrors, message: string) =>
  new AwsError(protocolErrors[shape], message);

/** The protocol that SQS's SDKs spoke until 2023, with XML as its answers. */
const speaksQuery = ({ headers, url = '' }: IncomingMessage): boolean =>
  headers['x-amz-target'] === undefined &&
  // A page's form is refused as all of web pages is.
  headers.origin === undefined &&
  (/[?&]Action=/.test(url) ||
    headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true);

const onlyJson =
  'The local engine speaks the AWS JSON protocol only: use an AWS SDK from November 2023 or ' +
  'later, such as boto3 1.28.82 or Java 2.21.19.';

/** A refusal that a client of the Query protocol can read. */
const refuseQuery = (response: ServerResponse): void => {
  const error = `<Type>Sender</Type><Code>UnsupportedOperation</Code><Message>${onlyJson}</Message>`;
  const text = `<ErrorResponse><Error>${error}</Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
  response.statusCode = 400;
  response.setHeader('content-type', 'text/xml');
  // Nobody reads the rest of the request: it would be parsed as the next one.
  response.setHeader('connection', 'close');
  response.end(text);
};

/** Reads one request, runs its operation and writes the response. Never rejects. */
const respondToCall = async (
  context: ResponseContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const outcome = await outcomeOf(context, request, gone.signal);
    const error = await context.beforeResponse?.().then(() => undefined, failure(context));
    // If a request was aborted, there is no one to answer.
    if (!gone.signal.aborted) write(context, response, error ?? outcome);
  } catch (error) {
    const brokeOff = gone.signal.aborted || !request.complete;
    if (!brokeOff) write(context, response, failure(context)(error));
  }
};

const failure =
  ({ onError }: ResponseContext) =>
  (error: unknown): AwsError => {
    onError?.(error);
    return refuse('internalFailure', errorMessage(error));
  };

const outcomeOf = async (
  context: ResponseContext,
  request: IncomingMessage,
  gone: AbortSignal,
): Promise<JsonObject | AwsError> => {
  try {
    const { name, operation } = requestedOperation(context, request);
    const { method = '', url: target = '' } = request;
    const raw = { method, target, headers: headerPairs(request) };
    const body = await bodyOf(request, context.service.maxRequestBytes);
    const input = parse(body);
    context.admit?.({ operation: name, input, request: { ...raw, body } });
    return await operation(input, { endpoint: context.endpoint, gone });
  } catch (error) {
    if (error instanceof AwsError) return error;
    throw error;
  }
};

/** The operation that a request names, if an AWS client may have sent it. */
const requestedOperation = (
  context: ResponseContext,
  request: IncomingMessage,
): { name: string; operation: Operation } => {
  if (context.closing) throw refuse('unavailable', 'The engine is shutting down');
  const foreign = foreignHost(request, context.hosts);
  if (foreign !== undefined)
    throw refuse(
      'accessDenied',
      `The engine does not serve the host ${foreign}: use 127.0.0.1 or localhost`,
    );
  // Browsers send an Origin on every POST, SDKs never: web pages must not talk to the engine.
  if (request.headers.origin !== undefined)
    throw refuse('accessDenied', 'Requests of web pages are refused');
  const header = request.headers['x-amz-target'];
  const [target, name = ''] = typeof header === 'string' ? header.split('.') : [];
  const { service } = context;
  if (request.method !== 'POST' || target !== service.target)
    throw refuse(
      'unknownOperation',
      `Expected a POST with X-Amz-Target: ${service.target}.<Operation>`,
    );
  const operation = service.operations.get(name);
  if (operation !== undefined) return { name, operation };
  throw refuse('unknownOperation', `The local engine does not serve ${service.target}.${name}`);
};

const bodyOf = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const tooLarge = refuse('tooLarge', `A request may have at most ${maxBytes} bytes`);
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const parse = (body: Buffer): JsonObject => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw refuse('serialization', `The request body is not JSON in UTF-8: ${errorMessage(cause)}`);
  }
  return objectInput(value, 'The request body');
};

const write = (
  context: ResponseContext,
  response: ServerResponse,
  outcome: JsonObject | AwsError,
): void => {
  const body = outcome instanceof AwsError ? refusalOf(response, outcome) : outcome;
  const text = JSON.stringify(objectOnWire(body));
  response.setHeader('content-type', `application/x-amz-json-${context.service.version}`);
  response.setHeader('x-amzn-requestid', randomUUID());
  // What is unread of a request would be parsed as the next one.
  if (context.closing || !response.req.complete) response.setHeader('connection', 'close');
  response.end(text);
};

const refusalOf = (response: ServerResponse, { shape, message, members }: AwsError): JsonObject => {
  const { type, status, queryCode } = shape;
  const side = status < 500 ? 'Sender' : 'Receiver';
  response.statusCode = status;
  response.setHeader('x-amzn-errortype', type);
  if (queryCode !== undefined) response.setHeader('x-amzn-query-error', `${queryCode};${side}`);
  return { ...members, __type: type, message };
};

export interface RunningEngine {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Accepts no new requests, finishes those in progress, and closes the files. */
  close(): Promise<void>;
}

/** For a request with its body: over loopback, no client takes longer. */
const requestMilliseconds = 20_000;
/** How long a client that does not read its response may hold up `close`. */
const closeGraceMilliseconds = 2_000;

/**
 * Serves `service` over the AWS JSON protocol on 127.0.0.1. Requests of web pages and for other
 * hosts are refused; what else may run is up to `admit`.
 */
export const startAwsJsonServer = async (
  service: AwsJsonService,
  options: AwsJsonServerOptions,
): Promise<RunningEngine> => {
  const context: { -readonly [K in keyof ResponseContext]: ResponseContext[K] } = {
    ...options,
    service,
    endpoint: '',
    closing: false,
  };
  const underWay = new Set<Promise<void>>();
  // Its head may take as long: that is Node's default.
  const timeouts = { keepAliveTimeout: keepAliveMilliseconds, requestTimeout: requestMilliseconds };
  const server = createServer(timeouts, (request, response) => {
    const done = answered(context, request, response).finally(() => underWay.delete(done));
    underWay.add(done);
  });
  context.endpoint = await listen(server, options.port);
  return {
    endpoint: context.endpoint,
    async close() {
      context.closing = true;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      await Promise.race([Promise.all(underWay), grace()]);
      server.closeAllConnections();
      await closed;
    },
  };
};

const answered = async (
  context: ResponseContext,
  request: IncomingMessage,
  response: ServerResponse,
) => {
  const gone = new Promise<void>(resolve => response.on('close', resolve));
  const isOurs = foreignHost(request, context.hosts) === undefined;
  if (isOurs && speaksQuery(request)) refuseQuery(response);
  else await respondToCall(context, request, response);
  await gone;
};

const listen = (server: Server, port: number): Promise<string> => {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://127.0.0.1:${bound}`);
    });
  });
};

const grace = () =>
  new Promise<void>(resolve => setTimeout(resolve, closeGraceMilliseconds).unref());
