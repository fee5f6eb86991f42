import { createHash } from 'node:crypto';
import { type Principals, verifiedRolesOf } from '../../access/trust/principals.ts';
import type { GuardedQueues, QueueLook } from '../../access/trust/queue-access.ts';
import { identifier } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock, Entries } from '../../contract/outside.ts';

interface ConsumerQueue {
  readonly connection: string;
  readonly workspace: string;
  readonly queue: string;
}

export interface ConsumerQueues {
  /** Part of their ids, in order. @param after an id or any text like one */
  organisations(after?: string): Promise<Entries<string>>;
  of(organisation: string): AsyncIterable<readonly ConsumerQueue[]>;
}

/** How long the oldest message of each queue has waited, as far as SQS tells. */
export interface QueueAges {
  /** Seconds by queue name; an empty queue is missing, and one of which SQS says nothing. */
  oldest(queues: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface Watched {
  readonly oldestSeconds: number;
  readonly old: readonly (ConsumerQueue & { readonly seconds: number })[];
  /** Consumers whose queue holds messages of which SQS tells no age. */
  readonly unknown: readonly ConsumerQueue[];
  readonly unguarded: readonly ConsumerQueue[];
}

export interface AgeReport {
  report(watched: Watched): void;
}

export interface QueueAgePorts {
  readonly clock: Clock;
  readonly consumers: ConsumerQueues;
  readonly principals: Pick<Principals, 'list'>;
  readonly guardedQueues: GuardedQueues;
  readonly queueAges: QueueAges;
  readonly ageReport: AgeReport;
}

type GuardPorts = Pick<QueueAgePorts, 'guardedQueues' | 'principals'>;

/** Queues that are asked at the same time. */
const width = 50;

const looksAt = async (
  { guardedQueues, principals }: GuardPorts,
  consumers: readonly ConsumerQueue[],
): Promise<ReadonlyMap<ConsumerQueue, QueueLook | undefined>> => {
  const found = new Map<ConsumerQueue, QueueLook | undefined>();
  const [first] = consumers;
  const registered = first ? await principals.list(first.workspace) : [];
  for (let from = 0; from < consumers.length; from += width)
    await Promise.all(
      consumers.slice(from, from + width).map(async one => {
        const roles = verifiedRolesOf(registered, one.connection);
        found.set(one, await guardedQueues.look(one.queue, roles));
      }),
    );
  return found;
};

/**
 * Consumers whose queue has another policy than the registry says. Each is looked at twice: the
 * bus may be about to write the policy of one.
 */
export const unguardedOf = async (
  ports: GuardPorts,
  consumers: readonly ConsumerQueue[],
): Promise<readonly ConsumerQueue[]> => {
  const first = await looksAt(ports, consumers);
  const unguarded = consumers.filter(one => first.get(one)?.isGuarded === false);
  const again = await looksAt(ports, unguarded);
  return unguarded.filter(one => again.get(one)?.isGuarded === false);
};

const watchWorkspace = async (
  ports: QueueAgePorts,
  consumers: readonly ConsumerQueue[],
): Promise<Watched> => {
  // The looks come first: SQS has no age of a queue that no call reached.
  const looks = await looksAt(ports, consumers);
  const suspects = consumers.filter(one => looks.get(one)?.isGuarded === false);
  const ages = await ports.queueAges.oldest(consumers.map(({ queue }) => queue));
  const waiting = consumers.map(one => ({ ...one, seconds: ages.get(one.queue) ?? 0 }));
  return {
    oldestSeconds: Math.max(0, ...ages.values()),
    old: waiting.filter(({ seconds }) => seconds >= limits.unacknowledgedSeconds),
    unknown: consumers.filter(
      one => looks.get(one)?.holdsMessages === true && !ages.has(one.queue),
    ),
    unguarded: await unguardedOf(ports, suspects),
  };
};

const together = (one: Watched, other: Watched): Watched => ({
  oldestSeconds: Math.max(one.oldestSeconds, other.oldestSeconds),
  old: [...one.old, ...other.old],
  unknown: [...one.unknown, ...other.unknown],
  unguarded: [...one.unguarded, ...other.unguarded],
});

/**
 * Each minute's run begins elsewhere: if its time ends before it has seen all, the next ones see
 * the others.
 */
async function* organisationsAt(
  { organisations }: ConsumerQueues,
  now: number,
): AsyncIterable<string> {
  const minute = createHash('sha256').update(`${Math.floor(now / 60_000)}`);
  // An id that no organisation needs to have: those after it come first, then those before it.
  const start = identifier('o', minute.digest());
  for (const part of ['after', 'before']) {
    let after = part === 'after' ? start : undefined;
    do {
      const { entries, next } = await organisations(after);
      for (const id of entries) {
        if (part === 'before' && id > start) return;
        yield id;
      }
      after = next;
    } while (after !== undefined);
  }
}

/**
 * Measures how long the oldest unacknowledged message of the environment has waited, names the
 * consumers that lose some soon, and those whose queue's policy was changed. It asks every queue
 * first: SQS stops the metrics of a queue that no call reached for six hours (SQS: "Monitoring
 * Amazon SQS queues using CloudWatch"), whatever waits in it.
 */
export const watchQueueAges = (ports: QueueAgePorts) =>
  async function watchQueueAges(deadline: number): Promise<void> {
    let watched: Watched = { oldestSeconds: 0, old: [], unknown: [], unguarded: [] };
    const isLate = () => ports.clock.now() >= deadline;
    for await (const organisation of organisationsAt(ports.consumers, ports.clock.now())) {
      if (isLate()) break;
      for await (const consumers of ports.consumers.of(organisation)) {
        if (isLate()) break;
        watched = together(watched, await watchWorkspace(ports, consumers));
      }
    }
    ports.ageReport.report(watched);
  };
