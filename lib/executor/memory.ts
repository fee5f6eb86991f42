import { type Declaration, newStory, type StoryMemory } from './declarations.ts';
import type { Copy, Snapshot } from './skill.ts';

/** How much is remembered. Older stories and reactions are forgotten; a bus delivers a message again within fourteen days. */
const kept = { stories: 20_000, reactions: 5_000, snapshots: 500 };

type Entries<T> = readonly (readonly [string, T])[];

interface Stored {
  readonly format: typeof format;
  readonly consumer: string;
  readonly stories: Entries<{
    readonly sequence: number;
    readonly open: Entries<Declaration>;
    readonly opened: Entries<number>;
    readonly copies: Entries<Copy>;
  }>;
  readonly reactions: Entries<readonly string[]>;
}

const format = 'som-bus executor 1';

const isStored = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === format;

export class UnusableMemory extends Error {
  override readonly name = 'UnusableMemory';
}

const trim = (map: Map<string, unknown>, max: number): void => {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
};

const renew = <T>(map: Map<string, T>, key: string, value: T, max: number): void => {
  map.delete(key);
  map.set(key, value);
  trim(map, max);
};

export class Memory {
  readonly #consumer: string;
  readonly #stories: Map<string, StoryMemory>;
  readonly #reactions: Map<string, readonly string[]>;
  /** The newest snapshot of each correlation. It is not stored: without one, a wake-up is silent until the next. */
  readonly #snapshots = new Map<string, Snapshot>();

  /**
   * @param consumer the connection whose messages are remembered
   * @param text what `toText` gave; absent for a new memory
   * @throws UnusableMemory if it is something else, or of another consumer
   */
  constructor(consumer: string, text?: string) {
    const stored = text === undefined ? undefined : storedIn(text, consumer);
    this.#consumer = consumer;
    this.#stories = new Map(
      stored?.stories.map(([id, { sequence, open, opened, copies }]) => [
        id,
        { sequence, open: new Map(open), opened: new Map(opened), copies: new Map(copies) },
      ]),
    );
    this.#reactions = new Map(stored?.reactions);
  }

  story(id: string): StoryMemory {
    return this.#stories.get(id) ?? newStory;
  }

  keepStory(id: string, story: StoryMemory): void {
    renew(this.#stories, id, story, kept.stories);
  }

  /** The messages with which a trigger was answered, as they were sent; undefined if it never was. */
  reactionsTo(messageId: string): readonly string[] | undefined {
    return this.#reactions.get(messageId);
  }

  keepReactions(messageId: string, reactions: readonly string[]): void {
    renew(this.#reactions, messageId, reactions, kept.reactions);
  }

  newest(correlationId: string): Snapshot | undefined {
    return this.#snapshots.get(correlationId);
  }

  keepNewest(correlationId: string, snapshot: Snapshot): void {
    renew(this.#snapshots, correlationId, snapshot, kept.snapshots);
  }

  toText(): string {
    const stories = [...this.#stories].map(([id, { sequence, open, opened, copies }]) => [
      id,
      { sequence, open: [...open], opened: [...opened], copies: [...copies] },
    ]);
    return JSON.stringify({ format, consumer: this.#consumer, stories, reactions: [...this.#reactions] });
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const storedIn = (text: string, consumer: string): Stored => {
  const stored = parsed(text);
  if (!isStored(stored))
    throw new UnusableMemory('The state is not that of an executor: name another file, or remove this one.');
  if (stored.consumer !== consumer)
    throw new UnusableMemory(
      `The state is that of the consumer ${stored.consumer}, and this one is ${consumer}: name another file.`,
    );
  return stored;
};
