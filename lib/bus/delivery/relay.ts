import { limits } from '../../contract/limits.ts';
import { defined, type Ids, randomName } from '../../contract/outside.ts';
import {
  type DeliveryError,
  type DeliveryPorts,
  drain,
  leasedLog,
  type Waiter,
} from './deliver.ts';
import { newLease, type PendingLog } from './log.ts';
import { circuitBreaker } from './queues.ts';

export interface PendingLogs {
  /** Those due at `until` or before (epoch milliseconds), the longest due first; at most `max`. */
  due(until: number, max: number): Promise<readonly PendingLog[]>;
  /**
   * When the oldest unsent entry of the `max` logs due first was accepted; undefined if nothing is
   * pending.
   */
  unsentSince(max: number): Promise<number | undefined>;
  count(): Promise<number>;
}

export interface BacklogReport {
  readonly pendingHeads: number;
  readonly oldestPendingSeconds: number;
  readonly finished: number;
  readonly lastError?: DeliveryError;
}

export interface RelayMetrics {
  report(report: BacklogReport): void;
}

export interface RelayPorts extends DeliveryPorts {
  readonly ids: Ids;
  readonly backlog: PendingLogs;
  readonly metrics: RelayMetrics;
}

/**
 * `end`: the log is finished. `moved`: entries were sent, and more are left. `stuck`: nothing was
 * sent, or another sender has the lease.
 */
interface LogOutcome {
  readonly state: 'end' | 'moved' | 'stuck';
  readonly error: DeliveryError | undefined;
}

/**
 * Sends the pending entries of one log for the duration of one lease, unless another sender has it.
 */
const sendLog = async (ports: RelayPorts, log: PendingLog, owner: string): Promise<LogOutcome> => {
  const now = ports.clock.now();
  const lease = newLease(owner, now);
  const head = await ports.log.acquire(log, lease, now);
  if (!head) return { state: 'stuck', error: undefined };

  const end = { ...log, number: head.last };
  const { published, error } = await drain(ports, leasedLog(head, lease, now), end);
  if (published >= head.last) return { state: 'end', error };
  return { state: published > head.published ? 'moved' : 'stuck', error };
};

/**
 * Works through logs in order, a few at a time, until the deadline. A log that moved goes to the
 * back of the list.
 */
const sendLogs = async (
  ports: RelayPorts,
  logs: readonly PendingLog[],
  { owner, deadline }: Waiter,
) => {
  const waiting = [...logs];
  const errors: unknown[] = [];
  let next = 0;
  let finished = 0;
  let lastError: DeliveryError | undefined;

  const work = async (): Promise<void> => {
    while (ports.clock.now() < deadline) {
      const log = waiting[next];
      if (!log) return;
      next += 1;

      // A log that cannot be finished does not stop the others; the next run tries it again.
      const { state, error } = await sendLog(ports, log, owner).catch(
        (thrown: unknown): LogOutcome => {
          errors.push(thrown);
          return { state: 'stuck', error: undefined };
        },
      );

      lastError = error ?? lastError;
      if (state === 'end') finished += 1;
      // At the back, so that a long log delays the others by no more than one lease.
      if (state === 'moved') waiting.push(log);
    }
  };

  await Promise.all(Array.from({ length: limits.relayWidth }, work));
  return { finished, lastError, errors };
};

/** How much was pending at a time, in epoch milliseconds. */
const measure = async ({ backlog }: RelayPorts, now: number) => {
  const [pendingHeads, unsentSince] = await Promise.all([
    backlog.count(),
    backlog.unsentSince(limits.relayLogs),
  ]);
  const ageSeconds = Math.round((now - (unsentSince ?? now)) / 1000);
  return { pendingHeads, oldestPendingSeconds: Math.max(0, ageSeconds) };
};

/**
 * One run of the relay: sends the pending logs that are due, the longest due first, and reports
 * what was pending when it began. A log that does not move is retried at growing intervals, so that
 * one broken queue does not hold up other consumers. Runs may overlap: the holder of a log's lease
 * sends it. If some logs could not be worked on, or the backlog could not be measured, the run
 * throws at its end.
 */
export const relay = (ports: RelayPorts) =>
  /** @param deadline epoch milliseconds; no log is started after it */
  async function relay(deadline: number): Promise<void> {
    const now = ports.clock.now();
    const owner = randomName(ports.ids);
    const logs = await ports.backlog.due(now - limits.relayAfterMilliseconds, limits.relayLogs);
    const queues = circuitBreaker(ports.queues, {
      clock: ports.clock,
      maxErrors: limits.relayQueueErrors,
      milliseconds: Number.POSITIVE_INFINITY,
    });

    // Both at once, and nothing is sent later because the measurement is slow, or fails.
    const [[measured], { finished, lastError, errors }] = await Promise.all([
      Promise.allSettled([measure(ports, now)]),
      sendLogs({ ...ports, queues }, logs, { owner, deadline }),
    ]);

    if (measured.status === 'fulfilled')
      ports.metrics.report(defined({ ...measured.value, finished, lastError }));
    const reasons = measured.status === 'rejected' ? [...errors, measured.reason] : errors;
    if (reasons.length > 0)
      throw new AggregateError(reasons, 'Some logs could not be finished, or not counted.');
  };
