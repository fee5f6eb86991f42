import { pull, type ReceiptPorts } from '../app/pull.ts';
import { type Refusal, refuse } from '../app/refusal.ts';
import { acknowledge, release, type Settled } from '../app/settle-receipts.ts';
import { limits } from '../contract/limits.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Received, ReceiveOptions, Registry } from '../ports.ts';
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

const receiveOptions = (query: HttpRequest['query']): ReceiveOptions | Refusal => {
  for (const name of Object.keys(query)) {
    if (!(name in parameters))
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

/** The documented record of one received message. */
const record = (received: Received) => ({
  receipt_handle: received.receiptHandle,
  message_id: received.messageId,
  message_type: received.messageType,
  correlation_id: received.correlationId,
  producer_id: received.producer,
  system_id: received.systemId,
  enqueued_at: new Date(received.enqueuedAt).toISOString(),
  receive_count: received.receiveCount,
  envelope: JSON.parse(received.body) as unknown,
});

const receipts = ({ ok, failed }: Settled) => ({
  ok,
  failed: failed.map(({ receiptHandle, violation: { rule, message } }) => ({
    receipt_handle: receiptHandle,
    rule,
    message,
  })),
});

/** `GET /v1/tenants/{t}/consumers/{c}/messages`. */
export const pullEdge: Edge<PullPorts> = ports =>
  asConsumer(ports.registry, async ({ connection, log }, { query }) => {
    const options = receiveOptions(query);
    if ('kind' in options) return refusalAnswer(options, log);
    return answer(200, { messages: (await pull(ports)(connection, options)).map(record) }, { log });
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
