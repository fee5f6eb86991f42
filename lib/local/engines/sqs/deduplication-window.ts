/** A send as later duplicates of it are answered. */
export interface SeenSend {
  readonly at: number;
  readonly messageId: string;
  readonly sequence: number;
}

/** AWS docs, "Using the message deduplication ID": duplicates are dropped for 5 minutes from the first send. */
export const deduplicationMs = 300_000;
/** Forgetting walks over the dropped entries' places: once a second, not with every send. */
const forgetEveryMs = 1_000;

/** The sends of the last five minutes by key, whether or not their messages are still in the queue. */
export class DeduplicationWindow {
  readonly #seen = new Map<string, SeenSend>();
  #forgottenAt = 0;

  find(key: string, now: number): SeenSend | undefined {
    const seen = this.#seen.get(key);
    return seen !== undefined && seen.at + deduplicationMs > now ? seen : undefined;
  }

  add(key: string, seen: SeenSend): void {
    this.#forget(seen.at);
    this.#seen.delete(key);
    this.#seen.set(key, seen);
  }

  entries(): readonly (readonly [string, SeenSend])[] {
    return [...this.#seen];
  }

  #forget(now: number): void {
    if (Math.abs(now - this.#forgottenAt) < forgetEveryMs) return;
    this.#forgottenAt = now;
    for (const [key, seen] of this.#seen) {
      if (seen.at + deduplicationMs > now) return;
      this.#seen.delete(key);
    }
  }
}
