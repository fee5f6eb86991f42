import { limits } from '../contract/limits.ts';
import { type Refusal, refuse } from '../contract/refusals.ts';
import { answer, type HttpAnswer, refusalAnswer } from '../http/answer.ts';
import { type HttpRequest, unreadableJson } from '../http/request.ts';
import type { Edge } from '../http/respond.ts';
import { isJsonObject, jsonIn, quoteValue } from '../json/value.ts';
import { asConsumer, type Consumer } from '../registry/admission.http.ts';
import type { Connection } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import { pull, type ReceiptPorts } from './pull.ts';
import type { Received, ReceiveOptions } from './receipts.ts';
import { acknowledge, release, type Settled, type SettlePorts } from './settle.ts';

/** A whole number's allowed range, and what counts when it is left out. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** The number in a query parameter, or undefined when it is no plain integer in range. */
const integerParameter = (text: string | undefined, range: IntegerRange): number | undefined => {
  if (text === undefined) return range.default;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= range.min && value <= range.max ? value : undefined;
};

/** What an ack or a nack asks for. */
interface ReceiptsBody {
  readonly handles: readonly string[];
  readonly delaySeconds: number;
}

const invalid = (message: string): Refusal => refuse('pull.invalid_body', message);

const { min, max } = limits.receiptHandles;
const { min: shortest, max: longest, default: fallback } = limits.nackDelaySeconds;

const isHandle = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= limits.receiptHandleCharacters;

const handlesOf = (value: unknown): readonly string[] | undefined => {
  const fits = Array.isArray(value) && value.length >= min && value.length <= max && value.every(isHandle);
  return fits ? [...new Set<string>(value)] : undefined;
};

const delayOf = (value: unknown): number | undefined => {
  if (value === undefined) return fallback;
  return Number.isInteger(value) && Number(value) >= shortest && Number(value) <= longest
    ? Number(value)
    : undefined;
};

/** `{receipt_handles:[…], delay_seconds?}`, or why the body is not that; `delay_seconds` belongs to nack alone. */
const receiptsBody = (request: HttpRequest, withDelay: boolean): ReceiptsBody | Refusal => {
  const unreadable = unreadableJson(request);
  if (unreadable) return unreadable;
  const value = jsonIn(request.body);
  if (!isJsonObject(value)) return invalid('The body must be a JSON object.');
  const { receipt_handles, delay_seconds, ...rest } = value;
  const [unknown] = [
    ...Object.keys(rest),
    ...(withDelay || delay_seconds === undefined ? [] : ['delay_seconds']),
  ];
  if (unknown !== undefined) return invalid(`The member ${quoteValue(unknown)} is not known here.`);
  const handles = handlesOf(receipt_handles);
  if (!handles) return invalid(`receipt_handles must be an array of ${min} to ${max} receipt handles.`);
  const delaySeconds = delayOf(delay_seconds);
  return delaySeconds === undefined
    ? invalid(`delay_seconds must be a whole number from ${shortest} to ${longest}.`)
    : { handles, delaySeconds };
};

export interface PullPorts extends ReceiptPorts {
  readonly registry: Registry;
}

interface SettleEdgePorts extends SettlePorts {
  readonly registry: Registry;
}

const parameters = {
  max: limits.pullMessages,
  wait: limits.pullWaitSeconds,
  visibility: limits.pullVisibilitySeconds,
} as const;

const receiveOptions = ({ query, repeated = [] }: HttpRequest): ReceiveOptions | Refusal => {
  const [twice] = repeated;
  if (twice !== undefined)
    return refuse('pull.invalid_parameter', `The parameter ${quoteValue(twice)} is given more than once.`);
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(parameters, name))
      return refuse(
        'pull.invalid_parameter',
        `There is no parameter ${quoteValue(name)}: max, wait and visibility are allowed.`,
      );
  }
  for (const [name, range] of Object.entries(parameters)) {
    if (integerParameter(query[name], range) === undefined) {
      return refuse(
        'pull.invalid_parameter',
        `${name} must be a whole number from ${range.min} to ${range.max}.`,
      );
    }
  }
  return {
    max: integerParameter(query['max'], parameters.max) ?? parameters.max.default,
    waitSeconds: integerParameter(query['wait'], parameters.wait) ?? parameters.wait.default,
    visibilitySeconds:
      integerParameter(query['visibility'], parameters.visibility) ?? parameters.visibility.default,
  };
};

