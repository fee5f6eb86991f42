import type { Process } from './process.ts';

type Fail = (invariant: string, what: string) => void;

/** Who holds which lease, as an observer knows it. */
export class Leases {
  readonly #fail: Fail;
  readonly #grants = new Map<string, { readonly process: Process; readonly until: number }[]>();

  constructor(fail: Fail) {
    this.#fail = fail;
  }

  granted(of: string, until: number, process: Process): void {
    this.givenBack(of, process);
    this.#grants.get(of)?.push({ process, until });
  }

  givenBack(of: string, process: Process): void {
    this.#grants.set(
      of,
      (this.#grants.get(of) ?? []).filter(grant => grant.process !== process),
    );
  }

  /**
   * L: the sender holds a lease that is valid by its own clock, and nobody else holds one by
   * theirs.
   */
  check(of: string, process: Process, what: string): void {
    const lasts = (this.#grants.get(of) ?? []).filter(grant => grant.process.now() < grant.until);
    if (!lasts.some(grant => grant.process === process))
      this.#fail('L', `${process.name} sends ${what} without a lease`);
    const other = lasts.find(grant => grant.process !== process);
    if (other)
      this.#fail('L', `${process.name} sends ${what} while ${other.process.name} holds the lease`);
  }
}

/** Observes every replay runner, and reports what it must not do. */
export class ReplayWatch {
  readonly leases: Leases;
  readonly #fail: Fail;
  readonly #ended = new Set<string>();
  readonly #begun = new Map<string, () => void>();
  /** Sends of a process for a replay that had ended. */
  readonly #late = new Map<string, number>();

  constructor(fail: Fail) {
    this.#fail = fail;
    this.leases = new Leases(fail);
  }

  /** Settles when something is sent for a replay. */
  begins(replay: string): Promise<void> {
    return new Promise(resolve => this.#begun.set(replay, resolve));
  }

  ended(replay: string): void {
    this.#ended.add(replay);
  }

  /** C: a cancelled replay sends at most one more page. */
  sends(replay: string, process: Process, pageSize: number): void {
    this.#begun.get(replay)?.();
    this.leases.check(replay, process, `for the replay ${replay}`);
    if (!this.#ended.has(replay)) return;
    const key = `${replay} ${process.name}`;
    const late = (this.#late.get(key) ?? 0) + 1;
    this.#late.set(key, late);
    if (late > pageSize) this.#fail('C', `${process.name} goes on with ${replay}, which has ended`);
  }
}
