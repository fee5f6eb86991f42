import { createHash } from 'node:crypto';
import type { SealContext, Sealer } from '../../access/seals/seal.ts';
import { limits } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { jsonIn } from '../../platform/json/value.ts';
import type { Receive } from '../activity/records.ts';

export interface ReceiptGroup {
  readonly id: string;
  readonly handles: readonly string[];
  /**
   * What the records call these receives, by position; null for a message that the bus did not
   * send.
   */
  readonly receives?: readonly (Receive | null)[];
  /** The positions that an ack has claimed: they cannot be returned any more. */
  readonly acknowledged?: readonly number[];
  /** The position of the first message that a nack has claimed: the later ones wait for it. */
  readonly blockedFrom?: number;
  readonly returned?: readonly number[];
  /** Epoch milliseconds: no later than the start of their invisibility in the queue. */
  readonly takenAt: number;
  /** Epoch milliseconds: the end of their invisibility. */
  readonly until: number;
}

export interface SingleReceipt {
  readonly handle: string;
  /** Epoch milliseconds, as in `ReceiptGroup`. */
  readonly takenAt: number;
  /** What the records call this receive; absent for a message that the bus did not send. */
  readonly receive?: Receive;
}

export type Receipt =
  | ({ readonly kind: 'single' } & SingleReceipt)
  | { readonly kind: 'member'; readonly group: string; readonly position: number };

/**
 * A receive in a few characters: four names, four numbers, and the replay if there is one. Its
 * times count from the one in its receipt.
 */
export const receiveFacts = (receive: Receive, takenAt: number): readonly (string | number)[] => {
  const { messageId, messageType, correlationId, pull, receiveCount, replay } = receive;
  return [
    messageId,
    messageType,
    correlationId,
    pull,
    receiveCount,
    takenAt - receive.acceptedAt,
    receive.takenAt - takenAt,
    receive.visibleAt - takenAt,
    ...(replay === undefined ? [] : [replay]),
  ];
};

type Four<Fact> = readonly [Fact, Fact, Fact, Fact];

const isName = (fact: unknown): fact is string => typeof fact === 'string' && fact !== '';

const areNames = (facts: readonly unknown[]): facts is Four<string> =>
  facts.length === 4 && facts.every(isName);

const areNumbers = (facts: readonly unknown[]): facts is Four<number> =>
  facts.length === 4 && facts.every(fact => typeof fact === 'number');

/** Reads what {@link receiveFacts} made. */
export const readReceiveFacts = (facts: unknown, takenAt: number): Receive | undefined => {
  if (!Array.isArray(facts)) return undefined;

  const names: readonly unknown[] = facts.slice(0, 4);
  const numbers: readonly unknown[] = facts.slice(4, 8);
  const replay: unknown = facts[8];
  if (!areNames(names) || !areNumbers(numbers)) return undefined;
  if (!(replay === undefined || isName(replay))) return undefined;

  const [messageId, messageType, correlationId, pull] = names;
  const [receiveCount, age, delay, hidden] = numbers;
  return defined({
    messageId,
    messageType,
    correlationId,
    pull,
    receiveCount,
    acceptedAt: takenAt - age,
    takenAt: takenAt + delay,
    visibleAt: takenAt + hidden,
    replay,
  });
};

/**
 * What a handle is sealed for: it opens for the consumer that received the message, and with that
 * handle of its queue.
 */
const receiptContext = (connection: string, handle: string): SealContext => ({
  purpose: 'receipt',
  of: [connection, handle],
});

/** The sealer, and the consumer whose receipts it seals or opens. */
export interface ReceiptSealer {
  readonly sealer: Sealer;
  readonly connection: string;
}

/**
 * The handle of the only message of its correlation_id in a pull: a mark, the sealed time and
 * receive, and the queue's own handle. Only the bus can make one: what an ack records comes from
 * here.
 */
export const singleReceipt = (
  { sealer, connection }: ReceiptSealer,
  { handle, takenAt, receive }: SingleReceipt,
): string => {
  const facts = JSON.stringify([takenAt, ...(receive ? receiveFacts(receive, takenAt) : [])]);
  return `s.${sealer.seal(receiptContext(connection, handle), facts)}.${handle}`;
};

export const memberReceipt = (group: string, position: number): string => `g.${group}.${position}`;

export const singleGroup = (handle: string): string =>
  createHash('sha256').update(handle, 'utf8').digest('base64url').slice(0, 16);

/**
 * A single message that was returned. With a delay, the queue would still accept its handle: SQS
 * keeps a handle until the message is visible again, at the latest twelve hours after its receive.
 */
export const returnedSingle = ({ handle, takenAt }: SingleReceipt): ReceiptGroup => ({
  id: singleGroup(handle),
  handles: [handle],
  blockedFrom: 0,
  returned: [0],
  takenAt,
  until: takenAt + limits.pullVisibilitySeconds.max * 1000,
});

const readSingle = ({ sealer, connection }: ReceiptSealer, text: string): Receipt | undefined => {
  const [, sealed = '', handle = ''] = /^s\.([\w-]+)\.(.+)$/.exec(text) ?? [];
  const opened = sealer.open(receiptContext(connection, handle), sealed);
  const facts: unknown = opened === undefined ? undefined : jsonIn(opened);
  if (!Array.isArray(facts)) return undefined;

  const [takenAt, ...received]: readonly unknown[] = facts;
  if (typeof takenAt !== 'number') return undefined;
  const receive = readReceiveFacts(received, takenAt);
  return { kind: 'single', ...defined({ handle, takenAt, receive }) };
};

