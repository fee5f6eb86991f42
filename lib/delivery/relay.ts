import { limits } from '../contract/limits.ts';
import { type Ids, randomName } from '../contract/outside.ts';
import { type DeliveryFault, type DeliveryPorts, drain, runOf } from './deliver.ts';
import { newLease, type PendingLog } from './log.ts';
import { circuitBreaker } from './queues.ts';

/** The logs with something left to send, as the relay sees them: a moment late. */
export interface Backlog {
  /** Those whose turn came at `until` or before, the longest ago first; `most` of them. */
  due(until: number, max: number): Promise<readonly PendingLog[]>;
  /** When the oldest unsent entry was accepted, of the `most` logs whose turn comes first; undefined where there is none. */
  unsentSince(max: number): Promise<number | undefined>;
  count(): Promise<number>;
}

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

export interface RelayPorts extends DeliveryPorts {
  readonly ids: Ids;
  readonly backlog: Backlog;
  readonly metrics: RelayMetrics;
}

/** What a run of the relay works with. */
interface RunFacts {
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** Sends what one log has pending while one lease lasts, unless somebody else is at it. */
const send = async (
  ports: RelayPorts,
  log: PendingLog,
  owner: string,
): Promise<'end' | 'moved' | 'stuck'> => {
  const now = ports.clock.now();
  const lease = newLease(owner, now);
  const head = await ports.log.acquire(log, lease, now);
  if (!head) return 'stuck';
  const published = await drain(ports, runOf(head, lease, now), { ...log, number: head.last });
  if (published >= head.last) return 'end';
  return published > head.published ? 'moved' : 'stuck';
};

interface Finished {
  readonly count: number;
  readonly faults: readonly unknown[];
}

/** Works through logs, a few at a time, in their order, until the deadline; through those that move more than once. */
const finishAll = async (
  ports: RelayPorts,
  logs: readonly PendingLog[],
  facts: RunFacts,
): Promise<Finished> => {
  const waiting = [...logs];
  const faults: unknown[] = [];
  let [next, count] = [0, 0];
  const work = async (): Promise<void> => {
    for (let log = waiting[next]; log && ports.clock.now() < facts.deadline; log = waiting[next]) {
      next += 1;
      // One log that cannot be finished leaves the others their turn; the next run tries it again.
      const outcome = await send(ports, log, facts.owner).catch((fault: unknown) => {
        faults.push(fault);
        return 'stuck';
      });
      if (outcome === 'end') count += 1;
      // Behind the others: a long log keeps nobody waiting for more than a lease.
      if (outcome === 'moved') waiting.push(log);
    }
  };
  await Promise.all(Array.from({ length: limits.relayWidth }, work));
  return { count, faults };
};

/** How much was pending at a time, in epoch milliseconds. */
const measure = async ({ backlog }: RelayPorts, now: number) => {
  const [pendingHeads, unsentSince] = await Promise.all([
    backlog.count(),
    backlog.unsentSince(limits.relayLogs),
  ]);
  const age = unsentSince === undefined ? 0 : Math.max(0, Math.round((now - unsentSince) / 1000));
  return { pendingHeads, oldestPendingSeconds: age };
};

/**
 * One run of the relay: finishes the pending logs whose turn it is, the longest due first, and reports what was
 * pending about when it began. Logs that do not move come back ever later, so that no consumer's broken queue takes the turns of others.
 * Runs may overlap: a log is sent by whoever holds its lease. Throws at its end when some could not be worked on, or nobody knows how much is pending.
 *
 * @param deadline epoch milliseconds; no log is begun after it
 */
export const relay =
  (ports: RelayPorts) =>
  async (deadline: number): Promise<void> => {
    const now = ports.clock.now();
    const owner = randomName(ports.ids);
    const logs = await ports.backlog.due(now - limits.relayAfterMilliseconds, limits.relayLogs);
    const noted: { last?: DeliveryFault } = {};
    const noteFault = (fault: DeliveryFault) => {
      noted.last = fault;
    };
    const queues = circuitBreaker(ports.queues, limits.relayQueueFaults);
    const sending = { ...ports, queues, noteFault };
    // What is delivered does not wait for what is reported.
    const [measured, { count: finished, faults }] = await Promise.all([
      Promise.allSettled([measure(ports, now)]),
      finishAll(sending, logs, { owner, deadline }),
    ]);
    const [pending] = measured;
    if (pending.status === 'fulfilled')
      ports.metrics.report({ ...pending.value, finished, ...(noted.last ? { lastFault: noted.last } : {}) });
    const reasons = pending.status === 'rejected' ? [...faults, pending.reason] : faults;
    if (reasons.length > 0)
      throw new AggregateError(reasons, 'Some logs could not be finished, or not counted.');
  };
