/** A message in a queue. Times are epoch milliseconds; 0: never, or not hidden. */
export interface QueuedMessage<Content> {
  readonly sequence: number;
  readonly group: string;
  readonly sentAt: number;
  readonly content: Content;
  receives: number;
  receipt: string;
  firstTakenAt: number;
  takenAt: number;
  hiddenUntil: number;
}

export const isInFlight = (message: QueuedMessage<unknown>): boolean => message.hiddenUntil > 0;

/** The messages of one group in order. Removal is from near the front, where messages are handed out. */
export class MessageGroup<Content> {
  readonly name: string;
  /** How many of its messages are in flight. */
  inFlight = 0;
  #messages: QueuedMessage<Content>[] = [];
  #removed = new Set<QueuedMessage<Content>>();
  #head = 0;

  constructor(name: string) {
    this.name = name;
  }

  get first(): QueuedMessage<Content> | undefined {
    return this.#messages[this.#head];
  }

  add(message: QueuedMessage<Content>): void {
    this.#messages.push(message);
  }

  *messages(): Generator<QueuedMessage<Content>> {
    for (let index = this.#head; index < this.#messages.length; index += 1) {
      const message = this.#messages[index];
      if (message !== undefined && !this.#removed.has(message)) yield message;
    }
  }

  remove(message: QueuedMessage<Content>): void {
    this.#removed.add(message);
    for (let first = this.first; first !== undefined && this.#removed.delete(first); first = this.first) {
      this.#head += 1;
    }
    // Half empty: worth moving the rest to the front.
    if (this.#head * 2 < this.#messages.length || this.#head < 32) return;
    this.#messages = this.#messages.slice(this.#head);
    this.#head = 0;
  }
}
