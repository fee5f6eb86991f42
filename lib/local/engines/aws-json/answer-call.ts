import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../domain/message/json-object.ts';
import { errorMessage } from '../error-message.ts';
import { AwsError, protocolErrors } from './aws-error.ts';
import type { AwsJsonService, Operation } from './aws-json-service.ts';
import { objectOf } from './json-input.ts';

export interface AnswerContext {
  readonly service: AwsJsonService;
  readonly endpoint: string;
  readonly closing: boolean;
  readonly onFault: (fault: unknown) => void;
}

const refuse = (shape: keyof typeof protocolErrors, message: string) =>
  new AwsError(protocolErrors[shape], message);

/** Reads one request, runs its operation and writes the answer. Never rejects. */
export async function answerCall(
  context: AnswerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const operation = operationOf(context, request);
    const input = parse(await bodyOf(request, context.service.maxRequestBytes));
    write(context, response, await operation(input, { endpoint: context.endpoint, gone: gone.signal }));
  } catch (error) {
    // A request that broke off has nobody to answer.
    const brokeOff = gone.signal.aborted || (!request.complete && !(error instanceof AwsError));
    if (!brokeOff) writeError(context, response, error);
  }
}

function operationOf(context: AnswerContext, request: IncomingMessage): Operation {
  if (context.closing) throw refuse('unavailable', 'The engine is shutting down');
  // Browsers name an origin on every POST, SDKs never: no web page may talk to the engine.
  if (request.headers.origin !== undefined) throw refuse('accessDenied', 'Requests of web pages are refused');
  const header = request.headers['x-amz-target'];
  const [target, name = ''] = typeof header === 'string' ? header.split('.', 2) : [];
  const { service } = context;
  if (request.method !== 'POST' || target !== service.target) {
    throw refuse('unknownOperation', `Expected a POST with X-Amz-Target: ${service.target}.<Operation>`);
  }
  const operation = service.operations.get(name);
  if (operation !== undefined) return operation;
  throw refuse('unknownOperation', `The local engine does not serve ${service.target}.${name}`);
}

async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = refuse('tooLarge', `A request may have at most ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw refuse('serialization', `The request body is not JSON in UTF-8: ${errorMessage(cause)}`);
  }
  return objectOf(value, 'The request body');
}

function writeError(context: AnswerContext, response: ServerResponse, error: unknown): void {
  if (error instanceof AwsError) {
    const { type, status, queryCode } = error.shape;
    const side = status < 500 ? 'Sender' : 'Receiver';
    response.statusCode = status;
    response.setHeader('x-amzn-errortype', type);
    if (queryCode !== undefined) response.setHeader('x-amzn-query-error', `${queryCode};${side}`);
    // Part of the request may be unread, and would be taken for the next one.
    if (status === 413) response.setHeader('connection', 'close');
    write(context, response, { __type: type, message: error.message });
    return;
  }
  context.onFault(error);
  writeError(context, response, refuse('internalFailure', errorMessage(error)));
}

function write(context: AnswerContext, response: ServerResponse, body: JsonObject): void {
  const text = JSON.stringify(body);
  response.setHeader('content-type', `application/x-amz-json-${context.service.version}`);
  response.setHeader('x-amzn-requestid', randomUUID());
  response.setHeader('content-length', Buffer.byteLength(text));
  if (context.closing) response.setHeader('connection', 'close');
  response.end(text);
}
