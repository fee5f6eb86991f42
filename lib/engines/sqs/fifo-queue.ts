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

interface Deadline {
  readonly at: number;
  readonly sequence: number;
}

/** Points in time, each with a message's sequence number; the earliest first. Stale ones are the reader's to skip. */
export class DeadlineHeap {
  readonly #heap: Deadline[] = [];

  get earliest(): number | undefined {
    return this.#heap[0]?.at;
  }

  push(at: number, sequence: number): void {
    const heap = this.#heap;
    const added = { at, sequence };
    let index = heap.length;
    heap.push(added);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= at) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = added;
  }

  /** Removes and returns the earliest if it is not after `now`. */
  popDue(now: number): number | undefined {
    const due = this.#heap[0];
    if (due === undefined || due.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return due.sequence;
  }

  #sink(item: Deadline): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= item.at) break;
      heap[index] = child;
      index = 2 * index + (child === right ? 2 : 1);
    }
    heap[index] = item;
  }
}

/** The queue attributes that decide when a message is visible. Milliseconds. */
export interface QueueTiming {
  readonly delayMilliseconds: number;
  readonly retentionMilliseconds: number;
}

/** AWS docs, "Amazon SQS FIFO queue quotas": further receives are empty, without an error. */
const maxInFlight = 120_000;

/**
 * The state of one FIFO queue; no I/O and no clock: every caller says what time it is through `advance`. Order holds
 * per group: while a message of a group is in flight, no other call gets one of that group (AWS docs, "FIFO
 * delivery logic"). Sequence numbers grow with every `add`.
 */
export class FifoQueue<Content> {
  readonly #messages = new Map<number, QueuedMessage<Content>>();
  readonly #groups = new Map<string, MessageGroup<Content>>();
  /** Groups with deliverable messages, the longest-waiting first. */
  readonly #ready = new Set<MessageGroup<Content>>();
  readonly #deadlines = new DeadlineHeap();
  #timing: QueueTiming;
  #now = 0;
  #inFlight = 0;
  /** When the first message was sent. */
  #oldestSentAt = Number.POSITIVE_INFINITY;

  constructor(timing: QueueTiming) {
    this.#timing = timing;
  }

  /** When a message becomes visible by itself, at the earliest. May be too early, never too late. */
  get nextChangeAt(): number | undefined {
    return this.#deadlines.earliest;
  }

  get counts(): { readonly visible: number; readonly inFlight: number; readonly delayed: number } {
    let delayed = 0;
    if (this.#timing.delayMilliseconds > 0) {
      for (const message of this.#messages.values()) if (this.#visibleAt(message) > this.#now) delayed += 1;
    }
    return { visible: this.#messages.size - this.#inFlight - delayed, inFlight: this.#inFlight, delayed };
  }

  /** Sets the time to `now`: due messages become visible, and messages past their retention are removed. */
  advance(now: number): void {
    this.#now = now;
    for (let due = this.#deadlines.popDue(now); due !== undefined; due = this.#deadlines.popDue(now)) {
      const message = this.#messages.get(due);
      if (message === undefined) continue;
      if (isInFlight(message) && message.hiddenUntil <= now) this.#show(message);
      else this.#settle(this.#group(message.group));
    }
    if (this.#oldestSentAt + this.#timing.retentionMilliseconds <= now) this.#dropExpired();
  }

  /** New timing also applies to messages that are already in the queue (AWS docs, SetQueueAttributes). */
  retime(timing: QueueTiming): void {
    this.#timing = timing;
    for (const group of this.#groups.values()) this.#settle(group);
  }

  add(message: QueuedMessage<Content>): void {
    this.#messages.set(message.sequence, message);
    this.#oldestSentAt = Math.min(this.#oldestSentAt, message.sentAt);
    const group = this.#group(message.group);
    group.add(message);
    if (isInFlight(message)) this.#lock(message, group);
    this.#settle(group);
  }

  find(sequence: number): QueuedMessage<Content> | undefined {
    return this.#messages.get(sequence);
  }

  /** All messages, in the order they were added. */
  all(): Iterable<QueuedMessage<Content>> {
    return this.#messages.values();
  }

  /** What a receive of up to `max` messages returns: the first ones of each group, in order. Changes nothing. */
  available(max: number): readonly QueuedMessage<Content>[] {
    const wanted = Math.min(max, maxInFlight - this.#inFlight);
    const found: QueuedMessage<Content>[] = [];
    for (const group of this.#ready) {
      for (const message of group.messages()) {
        if (found.length >= wanted) return found;
        if (this.#visibleAt(message) > this.#now) break;
        found.push(message);
      }
    }
    return found;
  }

  /** Marks messages as received under one receipt until `hiddenUntil`. */
  take(messages: readonly QueuedMessage<Content>[], receipt: string, hiddenUntil: number): void {
    for (const message of messages) {
      message.receipt = receipt;
      message.takenAt = this.#now;
      message.firstTakenAt ||= this.#now;
      message.receives += 1;
      this.hide(message, hiddenUntil);
    }
  }

  /** Moves the end of a message's invisibility; a time not after now makes it visible. */
  hide(message: QueuedMessage<Content>, hiddenUntil: number): void {
    const group = this.#group(message.group);
    if (isInFlight(message)) this.#unlock(message, group);
    message.hiddenUntil = hiddenUntil > this.#now ? hiddenUntil : 0;
    if (isInFlight(message)) this.#lock(message, group);
    this.#settle(group);
  }

  remove(message: QueuedMessage<Content>): void {
    if (!this.#messages.delete(message.sequence)) return;
    const group = this.#group(message.group);
    if (isInFlight(message)) this.#unlock(message, group);
    group.remove(message);
    this.#settle(group);
  }

  clear(): void {
    for (const message of [...this.#messages.values()]) this.remove(message);
  }

  #group(name: string): MessageGroup<Content> {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = new MessageGroup<Content>(name);
    this.#groups.set(name, group);
    return group;
  }

  #show(message: QueuedMessage<Content>): void {
    this.hide(message, 0);
  }

  #lock(message: QueuedMessage<Content>, group: MessageGroup<Content>): void {
    group.inFlight += 1;
    this.#inFlight += 1;
    this.#deadlines.push(message.hiddenUntil, message.sequence);
  }

  #unlock(message: QueuedMessage<Content>, group: MessageGroup<Content>): void {
    message.hiddenUntil = 0;
    group.inFlight -= 1;
    this.#inFlight -= 1;
  }

  /** Adds a group to the ready ones or removes it, depending on its first message and its lock. */
  #settle(group: MessageGroup<Content>): void {
    const { first } = group;
    if (first === undefined) this.#groups.delete(group.name);
    const visibleAt = first === undefined || group.inFlight > 0 ? undefined : this.#visibleAt(first);
    if (visibleAt !== undefined && visibleAt <= this.#now) {
      this.#ready.add(group);
      return;
    }
    this.#ready.delete(group);
    if (visibleAt !== undefined && first !== undefined) this.#deadlines.push(visibleAt, first.sequence);
  }

  #visibleAt(message: QueuedMessage<Content>): number {
    return message.receives === 0 ? message.sentAt + this.#timing.delayMilliseconds : 0;
  }

  #dropExpired(): void {
    this.#oldestSentAt = Number.POSITIVE_INFINITY;
    for (const message of this.#messages.values()) {
      if (message.sentAt + this.#timing.retentionMilliseconds > this.#now) {
        this.#oldestSentAt = message.sentAt;
        return;
      }
      this.remove(message);
    }
  }
}
