/** Something that happens at a moment of the virtual time. */
interface Alarm {
  readonly at: number;
  readonly controller: AbortController;
  readonly reason: string;
}

/** 2026-05-04, 09:00 UTC. */
export const start = Date.UTC(2026, 4, 4, 9);

const maxSleeps = 1_000;

/** Time that passes only when somebody waits for it. */
export class VirtualTime {
  #now = start;
  #sleeps = 0;
  #alarms: Alarm[] = [];

  now = (): number => this.#now;

  /** Aborts a signal after a while. */
  timeout = (milliseconds: number, reason = 'timeout'): AbortSignal => {
    const controller = new AbortController();
    this.#alarms.push({ at: this.#now + milliseconds, controller, reason });
    if (milliseconds <= 0) controller.abort(new Error(reason));
    return controller.signal;
  };

  /** Moves on, but not beyond the moment at which the signal aborts. */
  pass(milliseconds: number, signal?: AbortSignal): void {
    const end = this.#now + milliseconds;
    for (let alarm = this.#next(end); alarm && !signal?.aborted; alarm = this.#next(end))
      this.#ring(alarm);
    if (!signal?.aborted) this.#now = end;
  }

  sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    this.#sleeps += 1;
    if (this.#sleeps > maxSleeps) return new Promise(() => undefined);
    signal?.throwIfAborted();
    this.pass(milliseconds, signal);
    signal?.throwIfAborted();
  };

  /** Moves on until a signal aborts. */
  async passUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const alarm = this.#next(Number.POSITIVE_INFINITY);
      if (alarm === undefined) return;
      this.#ring(alarm);
      // Whoever hears it may abort the signal.
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  #next(end: number): Alarm | undefined {
    const due = this.#alarms.filter(
      ({ at, controller }) => at <= end && !controller.signal.aborted,
    );
    return due.sort((one, other) => one.at - other.at)[0];
  }

  #ring({ at, controller, reason }: Alarm): void {
    this.#now = Math.max(this.#now, at);
    controller.abort(new Error(reason));
  }
}
