/** The messages of one correlation_id that one pull handed out, in their order. */
export interface ReceiptGroup {
  readonly id: string;
  /** The queue's own receipt handles. */
  readonly handles: readonly string[];
  /** The position of the first message that was released: the later ones wait for it. */
  readonly blockedFrom?: number;
  /** Epoch milliseconds: not after the queue began to count their invisibility. */
  readonly takenAt: number;
  /** Epoch milliseconds: the end of their invisibility. */
  readonly until: number;
}

/** A message that a queue handed out, by the queue's own handle. */
export interface Taken {
  readonly handle: string;
  /** Epoch milliseconds, as in `ReceiptGroup`. */
  readonly takenAt: number;
}

/** What a receipt handle of the bus stands for. */
export type Receipt =
  | ({ readonly kind: 'single' } & Taken)
  | { readonly kind: 'member'; readonly group: string; readonly position: number };

/** The handle of the only message of its correlation_id in a pull: a mark, the time, and the queue's own handle. */
export const singleReceipt = ({ handle, takenAt }: Taken): string => `s.${takenAt.toString(36)}.${handle}`;

export const memberReceipt = (group: string, position: number): string => `g.${group}.${position}`;

/** Reads a handle that a caller sent; undefined when the bus never issued one of that form. */
export const readReceipt = (text: string): Receipt | undefined => {
  const [, taken, handle] = /^s\.([0-9a-z]{1,9})\.(.+)$/.exec(text) ?? [];
  if (taken !== undefined && handle !== undefined)
    return { kind: 'single', handle, takenAt: Number.parseInt(taken, 36) };
  const [, group, position] = /^g\.([\w-]{16})\.([0-9])$/.exec(text) ?? [];
  if (group === undefined || position === undefined) return undefined;
  return { kind: 'member', group, position: Number(position) };
};

/** The receipts of pulls that handed out several messages of one correlation_id, for as long as they can be used. */
export interface Receipts {
  save(connection: string, groups: readonly ReceiptGroup[]): Promise<void>;
  /** The groups that are known, in any order. */
  find(connection: string, groups: readonly string[]): Promise<readonly ReceiptGroup[]>;
  /** Blocks a group from a position on. Nothing changes when it is unknown, or blocked from an earlier position already. */
  block(connection: string, group: string, from: number): Promise<void>;
}

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
