import type { Bus, PulledMessage, SomMessage } from '../../../lib/kit/client/index.ts';
import type { RuleFacts, ruleOf } from './newsroom-rules.ts';

/** What survives a restart of the program. */
export class Disk {
  /** The reactions to a message, by its message_id: what comes again gets the same bytes. */
  readonly reactions = new Map<string, readonly string[]>();
  /** What has been said, by what it is about. */
  readonly said = new Set<string>();
  count = 0;
}

/** What the reference system is made of. */
export interface SystemParts {
  readonly consumer: Pick<Bus, 'pull' | 'ack'>;
  readonly producer: Pick<Bus, 'publish'>;
  readonly rule: ReturnType<typeof ruleOf>;
  readonly disk: Disk;
  now(): number;
  newId(): string;
  sleep(milliseconds: number): Promise<void>;
}

const visibility = 40;
const workMilliseconds = 10;

/** A system that reacts to what it receives, as a program that a vendor might have written. */
export const referenceSystem = (parts: SystemParts) => {
  const { consumer, producer, rule, newId, sleep } = parts;
  const disk = parts.disk;
  const facts: RuleFacts = {
    now: parts.now,
    count: () => {
      disk.count += 1;
      return disk.count;
    },
  };

  const written = (message: SomMessage): string =>
    JSON.stringify({ ...message, message_id: newId() });

  const reactionsTo = (cause: SomMessage): readonly string[] => {
    const kept = disk.reactions.get(cause.message_id);
    if (kept) return kept;
    const fresh = rule(cause, facts).filter(
      ({ message, ends }) =>
        !disk.said.has(message.message_id) && (!ends || disk.said.has(ends.message_id)),
    );
    for (const { message } of fresh) disk.said.add(message.message_id);
    const texts = fresh.map(({ message }) => written(message));
    disk.reactions.set(cause.message_id, texts);
    return texts;
  };

  const publish = async (text: string): Promise<void> => {
    await producer.publish(text, { deadline: 120_000 });
  };

  const take = async ({ message, receiptHandle }: PulledMessage): Promise<void> => {
    await sleep(workMilliseconds);
    for (const text of reactionsTo(message)) {
      await publish(text);
      await sleep(workMilliseconds);
    }
    await consumer.ack([receiptHandle]);
  };

  return {
    publish,
    /** One pull, and the work with what it brings. */
    async turn(): Promise<void> {
      const response = await consumer.pull({ max: 10, wait: 0, visibility });
      const messages = response.outcome === 'pulled' ? response.messages : [];
      for (const one of messages) await take(one);
    },
  };
};
