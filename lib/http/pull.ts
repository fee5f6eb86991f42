import { pull, type ReceiptPorts } from '../app/pull.ts';
import { type Refusal, refuse } from '../app/refusal.ts';
import { acknowledge, release, type Settled, type SettlePorts } from '../app/settle-receipts.ts';
import { limits } from '../contract/limits.ts';
import { jsonIn } from '../domain/message/json-in.ts';
import { isJsonObject } from '../domain/message/json-object.ts';
import { quoteValue } from '../domain/message/quote-value.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Received, ReceiveOptions } from '../ports/inbox.ts';
import type { Registry } from '../ports/registry.ts';
import { asConsumer, type Consumer } from './as-consumer.ts';
import type { Edge } from './edge.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';
import { integerParameter } from './integer-parameter.ts';
import { type ReceiptsBody, receiptsBody } from './receipts-body.ts';

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
        `${name} must be a whole number from ${range.least} to ${range.most}.`,
      );
    }
  }
  return {
    max: integerParameter(query['max'], parameters.max) ?? parameters.max.usual,
    waitSeconds: integerParameter(query['wait'], parameters.wait) ?? parameters.wait.usual,
    visibilitySeconds:
      integerParameter(query['visibility'], parameters.visibility) ?? parameters.visibility.usual,
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
