import { limits } from '../contract/limits.ts';

/** A consumer, and its queue. */
export interface ConsumerQueue {
  readonly connection: string;
  readonly workspace: string;
  readonly queue: string;
}

/** Every registered consumer of the environment. */
export interface ConsumerQueues {
  list(): Promise<readonly ConsumerQueue[]>;
}

/** How long the oldest message of each queue has waited, as far as SQS tells. */
export interface QueueAges {
  /** Seconds by queue name; an empty queue, or one that nobody used for hours, is missing. */
  oldest(queues: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A consumer whose oldest unacknowledged message will vanish within a week. */
export interface OldMessage extends ConsumerQueue {
  readonly seconds: number;
}

/** Where the operator sees it. */
export interface AgeReport {
  /** @param oldestSeconds of all queues; 0 when all are empty */
  report(oldestSeconds: number, old: readonly OldMessage[]): void;
}

export interface QueueAgePorts {
  readonly consumers: ConsumerQueues;
  readonly queueAges: QueueAges;
  readonly ageReport: AgeReport;
}

/** Measures how long the oldest unacknowledged message of the environment has waited, and names the consumers that lose some soon. */
export const watchQueueAges = ({ consumers, queueAges, ageReport }: QueueAgePorts) =>
  async function watchQueueAges(): Promise<void> {
    const listed = await consumers.list();
    const ages = await queueAges.oldest(listed.map(({ queue }) => queue));
    const waiting = listed.map(consumer => ({ ...consumer, seconds: ages.get(consumer.queue) ?? 0 }));
    const old = waiting.filter(({ seconds }) => seconds >= limits.unacknowledgedSeconds);
    ageReport.report(Math.max(0, ...ages.values()), old);
  };
