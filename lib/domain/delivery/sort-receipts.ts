import { type Receipt, type ReceiptGroup, readReceipt, type Taken } from './receipt.ts';

/** A handle that a caller sent, and what it stands for. */
export interface NamedReceipt {
  readonly text: string;
  readonly receipt: Receipt | undefined;
}

export const namedReceipts = (texts: readonly string[]): readonly NamedReceipt[] =>
  texts.map(text => ({ text, receipt: readReceipt(text) }));

/** The groups that some receipts belong to, each once. */
export const groupsOf = (receipts: readonly NamedReceipt[]): readonly string[] => [
  ...new Set(receipts.flatMap(({ receipt }) => (receipt?.kind === 'member' ? [receipt.group] : []))),
];

/** What may be asked of the queue for one handle: its own handle, or the rule that stands against it. */
export type Usable =
  | {
      readonly handle: string;
      /** An earlier call began to release it: when the queue no longer knows the handle, that is why. */
      readonly released?: true;
    }
  | { readonly rule: 'receipt.expired' | 'order.blocked' };

const expired: Usable = { rule: 'receipt.expired' };

/** Whether a receipt may still be acknowledged: not when a message before its own, or its own, was released. */
export const usable = (receipt: Receipt | undefined, groups: ReadonlyMap<string, ReceiptGroup>): Usable => {
  const use = releasable(receipt, groups);
  if (receipt?.kind !== 'member' || !('released' in use)) return use;
  const isFirst = receipt.position === groups.get(receipt.group)?.blockedFrom;
  return isFirst ? expired : { rule: 'order.blocked' };
};

/** Whether a receipt may be released: as often as one likes, since a release may have failed half-way. */
export const releasable = (
  receipt: Receipt | undefined,
  groups: ReadonlyMap<string, ReceiptGroup>,
): Usable => {
  if (receipt === undefined) return expired;
  if (receipt.kind === 'single') return { handle: receipt.handle };
  const group = groups.get(receipt.group);
  const handle = group?.handles[receipt.position];
  if (group === undefined || handle === undefined) return expired;
  const { blockedFrom = group.handles.length } = group;
  return receipt.position < blockedFrom ? { handle } : { handle, released: true };
};

/** For each group the first position that some receipts name. */
export const firstPositions = (receipts: readonly NamedReceipt[]): ReadonlyMap<string, number> => {
  const first = new Map<string, number>();
  for (const { receipt } of receipts) {
    if (receipt?.kind !== 'member') continue;
    first.set(receipt.group, Math.min(receipt.position, first.get(receipt.group) ?? receipt.position));
  }
  return first;
};

/**
 * What a release of some receipts gives back: they and those after them in their groups, the last of a group first, so
 * that none overtakes.
 */
export const releasedWith = (
  receipts: readonly NamedReceipt[],
  groups: readonly ReceiptGroup[],
): readonly Taken[] => {
  const first = firstPositions(receipts);
  const members = groups.flatMap(({ id, handles, takenAt }) =>
    handles
      .slice(first.get(id) ?? handles.length)
      .reverse()
      .map(handle => ({ handle, takenAt })),
  );
  return [...members, ...receipts.flatMap(({ receipt }) => (receipt?.kind === 'single' ? [receipt] : []))];
};
