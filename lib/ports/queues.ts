import type { Entry } from '../domain/delivery/log.ts';

/** A message as a consumer's queue hands it out. */
export interface Received {
  readonly receiptHandle: string;
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly producer: string;
  readonly systemId: string;
  /** Epoch milliseconds. */
  readonly enqueuedAt: number;
  readonly receiveCount: number;
  readonly body: string;
}

export interface ReceiveOptions {
  readonly max: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
}

/** Consumers' queues. `delete` and `release` answer with the receipt handles that failed. */
export interface Queues {
  /** Puts an entry into one queue, as part of a replay where that is given; `gone` when there is no such queue. */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
  /** @param attempt names this call: a second request in its name gets what the answer to the first one lost */
  receive(queue: string, options: ReceiveOptions, attempt: string): Promise<readonly Received[]>;
  delete(queue: string, receiptHandles: readonly string[]): Promise<readonly string[]>;
  release(queue: string, receiptHandles: readonly string[], delaySeconds: number): Promise<readonly string[]>;
}
