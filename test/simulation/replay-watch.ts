import type { Process } from './process.ts';

interface Grant {
  readonly process: Process;
  until: number;
}

/** Observes every replay runner, and reports what it must not do. */
export class ReplayWatch {
  readonly #fail: (invariant: string, what: string) => void;
  readonly #grants = new Map<string, Grant[]>();
  readonly #ended = new Set<string>();
  readonly #begun = new Map<string, () => void>();
  /** Sends of a process for a replay that had ended. */
  readonly #late = new Map<string, number>();

  constructor(fail: (invariant: string, what: string) => void) {
    this.#fail = fail;
  }

  #others(replay: string, process: Process): Grant[] {
    return (this.#grants.get(replay) ?? []).filter(grant => grant.process !== process);
  }

  granted(replay: string, until: number, process: Process): void {
    this.#grants.set(replay, [...this.#others(replay, process), { process, until }]);
  }

  givenBack(replay: string, process: Process): void {
    this.#grants.set(replay, this.#others(replay, process));
  }

  /** Settles when something is sent for a replay. */
  begins(replay: string): Promise<void> {
    return new Promise(resolve => this.#begun.set(replay, resolve));
  }

  ended(replay: string): void {
    this.#ended.add(replay);
  }

  /**
   * L: the sender holds a lease that is valid by its own clock, and nobody else holds one by theirs. C: a cancelled replay sends
   * at most one more page.
   */
  sends(replay: string, process: Process, pageSize: number): void {
    this.#begun.get(replay)?.();
    const lasts = (this.#grants.get(replay) ?? []).filter(grant => grant.process.now() < grant.until);
    if (!lasts.some(grant => grant.process === process))
      this.#fail('L', `${process.name} sends for the replay ${replay} without a lease`);
    const other = lasts.find(grant => grant.process !== process);
    if (other)
      this.#fail('L', `${process.name} sends for ${replay} while ${other.process.name} has the lease`);
    if (!this.#ended.has(replay)) return;
    const key = `${replay} ${process.name}`;
    const late = (this.#late.get(key) ?? 0) + 1;
    this.#late.set(key, late);
    if (late > pageSize) this.#fail('C', `${process.name} goes on with ${replay}, which has ended`);
  }
}
