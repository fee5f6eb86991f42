import { pull, type ReceiptPorts } from '../app/pull.ts';
import { type Refusal, refuse } from '../app/refusal.ts';
import { acknowledge, release, type Settled } from '../app/settle-receipts.ts';
import { limits } from '../contract/limits.ts';
import { jsonIn } from '../domain/message/json-in.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Received, ReceiveOptions } from '../ports/queues.ts';
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

const parameters = {
  max: limits.pullMessages,
  wait: limits.pullWaitSeconds,
  visibility: limits.pullVisibilitySeconds,
} as const;

const receiveOptions = ({ query, repeated = [] }: HttpRequest): ReceiveOptions | Refusal => {
  const [twice] = repeated;
  if (twice !== undefined)
    return refuse('pull.invalid_parameter', `The parameter "${twice.slice(0, 40)}" is given more than once.`);
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(parameters, name))
      return refuse(
        'pull.invalid_parameter',
        `There is no parameter "${name.slice(0, 40)}": max, wait and visibility are allowed.`,
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

/** The documented record of one received message; undefined for one that the bus did not put into the queue. */
const record = (received: Received) => {
  const { messageId, messageType, correlationId, producer, systemId, enqueuedAt } = received;
  const attributes = [messageId, messageType, correlationId, producer, systemId];
  const envelope = jsonIn(received.body);
  if (attributes.includes('') || !Number.isFinite(enqueuedAt) || envelope === undefined) return undefined;
  return {
    receipt_handle: received.receiptHandle,
    message_id: messageId,
    message_type: messageType,
    correlation_id: correlationId,
    producer_id: producer,
    system_id: systemId,
    enqueued_at: new Date(enqueuedAt).toISOString(),
    receive_count: received.receiveCount,
    envelope,
  };
};

const receipts = ({ ok, failed }: Settled) => ({
  ok,
  failed: failed.map(({ receiptHandle, violation: { rule, message } }) => ({
    receipt_handle: receiptHandle,
    rule,
    message,
  })),
});

/** `GET /v1/tenants/{t}/consumers/{c}/messages`. What somebody else put into the queue is left out, and logged. */
export const pullEdge: Edge<PullPorts> = ports =>
  asConsumer(ports.registry, async ({ connection, log }, request) => {
    const options = receiveOptions(request);
    if ('kind' in options) return refusalAnswer(options, log);
    const received = await pull(ports)(connection, options);
    const messages = received.flatMap(message => record(message) ?? []);
    const foreign = received.length - messages.length;
    return answer(200, { messages }, { log: foreign > 0 ? { ...log, foreignMessages: foreign } : log });
  });

const settling =
  (settle: (connection: Connection, body: ReceiptsBody) => Promise<Settled>, withDelay: boolean) =>
  async ({ connection, log }: Consumer, request: HttpRequest): Promise<HttpAnswer> => {
    const body = receiptsBody(request, withDelay);
    if ('kind' in body) return refusalAnswer(body, log);
    return answer(200, receipts(await settle(connection, body)), { log });
  };

/** `POST /v1/tenants/{t}/consumers/{c}/ack`. */
export const ackEdge: Edge<PullPorts> = ports =>
  asConsumer(
    ports.registry,
    settling((connection, { handles }) => acknowledge(ports)(connection, handles), false),
  );

/** `POST /v1/tenants/{t}/consumers/{c}/nack`. */
export const nackEdge: Edge<PullPorts> = ports =>
  asConsumer(
    ports.registry,
    settling(
      (connection, { handles, delaySeconds }) => release(ports)(connection, handles, delaySeconds),
      true,
    ),
  );
