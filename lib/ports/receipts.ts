import type { ReceiptGroup } from '../domain/delivery/receipt.ts';

/** Receipts of calls that handed out several messages of one correlation_id, for as long as they can be used. */
export interface Receipts {
  save(connection: string, groups: readonly ReceiptGroup[]): Promise<void>;
  /** Those that are known, in any order. */
  find(connection: string, groups: readonly string[]): Promise<readonly ReceiptGroup[]>;
  /** Blocks a group from a position on; one that is blocked from an earlier position, or not known, stays as it is. */
  block(connection: string, group: string, from: number): Promise<void>;
}
