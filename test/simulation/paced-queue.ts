import type { Scheduler } from './scheduler.ts';

export interface QueuedMessage {
  /** In the order of their acceptance. */
  readonly number: number;
  readonly messageId: string;
  readonly correlationId: string;
}

export interface InFlight {
  readonly message: QueuedMessage;
  readonly handle: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

export const visibilitySeconds = 60;

/** A FIFO queue: what is in flight holds back the later messages of its correlation. */
export class PacedQueue {
  readonly #scheduler: Scheduler;
  #waiting: QueuedMessage[] = [];
  #inFlight: InFlight[] = [];
  #polls: (() => void)[] = [];
  #handles = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  put(message: QueuedMessage): void {
    this.#waiting.push(message);
    this.#wakePolls();
  }

  /** Up to `max` messages; none when the wait is over, or the caller is gone. */
  async pull(
    max: number,
    waitMilliseconds: number,
    isGone: () => boolean,
  ): Promise<readonly InFlight[]> {
    const end = this.#scheduler.now + waitMilliseconds;
    for (;;) {
      if (isGone()) return [];
      const taken = this.#take(max);
      if (taken.length > 0 || this.#scheduler.now >= end) return taken;
      const next = Math.min(end, ...this.#inFlight.map(({ until }) => until));
      await new Promise<void>(resolve => {
        this.#polls.push(resolve);
        this.#scheduler.after(next - this.#scheduler.now, resolve);
      });
    }
  }

  /** @returns the handles that are none any more */
  ack(handles: readonly string[]): readonly string[] {
    this.#expire();
    const known = new Set(this.#inFlight.map(({ handle }) => handle));
    this.#inFlight = this.#inFlight.filter(({ handle }) => !handles.includes(handle));
    this.#wakePolls();
    return handles.filter(handle => !known.has(handle));
  }

  release(handles: readonly string[]): void {
    this.#return(({ handle }) => handles.includes(handle));
    this.#wakePolls();
  }

  #take(max: number): readonly InFlight[] {
    this.#expire();
    const until = this.#scheduler.now + visibilitySeconds * 1000;
    const blocked = new Set(this.#inFlight.map(({ message }) => message.correlationId));
    const isFree = ({ correlationId }: QueuedMessage) => !blocked.has(correlationId);
    const taken = this.#waiting.filter(isFree).slice(0, max);
    if (taken.length === 0) return [];
    this.#waiting = this.#waiting.filter(message => !taken.includes(message));
    const inFlight = taken.map((message): InFlight => {
      this.#handles += 1;
      return { message, handle: `h${this.#handles}`, until };
    });
    this.#inFlight.push(...inFlight);
    return inFlight;
  }

  #expire(): void {
    this.#return(({ until }) => until <= this.#scheduler.now);
  }

  #return(isBack: (one: InFlight) => boolean): void {
    const back = this.#inFlight.filter(isBack);
    if (back.length === 0) return;
    this.#inFlight = this.#inFlight.filter(one => !back.includes(one));
    this.#waiting.push(...back.map(({ message }) => message));
    this.#waiting.sort((one, other) => one.number - other.number);
  }

  #wakePolls(): void {
    const polls = this.#polls;
    this.#polls = [];
    for (const poll of polls) poll();
  }
}
