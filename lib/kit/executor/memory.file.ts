import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import type { Copy, Snapshot, Warning } from './skill.ts';

export interface Declaration {
  readonly severity: Warning['severity'];
  readonly fields: readonly string[];
  readonly detail: string;
  readonly ref: string;
}

/** What is remembered of one story. All of it can be written as JSON. */
export interface StoryMemory {
  readonly sequence: number;
  /** What was declared and still stands, by instance and anchor. */
  readonly open: ReadonlyMap<string, Declaration>;
  /** How many declarations were opened, by instance and scope. */
  readonly opened: ReadonlyMap<string, number>;
  /** What items held when they were first seen, by instance and item. */
  readonly copies: ReadonlyMap<string, Copy>;
}

const newStory: StoryMemory = {
  sequence: -1,
  open: new Map(),
  opened: new Map(),
  copies: new Map(),
};

/**
 * How much is remembered. Older stories and reactions are forgotten; a bus delivers a message again
 * within fourteen days.
 */
const maximum = { stories: 20_000, reactions: 5_000, snapshots: 500 };

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
  typeof value === 'object' && value !== null && Reflect.get(value, 'format') === format;

export class UnusableMemory extends Error {
  override readonly name = 'UnusableMemory';
}

/** Sets a value as the newest one, and forgets the oldest beyond the maximum. */
const keep = <T>(map: Map<string, T>, key: string, value: T, max: number): void => {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
};

export class Memory {
  readonly #consumer: string;
  readonly #stories: Map<string, StoryMemory>;
  readonly #reactions: Map<string, readonly string[]>;
  /**
   * The newest snapshot of each correlation. It is not stored: without one, a wake-up is silent
   * until the next.
   */
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
    keep(this.#stories, id, story, maximum.stories);
  }

  /**
   * The messages with which a trigger was answered, as they were sent; undefined if it never was.
   */
  reactionsTo(messageId: string): readonly string[] | undefined {
    return this.#reactions.get(messageId);
  }

  keepReactions(messageId: string, reactions: readonly string[]): void {
    keep(this.#reactions, messageId, reactions, maximum.reactions);
  }

  newest(correlationId: string): Snapshot | undefined {
    return this.#snapshots.get(correlationId);
  }

  keepNewest(correlationId: string, snapshot: Snapshot): void {
    keep(this.#snapshots, correlationId, snapshot, maximum.snapshots);
  }

  toText(): string {
    const stories = [...this.#stories].map(([id, { sequence, open, opened, copies }]) => [
      id,
      { sequence, open: [...open], opened: [...opened], copies: [...copies] },
    ]);
    return JSON.stringify({
      format,
      consumer: this.#consumer,
      stories,
      reactions: [...this.#reactions],
    });
  }
}

const storedIn = (text: string, consumer: string): Stored => {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    // Whatever it is, it is not ours.
  }
  if (!isStored(stored))
    throw new UnusableMemory(
      'The state is not that of an executor: name another file, or remove this one.',
    );
  if (stored.consumer !== consumer)
    throw new UnusableMemory(
      `The state is that of the consumer ${stored.consumer}, and this one is ${consumer}: name another file.`,
    );
  return stored;
};

export interface MemoryFile {
  readonly memory: Memory;
  /** Writes what is remembered: after a crash, the file has either what it had before or this. */
  save(): void;
}

/**
 * Opens the memory of an executor, or begins one if there is no file.
 *
 * @param consumer the connection whose messages are remembered
 * @throws UnusableMemory if the file is something else, or of another consumer
 */
export const openMemoryFile = (path: string, consumer: string): MemoryFile => {
  const memory = new Memory(consumer, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return {
    memory,
    save() {
      const draft = `${path}.new`;
      const file = openSync(draft, 'w', 0o600);
      try {
        writeFileSync(file, memory.toText());
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
    },
  };
};
