import type { StoredBody } from '../../../lib/engines/journal/frame.ts';
import { type Journal, openJournal } from '../../../lib/engines/journal/journal.ts';
import { FrozenClock } from './frozen-clock.ts';

export interface Kept {
  readonly name: string;
  readonly stored: StoredBody;
}

/** A journal of named bodies, its state being the list of them. */
export class JournalBench {
  readonly folder: string;
  readonly clock = new FrozenClock();
  readonly faults: unknown[] = [];
  kept: Kept[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  open(compactionBytes?: number): Promise<Journal> {
    this.kept = [];
    return openJournal({
      folder: this.folder,
      clock: this.clock,
      apply: (meta, stored) => this.#apply(meta, stored),
      snapshot: () => this.kept.map(({ name, stored }) => ({ meta: { name }, body: stored })),
      onFault: fault => this.faults.push(fault),
      ...(compactionBytes === undefined ? {} : { compactionBytes }),
    });
  }

  put(journal: Journal, name: string, body: string): StoredBody {
    const stored = journal.append({ name }, Buffer.from(body));
    this.#keep(name, stored);
    return stored;
  }

  drop(journal: Journal, name: string): void {
    journal.append({ dropped: name });
    this.kept = this.kept.filter(kept => kept.name !== name);
  }

  /** What the journal now says, by name. */
  async bodies(journal: Journal): Promise<Record<string, string>> {
    const bodies = this.kept.map(async ({ name, stored }) => [name, String(await journal.read(stored))]);
    return Object.fromEntries(await Promise.all(bodies));
  }

  #apply(meta: unknown, stored: StoredBody): void {
    if (typeof meta !== 'object' || meta === null) throw new Error('not an object');
    if ('dropped' in meta) this.kept = this.kept.filter(({ name }) => name !== meta.dropped);
    else if ('name' in meta) this.#keep(String(meta.name), stored);
    else throw new Error('no name');
  }

  #keep(name: string, stored: StoredBody): void {
    this.kept = [...this.kept.filter(kept => kept.name !== name), { name, stored }];
  }
}
