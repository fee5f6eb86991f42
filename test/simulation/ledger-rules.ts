/** What a faulty ledger would leave out. With all of them true the ledger is correct. */
export interface LedgerRules {
  /** Commits hold only if what they read is unchanged. */
  readonly conditions: boolean;
  /** An expired id counts as absent in the commit's condition. */
  readonly expiryInCondition: boolean;
  /** The story's state is part of the transaction. */
  readonly storyInside: boolean;
  /** A lease keeps others out. */
  readonly leases: boolean;
  /** A lease keeps others out until its end, at least. */
  readonly expiryOfLeases: boolean;
  /** `published` moves when the entry was sent, not when it is committed. */
  readonly publishedAfterSend: boolean;
}

export const rightRules: LedgerRules = {
  conditions: true,
  expiryInCondition: true,
  storyInside: true,
  leases: true,
  expiryOfLeases: true,
  publishedAfterSend: true,
};
