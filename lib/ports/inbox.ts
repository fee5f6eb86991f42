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

/** The reading side of consumers' queues. `delete` and `release` answer with the receipt handles that failed. */
export interface Inbox {
  /** @param attempt names this call: a second request in its name gets what the answer to the first one lost */
  receive(queue: string, options: ReceiveOptions, attempt: string): Promise<readonly Received[]>;
  delete(queue: string, receiptHandles: readonly string[]): Promise<readonly string[]>;
  release(queue: string, receiptHandles: readonly string[], delaySeconds: number): Promise<readonly string[]>;
}
