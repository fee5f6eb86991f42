import { type Receipt, type ReceiptGroup, readReceipt, singleGroup } from './receipts.ts';

export interface NamedReceipt {
  readonly text: string;
  readonly receipt: Receipt | undefined;
}

export const namedReceipts = (texts: readonly string[]): readonly NamedReceipt[] =>
  texts.map(text => ({ text, receipt: readReceipt(text) }));

export const groupOf = (receipt: Receipt): string =>
  receipt.kind === 'member' ? receipt.group : singleGroup(receipt.handle);

export const groupsOf = (receipts: readonly NamedReceipt[]): readonly string[] => [
  ...new Set(receipts.flatMap(({ receipt }) => (receipt ? [groupOf(receipt)] : []))),
];

export type Groups = ReadonlyMap<string, ReceiptGroup>;

export type Use =
  | {
      readonly handle: string;
      readonly claim?: { readonly group: string; readonly position: number };
      /** A nack that did not finish may have returned it: then the queue no longer knows the handle. */
      readonly mayBeBack?: true;
    }
  | { readonly rule: 'receipt.expired' | 'order.blocked' };

export const expired: Use = { rule: 'receipt.expired' };
const waits: Use = { rule: 'order.blocked' };

export type UseOf = (receipt: Receipt, group: ReceiptGroup | undefined) => Use;

/** An ack can be repeated. A returned message cannot be acknowledged, nor can one that waits for a returned message. */
export const acknowledging: UseOf = (receipt, group) => {
  if (receipt.kind === 'single') return group ? expired : { handle: receipt.handle };
  const { position } = receipt;
  const handle = group?.handles[position];
  if (group === undefined || handle === undefined) return expired;
  const { acknowledged = [], returned = [], blockedFrom = group.handles.length } = group;
  if (acknowledged.includes(position)) return { handle };
  if (returned.includes(position) || position === blockedFrom) return expired;
  return position > blockedFrom ? waits : { handle, claim: { group: group.id, position } };
};

/**
 * A message can be returned once, and not after an ack. A nack that did not finish can be repeated.
 *
 * @param now epoch milliseconds
 */
export const returning =
  (now: number): UseOf =>
  (receipt, group) => {
    if (receipt.kind === 'single') return group ? expired : { handle: receipt.handle };
    const { position } = receipt;
    const handle = group?.handles[position];
    if (group === undefined || handle === undefined || group.until <= now) return expired;
    const { id, acknowledged = [], returned = [], blockedFrom = group.handles.length } = group;
    if (acknowledged.includes(position) || returned.includes(position)) return expired;
    if (returned.some(earlier => earlier < position)) return waits;
    const claim = { group: id, position };
    return position < blockedFrom ? { handle, claim } : { handle, claim, mayBeBack: true };
  };
