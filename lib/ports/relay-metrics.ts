import type { DeliveryFault } from '../domain/delivery/delivery-fault.ts';

/** What the relay found; one report per run. */
export interface BacklogReport {
  readonly pendingHeads: number;
  /** 0 when nothing is pending. */
  readonly oldestPendingSeconds: number;
  readonly finished: number;
  /** The last of what kept logs from being finished. */
  readonly lastFault?: DeliveryFault;
}

/** The relay's metrics. */
export interface RelayMetrics {
  report(report: BacklogReport): void;
}
