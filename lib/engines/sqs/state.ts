import type { SnapshotRecord, StoredBody } from '../journal/frame.ts';
import type { EngineClock } from '../machine.ts';
import { sqsError } from './batch.ts';
import type { QueuedMessage } from './fifo-queue.ts';
import { LocalQueue, type MessageContent } from './local-queue.ts';
import type { Create, Delivery, Move, QueueChange, Seen, Send } from './queue-change.ts';

const undelivered: Delivery = { receives: 0, receipt: '', firstTakenAt: 0, takenAt: 0, hiddenUntil: 0 };

/** All queues. Only `apply` changes them: the same changes, in the same order, always give the same queues. */
export class QueueSet {
  readonly #queues = new Map<string, LocalQueue>();
  #lastSequence = 0;

  get names(): readonly string[] {
    return [...this.#queues.keys()].sort();
  }

  /** The sequence number the next message gets; they grow over all queues and restarts. */
  get nextSequence(): number {
    return this.#lastSequence + 1;
  }

  get(name: string): LocalQueue | undefined {
    return this.#queues.get(name);
  }

  /** `body` belongs to `send` changes. */
  apply(change: QueueChange, body: StoredBody): void {
    if (change.op === 'create') this.#create(change);
    if (change.op === 'sequence') this.#lastSequence = change.sequence;
    const queue = this.#queues.get(change.queue);
    if (queue === undefined) return;
    queue.messages.advance(change.at);
    if (change.op === 'send') this.#send(queue, change, body);
    else if (change.op === 'move') this.#move(queue, change);
    else if (change.op === 'drop') this.#queues.delete(change.queue);
    else applyWithin(queue, change);
  }

  /** Changes that recreate the same queues from scratch. */
  snapshot(): SnapshotRecord[] {
    const last: QueueChange = { op: 'sequence', queue: '', at: 0, sequence: this.#lastSequence };
    const records: SnapshotRecord[] = [{ meta: last }];
    for (const queue of this.#queues.values()) {
      records.push(...settingsOf(queue).map(meta => ({ meta })));
      for (const [key, { at, messageId, sequence }] of queue.seen.entries()) {
        const seen: Seen = { op: 'seen', queue: queue.name, at, key, id: messageId, sequence };
        records.push({ meta: seen });
      }
      for (const message of queue.messages.all()) {
        records.push({ meta: sendOf(queue, message), body: message.content.body });
      }
    }
    return records;
  }

  #create({ queue: name, uid, at, attributes, tags }: Create): void {
    const queue = new LocalQueue(name, uid, { at, attributes });
    queue.tags = tags;
    this.#queues.set(name, queue);
  }

  #send(queue: LocalQueue, { at, sequence, group, facts, key, delivery }: Send, body: StoredBody): void {
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
    queue.messages.add({
      sequence,
      group,
      sentAt: at,
      content: { facts, body },
      ...undelivered,
      ...delivery,
    });
    if (key !== undefined) queue.seen.add(key, { at, messageId: facts.id, sequence });
  }

  /** To a dead-letter queue, where it starts over (AWS docs, "Using dead-letter queues in Amazon SQS"). */
  #move(queue: LocalQueue, { sequence, to, newSequence, movedFrom, at }: Move): void {
    const message = queue.messages.find(sequence);
    const target = this.#queues.get(to);
    if (message === undefined || target === undefined) return;
    this.#lastSequence = Math.max(this.#lastSequence, newSequence);
    queue.messages.remove(message);
    target.messages.advance(at);
    const { facts, body } = message.content;
    const content = { facts: { ...facts, movedFrom }, body };
    target.messages.add({ sequence: newSequence, group: message.group, sentAt: at, content, ...undelivered });
  }
}

const applyWithin = (queue: LocalQueue, change: QueueChange): void => {
  const { messages } = queue;
  if (change.op === 'configure') queue.configure(change.attributes, change.at);
  if (change.op === 'tag') queue.tags = change.tags;
  if (change.op === 'purge') messages.clear();
  if (change.op === 'seen') {
    queue.seen.add(change.key, { at: change.at, messageId: change.id, sequence: change.sequence });
  }
  if (change.op === 'take') {
    const taken = change.sequences.flatMap(sequence => messages.find(sequence) ?? []);
    messages.take(taken, change.receipt, change.until);
  }
  if (change.op === 'hide' || change.op === 'delete') {
    const message = messages.find(change.sequence);
    if (message === undefined) return;
    if (change.op === 'hide') messages.hide(message, change.until);
    else messages.remove(message);
  }
};

