import type { JsonObject } from '../../../platform/json/value.ts';
import type { EngineClock } from '../machine.ts';

/** What a poll finds when it looks: its response, or when to look again. Epoch milliseconds. */
export type PollLook =
  | { readonly response: JsonObject }
  | { readonly nextChangeAt?: number | undefined };

interface Poll {
  readonly queue: string;
  readonly until: number;
  readonly gone: AbortSignal;
  look(): PollLook;
}

interface WaitingPoll extends Poll {
  resolve(response: JsonObject): void;
  reject(error: unknown): void;
}

interface WaitingLine {
  readonly polls: Set<WaitingPoll>;
  nextChangeAt?: number | undefined;
}

const empty: JsonObject = {};

/**
 * The receives that wait, in a line for each queue. One timer serves all of them: it is set for the
 * nearest deadline.
 */
export class Polls {
  readonly #clock: EngineClock;
  readonly #lines = new Map<string, WaitingLine>();
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #closed = false;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  /**
   * Answers at once when there is something to respond with; otherwise waits for messages, or for
   * the end.
   */
  start(poll: Poll): JsonObject | Promise<JsonObject> {
    const look = poll.look();
    if ('response' in look) return look.response;
    if (this.#closed || poll.gone.aborted || poll.until <= this.#clock.now()) return empty;
    return new Promise((resolve, reject) =>
      this.#join({ ...poll, resolve, reject }, look.nextChangeAt),
    );
  }

  notify(queue: string): void {
    const line = this.#lines.get(queue);
    if (line) this.#serve(line);
  }

  close(): void {
    this.#closed = true;
    for (const { polls } of this.#lines.values()) for (const poll of polls) poll.resolve(empty);
    this.#timer?.cancel();
  }

  #join(given: WaitingPoll, nextChangeAt: number | undefined): void {
    const { queue, gone, resolve, reject } = given;
    const line = this.#lines.get(queue) ?? { polls: new Set() };
    this.#lines.set(queue, line);
    const leave = () => {
      gone.removeEventListener('abort', end);
      line.polls.delete(poll);
      if (line.polls.size === 0) this.#lines.delete(queue);
    };
    const poll: WaitingPoll = {
      ...given,
      resolve(response) {
        leave();
        resolve(response);
      },
      reject(error) {
        leave();
        reject(error);
      },
    };
    const end = () => poll.resolve(empty);
    gone.addEventListener('abort', end);
    line.polls.add(poll);
    line.nextChangeAt = nextChangeAt;
    this.#setTimer(Math.min(poll.until, nextChangeAt ?? poll.until));
  }

  /** Stops at the first poll that finds nothing: those behind it would not, either. */
  #serve(line: WaitingLine): void {
    for (const poll of line.polls) {
      try {
        const look = poll.look();
        if ('response' in look) poll.resolve(look.response);
        else {
          line.nextChangeAt = look.nextChangeAt;
          if (look.nextChangeAt !== undefined) this.#setTimer(look.nextChangeAt);
          return;
        }
      } catch (error) {
        poll.reject(error);
      }
    }
  }

  #setTimer(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#onDeadline());
    this.#timer = { at, cancel };
  }

  #onDeadline(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [queue, line] of [...this.#lines]) {
      const due = [...line.polls].filter(({ until }) => until <= now);
      if (due.length > 0 || (line.nextChangeAt ?? Number.POSITIVE_INFINITY) <= now)
        this.notify(queue);
      for (const poll of due) poll.resolve(empty);
      for (const { until } of line.polls)
        this.#setTimer(Math.min(until, line.nextChangeAt ?? until));
    }
  }
}
