import type { CallerRegistry } from '../../access/registry/registry.ts';
import { asConsumer } from '../../access/trust/admission.http.ts';
import { limits } from '../../contract/limits.ts';
import { defined, iso } from '../../contract/outside.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import type { HttpRequest } from '../../platform/http/request.ts';
import type { Edge } from '../../platform/http/respond.ts';
import { refusalResponse, response } from '../../platform/http/response.ts';
import { isJsonObject, jsonIn, quoteValue } from '../../platform/json/value.ts';
import { type PullOptions, pull, type ReceiptPorts } from './pull.ts';
import type { Received } from './receipts.ts';

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

const ranges = {
  max: limits.pullMessages,
  wait: limits.pullWaitSeconds,
  collect: limits.pullCollectSeconds,
  visibility: limits.pullVisibilitySeconds,
} as const satisfies Record<string, IntegerRange>;

type Parameter = keyof typeof ranges;

const isParameter = (name: string): name is Parameter => Object.hasOwn(ranges, name);

const invalid = (message: string): Refusal => refuse('pull.invalid_parameter', message);

const integerIn = (text: string, { min, max }: IntegerRange): number | undefined => {
  const value = /^(0|[1-9]\d{0,5})$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

const receiveOptions = ({ query, repeated = [], gone }: HttpRequest): PullOptions | Refusal => {
  const [twice] = repeated;
  if (twice !== undefined)
    return invalid(`The parameter ${quoteValue(twice)} is given more than once.`);

  const values: Record<Parameter, number> = {
    max: ranges.max.default,
    wait: ranges.wait.default,
    collect: ranges.collect.default,
    visibility: ranges.visibility.default,
  };
  for (const [name, text] of Object.entries(query)) {
    if (!isParameter(name))
      return invalid(
        `There is no parameter ${quoteValue(name)}: max, wait, collect and visibility are allowed.`,
      );
    const { min, max } = ranges[name];
    const value = integerIn(text, ranges[name]);
    if (value === undefined)
      return invalid(`${name} must be a whole number from ${min} to ${max}.`);
    values[name] = value;
  }

  const { max, wait: waitSeconds, collect: collectSeconds, visibility: visibilitySeconds } = values;
  return defined({ max, waitSeconds, collectSeconds, visibilitySeconds, gone });
};

/**
 * Whether the bus sent a message: only the bus's messages have all the attributes and a body that
 * it would accept. The text is copied into the response as it is, so it must be JSON regardless of
 * the sender.
 */
const isFromBus = (message: Received): boolean => {
  const { messageId, messageType, correlationId, producer, systemId, enqueuedAt, body } = message;
  return (
    ![messageId, messageType, correlationId, producer, systemId].includes('') &&
    Number.isFinite(enqueuedAt) &&
    Buffer.byteLength(body) <= limits.messageBytes &&
    isJsonObject(jsonIn(body))
  );
};

/**
 * The documented record of a received message, as JSON text. The envelope is the producer's own
 * text: if it were serialised again, it could be many times as long (1e20), and its numbers would
 * be rounded to JavaScript's. Only line breaks, which can occur only between tokens, become spaces:
 * shells read answers line by line.
 */
const record = (received: Received): string => {
  const facts = JSON.stringify({
    receipt_handle: received.receiptHandle,
    message_id: received.messageId,
    message_type: received.messageType,
    correlation_id: received.correlationId,
    producer_id: received.producer,
    system_id: received.systemId,
    enqueued_at: iso(received.enqueuedAt),
    receive_count: received.receiveCount,
  });
  return `${facts.slice(0, -1)},"envelope":${received.body.replace(/[\n\r]/g, ' ')}}`;
};

export interface PullPorts extends ReceiptPorts {
  readonly registry: CallerRegistry;
}

/**
 * `GET /v1/tenants/{t}/consumers/{c}/messages`; `HEAD` takes no messages. Messages that the bus did
 * not send are left out and logged. The response is sent as bytes, hence base64 between Lambda and
 * API Gateway: ten of the longest messages grow by a third, and still fit into a Lambda response of
 * 6 MB, whatever they contain (AWS docs, "Lambda quotas").
 */
export const pullEdge: Edge<PullPorts> = ports =>
  asConsumer(ports.registry, async function pullRoute({ connection, log }, request) {
    const options = receiveOptions(request);
    if ('kind' in options) return refusalResponse(options, log);
    const received = request.isHead ? [] : await pull(ports)(connection, options);

    const messages = received.filter(isFromBus);
    const foreignMessages = received.length - messages.length;
    const body = Buffer.from(`{"messages":[${messages.map(record).join()}]}`);
    const facts = {
      ...(messages.length > 0 && { messageIds: messages.map(({ messageId }) => messageId) }),
      ...(foreignMessages > 0 && { foreignMessages }),
    };
    return response(200, body, {
      headers: { 'cache-control': 'no-store' },
      log: { ...log, ...facts },
    });
  });