/** Reads a handle that a consumer sent; undefined if the bus did not give it to this consumer. */
export const readReceipt = (by: ReceiptSealer, text: string): Receipt | undefined => {
  const [, group, position] = /^g\.([\w-]{16})\.([0-9])$/.exec(text) ?? [];
  if (group === undefined) return readSingle(by, text);
  // The group is looked up among those of the consumer.
  return { kind: 'member', group, position: Number(position) };
};

/**
 * The receipts of pulls that returned several messages of one correlation_id, and single messages
 * that were returned. They are kept for `limits.receiptsKeptSeconds` beyond their use, so that an
 * ack can be repeated.
 */
export interface Receipts {
  save(connection: string, groups: readonly ReceiptGroup[]): Promise<void>;
  /** The known groups, in any order. Fresh. */
  find(connection: string, groups: readonly string[]): Promise<readonly ReceiptGroup[]>;
  /**
   * Claims positions for an ack. False, and nothing is changed, if the group is unknown or blocked
   * from one of them or earlier.
   */
  acknowledge(connection: string, group: string, positions: readonly number[]): Promise<boolean>;
  /**
   * Claims positions for a nack, and blocks the group from the first of them on. False, and nothing
   * is changed, if the group is unknown or blocked from there or earlier, or if an ack has claimed
   * one of them.
   */
  block(connection: string, group: string, positions: readonly number[]): Promise<boolean>;
  markReturned(connection: string, group: string, positions: readonly number[]): Promise<void>;
}

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
  readonly replay?: string;
  readonly body: string;
}

export interface ReceiveOptions {
  readonly max: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
  readonly gone?: AbortSignal;
}

/**
 * The reading side of consumers' queues. `delete` and `release` return the receipt handles that
 * failed.
 */
export interface Inbox {
  /**
   * The next messages; none if the client is gone before there are any.
   *
   * @param attempt identifies this call: a second request with the same attempt gets the messages
   * of a lost response
   */
  receive(queue: string, options: ReceiveOptions, attempt: string): Promise<readonly Received[]>;
  delete(queue: string, receiptHandles: readonly string[]): Promise<readonly string[]>;
  release(
    queue: string,
    receiptHandles: readonly string[],
    delaySeconds: number,
  ): Promise<readonly string[]>;
}

export interface NamedReceipt {
  readonly text: string;
  readonly receipt: Receipt | undefined;
}

export const namedReceipts = (
  by: ReceiptSealer,
  texts: readonly string[],
): readonly NamedReceipt[] => texts.map(text => ({ text, receipt: readReceipt(by, text) }));

export const groupOf = (receipt: Receipt): string =>
  receipt.kind === 'member' ? receipt.group : singleGroup(receipt.handle);

export const groupsOf = (receipts: readonly NamedReceipt[]): readonly string[] => [
  ...new Set(receipts.flatMap(({ receipt }) => (receipt ? [groupOf(receipt)] : []))),
];

/** What a receipt may be used for, or the rule that forbids it. */
export type Use =
  | {
      /** The queue's own. */
      readonly handle: string;
      /** What must be noted in its group before the queue is touched. */
      readonly claim?: { readonly group: ReceiptGroup; readonly position: number };
      /** The receive that an ack ends, of a message that came with others. */
      readonly receive?: Receive;
    }
  | { readonly rule: 'receipt.expired' | 'order.blocked' };

export const expired: Use = { rule: 'receipt.expired' };
const waits: Use = { rule: 'order.blocked' };

export type UseOf = (receipt: Receipt, group: ReceiptGroup | undefined) => Use;

/** A message that came alone has a group only once it was returned. */
const useOfSingle = ({ handle }: { handle: string }, group: ReceiptGroup | undefined): Use =>
  group ? expired : { handle };

/**
 * An ack can be repeated. A returned message cannot be acknowledged, nor can one that waits for a
 * returned message.
 */
export const acknowledging: UseOf = (receipt, group) => {
  if (receipt.kind === 'single') return useOfSingle(receipt, group);
  const { position } = receipt;
  const handle = group?.handles[position];
  if (group === undefined || handle === undefined) return expired;

  const { acknowledged = [], returned = [], blockedFrom = group.handles.length } = group;
  const receive = group.receives?.[position] ?? undefined;
  // An ack has claimed it: neither the queue nor the records may have been told.
  if (acknowledged.includes(position)) return defined({ handle, receive });
  // A nack has named it.
  if (returned.includes(position) || position === blockedFrom) return expired;
  // A nack has named an earlier one, and this one comes after it again.
  if (position > blockedFrom) return waits;
  return defined({ handle, claim: { group, position }, receive });
};

/**
 * A message can be returned once, and not after an ack. A nack that did not finish can be repeated.
 *
 * @param now epoch milliseconds
 */
export const returning =
  (now: number): UseOf =>
  (receipt, group) => {
    if (receipt.kind === 'single') return useOfSingle(receipt, group);
    const { position } = receipt;
    const handle = group?.handles[position];
    if (group === undefined || handle === undefined) return expired;

    const { acknowledged = [], returned = [] } = group;
    if (acknowledged.includes(position) || returned.includes(position)) return expired;
    // An earlier one is back, and so is this one, which comes after it.
    if (returned.some(earlier => earlier < position)) return waits;
    if (group.until <= now) return expired;
    return { handle, claim: { group, position } };
  };
