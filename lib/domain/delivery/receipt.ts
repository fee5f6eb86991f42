/** Messages of one correlation_id that one call handed out, in their order. */
export interface ReceiptGroup {
  readonly id: string;
  /** The queue's own receipt handles. */
  readonly handles: readonly string[];
  /** Position of the first message that was released; those after it wait for it. */
  readonly blockedFrom?: number;
  /** Epoch milliseconds: the end of their invisibility. */
  readonly until: number;
}

/** What one of the bus's receipt handles stands for. */
export type Receipt =
  | { readonly kind: 'single'; readonly handle: string }
  | { readonly kind: 'member'; readonly group: string; readonly position: number };

/** The handle of a message that came alone of its correlation_id: the queue's own one behind a mark. */
export const singleReceipt = (handle: string): string => `s.${handle}`;

export const memberReceipt = (group: string, position: number): string => `g.${group}.${position}`;

/** Reads a handle that a caller sent; undefined when the bus never issued one of that form. */
export const readReceipt = (text: string): Receipt | undefined => {
  if (text.startsWith('s.') && text.length > 2) return { kind: 'single', handle: text.slice(2) };
  const [, group, position] = /^g\.([\w-]{16})\.([0-9])$/.exec(text) ?? [];
  if (group === undefined || position === undefined) return undefined;
  return { kind: 'member', group, position: Number(position) };
};
