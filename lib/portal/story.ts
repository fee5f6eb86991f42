import { limits } from '../contract/limits.ts';
import type { StoryMessage } from '../contract/work-answers.ts';
import type { Entry, Log } from '../delivery/log.ts';
import { factsOf } from '../stories/story-facts.ts';

/** What reading a story needs. */
export interface StoryPorts {
  readonly log: Pick<Log, 'head' | 'entries'>;
}

const messageRecord = (entry: Entry): StoryMessage => ({
  number: entry.number,
  message_id: entry.messageId,
  message_type: entry.messageType,
  system_id: entry.systemId,
  producer_id: entry.producer,
  accepted_at: new Date(entry.acceptedAt).toISOString(),
  size_bytes: entry.body.byteLength,
  consumers: entry.targets.length,
  facts: factsOf(entry.messageType, entry.body),
});

/** Whose messages are told: those that one of these connections sent or gets. Undefined: all. */
type Only = ReadonlySet<string> | undefined;

const isTold = (only: Only, { producer, targets }: Entry): boolean =>
  only === undefined || only.has(producer) || targets.some(({ connection }) => only.has(connection));

/** How many messages are looked at for one page: those that somebody may not see cost time as well. */
const maxLooked = 400;

/**
 * The messages of one correlation in the order in which the bus accepted them, one page of them; undefined if there are none. `next`
 * is the number after which the next page begins.
 */
export const readStory = async (
  { log }: StoryPorts,
  of: { readonly workspace: string; readonly correlationId: string },
  { after, only }: { readonly after: number; readonly only: Only },
): Promise<{ readonly messages: readonly StoryMessage[]; readonly next?: number } | undefined> => {
  const { last } = await log.head(of);
  if (last === 0) return undefined;
  const messages: StoryMessage[] = [];
  let number = after;
  while (messages.length < limits.portalPage && number < Math.min(last, after + maxLooked)) {
    const entries = await log.entries(of, number + 1, last);
    for (const entry of entries) {
      if (messages.length === limits.portalPage) break;
      if (isTold(only, entry)) messages.push(messageRecord(entry));
      ({ number } = entry);
    }
    // What is missing at the end of a log has expired.
    if (entries.length === 0) number = last;
  }
  return { messages, ...(number < last ? { next: number } : {}) };
};