const settingsOf = ({ name, uid, createdAt, changedAt, attributes, tags }: LocalQueue): QueueChange[] => [
  { op: 'create', queue: name, at: createdAt, uid, attributes, tags },
  { op: 'configure', queue: name, at: changedAt, attributes },
];

const sendOf = (queue: LocalQueue, message: QueuedMessage<MessageContent>): Send => {
  const { sequence, group, sentAt, receives, receipt, firstTakenAt, takenAt, hiddenUntil } = message;
  const { facts } = message.content;
  const send: Send = { op: 'send', queue: queue.name, at: sentAt, sequence, group, facts };
  return receives === 0
    ? send
    : { ...send, delivery: { receives, receipt, firstTakenAt, takenAt, hiddenUntil } };
};

/** Lets receives wait until something may have become visible in a queue. */
class Arrivals {
  readonly #clock: EngineClock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Wakes the receives that wait for `queue`, the longest-waiting first. */
  notify(queue: string): void {
    for (const wake of [...(this.#waiting.get(queue) ?? [])]) wake();
  }

  /** Wakes all waiting receives, and lets no more wait. */
  close(): void {
    this.#closed = true;
    for (const queue of [...this.#waiting.keys()]) this.notify(queue);
  }

  /** Resolves with the next `notify` of `queue`, at the time `until`, or when `gone` aborts. */
  next(queue: string, until: number, gone: AbortSignal): Promise<void> {
    if (this.#closed || gone.aborted) return Promise.resolve();
    const waiting = this.#waiting.get(queue) ?? new Set();
    this.#waiting.set(queue, waiting);
    return new Promise(resolve => {
      const wake = () => {
        cancel();
        gone.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(queue) === waiting) this.#waiting.delete(queue);
        resolve();
      };
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), wake);
      gone.addEventListener('abort', wake);
      waiting.add(wake);
    });
  }
}

const noBody = Buffer.alloc(0);

/** The part of the journal that operations need. */
export interface ChangeLog {
  append(meta: object, body: Buffer): StoredBody;
  /** For a change whose loss costs little: no caller waits for it. */
  appendLazily(meta: object): void;
  /** Resolves when everything appended so far is on disk. */
  saved(): Promise<void>;
  /** A stored body, once it is on disk. */
  read(stored: StoredBody): Promise<Buffer>;
}

/** What the operations work on. Every change goes through `change`, which journals it. */
export class SqsState {
  readonly queues: QueueSet;
  readonly log: ChangeLog;
  readonly clock: EngineClock;
  readonly arrivals: Arrivals;
  readonly newId: () => string;

  constructor(queues: QueueSet, log: ChangeLog, edges: { clock: EngineClock; newId: () => string }) {
    this.queues = queues;
    this.log = log;
    this.clock = edges.clock;
    this.newId = edges.newId;
    this.arrivals = new Arrivals(edges.clock);
  }

  /** The queue a QueueUrl means, as of now: its last path segment is the name. */
  queueAt(url: string): LocalQueue {
    const queue = this.queues.get(url.slice(url.lastIndexOf('/') + 1));
    if (queue === undefined) throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    queue.messages.advance(this.clock.now());
    return queue;
  }

  /** Makes a change that must be on disk before the answer. */
  change(change: QueueChange, body: Buffer = noBody): StoredBody {
    const stored = this.log.append(change, body);
    this.queues.apply(change, stored);
    this.arrivals.notify(change.queue);
    if (change.op === 'move') this.arrivals.notify(change.to);
    return stored;
  }

  /** Records that messages were received. Losing this causes an early redelivery, which at-least-once allows. */
  take(change: Extract<QueueChange, { op: 'take' }>): void {
    this.log.appendLazily(change);
    this.queues.apply(change, { position: 0, file: '', offset: 0, length: 0 });
  }
}
