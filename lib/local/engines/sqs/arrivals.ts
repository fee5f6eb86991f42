import type { EngineClock } from '../engine-clock.ts';

/** Lets receives wait until something may have become visible in a queue. */
export class Arrivals {
  readonly #clock: EngineClock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Wakes those who wait for `queue`, the longest-waiting first. */
  notify(queue: string): void {
    for (const wake of [...(this.#waiting.get(queue) ?? [])]) wake();
  }

  /** Wakes everybody; nobody waits any more. */
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