/** Whether the bus put a message into the queue: nobody else's has all attributes and a body that it would accept. */
const isOurs = ({ messageId, messageType, correlationId, producer, systemId, enqueuedAt, body }: Received) =>
  ![messageId, messageType, correlationId, producer, systemId].includes('') &&
  Number.isFinite(enqueuedAt) &&
  Buffer.byteLength(body) <= limits.messageBytes &&
  isJsonObject(jsonIn(body));

/**
 * The documented record of one received message, as JSON text. The envelope is the producer's own text: written anew it could
 * be many times as long (1e20), and its numbers would be those that a JavaScript number can hold. Only line ends, which
 * stand between tokens alone, become blanks: shells read answers by the line.
 */
const record = (received: Received): string => {
  const facts = JSON.stringify({
    receipt_handle: received.receiptHandle,
    message_id: received.messageId,
    message_type: received.messageType,
    correlation_id: received.correlationId,
    producer_id: received.producer,
    system_id: received.systemId,
    enqueued_at: new Date(received.enqueuedAt).toISOString(),
    receive_count: received.receiveCount,
  });
  return `${facts.slice(0, -1)},"envelope":${received.body.replace(/[\n\r]/g, ' ')}}`;
};

const receipts = ({ ok, failed }: Settled) => ({
  ok,
  failed: failed.map(({ receiptHandle, violation: { rule, message } }) => ({
    receipt_handle: receiptHandle,
    rule,
    message,
  })),
});

/**
 * `GET /v1/tenants/{t}/consumers/{c}/messages`. What somebody else put into the queue is left out, and logged. The answer
 * goes as bytes, hence base64 between Lambda and API Gateway: ten of the longest messages need a third more, and fit into
 * the 6 MB of a Lambda answer whatever is in them (AWS docs, "Lambda quotas").
 */
export const pullEdge: Edge<PullPorts> = ports =>
  asConsumer(ports.registry, async ({ connection, log }, request) => {
    const options = receiveOptions(request);
    if ('kind' in options) return refusalAnswer(options, log);
    const received = await pull(ports)(connection, options);
    const ours = received.filter(isOurs);
    const foreign = received.length - ours.length;
    const body = Buffer.from(`{"messages":[${ours.map(record).join()}]}`);
    return answer(200, body, { log: foreign > 0 ? { ...log, foreignMessages: foreign } : log });
  });

const settling =
  (settle: (connection: Connection, body: ReceiptsBody) => Promise<Settled>, withDelay: boolean) =>
  async ({ connection, log }: Consumer, request: HttpRequest): Promise<HttpAnswer> => {
    const body = receiptsBody(request, withDelay);
    if ('kind' in body) return refusalAnswer(body, log);
    return answer(200, receipts(await settle(connection, body)), { log });
  };

/** `POST /v1/tenants/{t}/consumers/{c}/ack`. */
export const ackEdge: Edge<SettleEdgePorts> = ports =>
  asConsumer(
    ports.registry,
    settling((connection, { handles }) => acknowledge(ports)(connection, handles), false),
  );

/** `POST /v1/tenants/{t}/consumers/{c}/nack`. */
export const nackEdge: Edge<SettleEdgePorts> = ports =>
  asConsumer(
    ports.registry,
    settling(
      (connection, { handles, delaySeconds }) => release(ports)(connection, handles, delaySeconds),
      true,
    ),
  );
