import { limits } from '../contract/limits.ts';

export interface ConsumerQueue {
  readonly connection: string;
  readonly workspace: string;
  readonly queue: string;
}

export interface ConsumerQueues {
  list(): Promise<readonly ConsumerQueue[]>;
}

/** How long the oldest message of each queue has waited, as far as SQS tells. */
export interface QueueAges {
  /** Seconds by queue name; an empty queue is missing, and one of which SQS says nothing. */
  oldest(queues: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** How many messages a queue holds; undefined if it is gone. */
export interface HeldMessages {
  depth(queue: string): Promise<{ readonly visible: number; readonly inFlight: number } | undefined>;
}

/** A consumer whose oldest unacknowledged message will vanish within a week. */
export interface OldMessage extends ConsumerQueue {
  readonly seconds: number;
}

export interface AgeReport {
  /**
   * @param oldestSeconds of all queues; 0 when all are empty
   * @param unknown consumers whose queue holds messages of which SQS tells no age
   */
  report(oldestSeconds: number, old: readonly OldMessage[], unknown: readonly ConsumerQueue[]): void;
}

export interface QueueAgePorts {
  readonly consumers: ConsumerQueues;
  readonly depths: HeldMessages;
  readonly queueAges: QueueAges;
  readonly ageReport: AgeReport;
}

/** Queues that are asked at the same time. */
const width = 50;

const queuesWithMessages = async (
  depths: HeldMessages,
  queues: readonly string[],
): Promise<ReadonlySet<string>> => {
  const held = new Set<string>();
  for (let from = 0; from < queues.length; from += width)
    await Promise.all(
      queues.slice(from, from + width).map(async queue => {
        const { visible, inFlight } = (await depths.depth(queue)) ?? { visible: 0, inFlight: 0 };
        if (visible + inFlight > 0) held.add(queue);
      }),
    );
  return held;
};

/**
 * Measures how long the oldest unacknowledged message of the environment has waited, and names the consumers that lose some soon. It
 * asks every queue for its depth first: SQS stops the metrics of a queue that no call reached for six hours (SQS: "Monitoring Amazon
 * SQS queues using CloudWatch"), whatever waits in it.
 */
export const watchQueueAges = ({ consumers, depths, queueAges, ageReport }: QueueAgePorts) =>
  async function watchQueueAges(): Promise<void> {
    const listed = await consumers.list();
    const held = await queuesWithMessages(
      depths,
      listed.map(({ queue }) => queue),
    );
    const ages = await queueAges.oldest(listed.map(({ queue }) => queue));
    const waiting = listed.map(consumer => ({ ...consumer, seconds: ages.get(consumer.queue) ?? 0 }));
    const old = waiting.filter(({ seconds }) => seconds >= limits.unacknowledgedSeconds);
    const unknown = listed.filter(({ queue }) => held.has(queue) && !ages.has(queue));
    ageReport.report(Math.max(0, ...ages.values()), old, unknown);
  };
