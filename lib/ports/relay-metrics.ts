/** What the relay found; one report per run. */
export interface BacklogReport {
  readonly pendingHeads: number;
  /** 0 when nothing is pending. */
  readonly oldestPendingSeconds: number;
  readonly finished: number;
}

/** The relay's metrics. */
export interface RelayMetrics {
  report(report: BacklogReport): void;
}
