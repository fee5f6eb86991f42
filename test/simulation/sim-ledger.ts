import type { ReceiptGroup } from '../../lib/bus/consuming/receipts.ts';
import {
  type AcceptedId,
  type Commit,
  type CommitConflict,
  type Correlation,
  type Entry,
  emptyHead,
  type Head,
  type Lease,
  type LedgerKey,
  type LedgerState,
  type PendingLog,
  type Progress,
  type StoredStory,
  takeoverTime,
} from '../../lib/bus/delivery/log.ts';
import type { ArchiveSummary, Replay } from '../../lib/bus/replay/replay.ts';
import { limits } from '../../lib/contract/limits.ts';

/** What a faulty ledger would leave out. With all of them true the ledger is correct. */
export const rightRules = {
  /** Commits hold only if what they read is unchanged. */
  conditions: true,
  /** An expired id counts as absent in the commit's condition. */
  expiryInCondition: true,
  /** The story's state is part of the transaction. */
  storyInside: true,
  /** A lease keeps others out. */
  leases: true,
  /** A lease keeps others out until its end, at least. */
  expiryOfLeases: true,
  /** `published` moves when the entry was sent, not when it is committed. */
  publishedAfterSend: true,
};

export type LedgerRules = Readonly<typeof rightRules>;

/** With the time (epoch milliseconds) at which it is free again. */
interface StoredId extends AcceptedId {
  readonly expiresAt: number;
}

interface StoredHead {
  head: Head;
  /** Present while something is unsent. */
  dueAt?: number;
}

export type Story = StoredStory;

export const logKey = ({ workspace, correlationId }: Correlation): string =>
  `${workspace}#${correlationId}`;

const position = ({ acceptedAt, correlationId, number }: Entry): string =>
  `${String(acceptedAt).padStart(16, '0')}#${correlationId}#${String(number).padStart(16, '0')}`;

/**
 * The ledger of one simulated world: every method is one atomic moment. It never deletes expired
 * ids.
 */
export class SimLedger {
  readonly rules: LedgerRules;
  readonly ids = new Map<string, StoredId>();
  readonly heads = new Map<string, StoredHead>();
  readonly stories = new Map<string, Story>();
  readonly groups = new Map<string, ReceiptGroup>();
  readonly replays = new Map<string, Replay>();
  /** Every committed entry in the order of the commits, with what was committed with it. */
  readonly committed: { readonly commit: Commit; readonly at: number }[] = [];
  /** By the entries' places in the archive. */
  readonly committedAt = new Map<string, number>();
  readonly skipped = new Set<string>();
  readonly reached = new Set<string>();
  readonly #logs = new Map<string, Entry[]>();

  constructor(rules: LedgerRules = rightRules) {
    this.rules = rules;
  }

  id(workspace: string, messageId: string, now: number): LedgerState['accepted'] {
    const stored = this.ids.get(`${workspace}#${messageId}`);
    if (stored === undefined || stored.expiresAt <= now) return undefined;
    const { expiresAt: _end, ...accepted } = stored;
    return accepted;
  }

  bodyOf({ number, ...log }: Correlation & { readonly number: number }): Uint8Array | undefined {
    return this.entries(log, number, number)[0]?.body;
  }

  head(log: Correlation): Head {
    const head = this.heads.get(logKey(log))?.head ?? emptyHead;
    if (this.rules.leases || head.lease === undefined) return head;
    const { lease: _unseen, ...rest } = head;
    return rest;
  }

  story(key: Pick<LedgerKey, 'workspace' | 'storyId'>): Story | undefined {
    return key.storyId === undefined
      ? undefined
      : this.stories.get(`${key.workspace}#${key.storyId}`);
  }

  commit(commit: Commit, at: number): CommitConflict | undefined {
    const conflict = this.#conflictOf(commit);
    if (conflict.id || conflict.head || conflict.story) return conflict;
    this.#write(commit, at);
    return undefined;
  }

  #conflictOf({ entry, head, lease, story }: Commit): CommitConflict {
    if (!this.rules.conditions) return { id: false, head: false, story: false };
    const key = `${entry.workspace}#${entry.messageId}`;
    const id = this.ids.get(key);
    const idFree =
      id === undefined || (this.rules.expiryInCondition && id.expiresAt <= entry.acceptedAt);
    const stored = this.head(entry);
    const sameLease =
      lease === undefined ||
      !this.rules.leases ||
      (stored.lease?.owner === head.lease?.owner && stored.lease?.until === head.lease?.until);
    const sameHead = stored.last === head.last && stored.published === head.published && sameLease;
    const version =
      story === undefined
        ? 0
        : (this.story({ ...entry, storyId: story.state.storyId })?.version ?? 0);
    return {
      id: !idFree,
      head: !sameHead,
      story: this.rules.storyInside && story !== undefined && version !== story.version,
    };
  }

  #write(commit: Commit, at: number): void {
    const { entry, bodyHash, attempt, head, lease, story } = commit;
    const key = logKey(entry);
    this.ids.set(`${entry.workspace}#${entry.messageId}`, {
      messageId: entry.messageId,
      bodyHash,
      attempt,
      correlationId: entry.correlationId,
      number: entry.number,
      expiresAt: entry.acceptedAt + limits.idempotencySeconds * 1000,
    });
    const before = this.heads.get(key);
    const kept = lease ?? before?.head.lease;
    this.heads.set(key, {
      head: {
        last: entry.number,
        published: this.rules.publishedAfterSend ? head.published : entry.number,
        lastAcceptedAt: entry.acceptedAt,
        unsentSince: before?.head.unsentSince ?? entry.acceptedAt,
        ...(kept ? { lease: kept } : {}),
      },
      dueAt: before?.dueAt ?? entry.acceptedAt,
    });
    const log = this.#logs.get(key) ?? [];
    log[entry.number - 1] = entry;
    this.#logs.set(key, log);
    if (story && this.rules.storyInside) this.writeStory(entry.workspace, story);
    this.committed.push({ commit, at });
    this.committedAt.set(position(entry), at);
  }

  writeStory(workspace: string, story: Story): void {
    const key = `${workspace}#${story.state.storyId}`;
    this.stories.set(key, { ...story, version: story.version + 1 });
  }

  entries(log: Correlation, from: number, to: number): readonly Entry[] {
    const found = (this.#logs.get(logKey(log)) ?? [])
      .slice(from - 1, to)
      .slice(0, limits.entriesPerPage);
    return found.map(entry => ({
      ...entry,
      targets: entry.targets.filter(
        ({ connection }) => !this.reached.has(`${position(entry)}#${connection}`),
      ),
    }));
  }

  acquire(log: Correlation, lease: Lease, now: number): Head | undefined {
    const stored = this.heads.get(logKey(log));
    if (stored === undefined || stored.head.published >= stored.head.last) return undefined;
    const { lease: held } = stored.head;
    const free =
      held === undefined ||
      (held.owner === lease.owner && held.until < lease.until) ||
      held.until <= takeoverTime(now) ||
      !this.rules.expiryOfLeases ||
      !this.rules.leases;
    if (!free) return undefined;
    stored.head = { ...stored.head, lease };
    return stored.head;
  }

  release(log: Correlation, lease: Lease, { published, unsentSince, dueAt }: Progress): boolean {
    const stored = this.heads.get(logKey(log));
    if (stored === undefined) return false;
    const { lease: held, unsentSince: _before, ...head } = stored.head;
    const holds = held?.owner === lease.owner && held.until === lease.until;
    if (!holds && this.rules.leases) return false;
    if (published < head.published) return false;
    const isLeft = published < head.last;
    stored.head = { ...head, published, ...(isLeft ? { unsentSince } : {}) };
    if (isLeft) stored.dueAt = dueAt;
    else delete stored.dueAt;
    return true;
  }

  reach(entry: Entry, connections: readonly string[]): void {
    for (const connection of connections) this.reached.add(`${position(entry)}#${connection}`);
  }

  skip(entry: Entry, connections: readonly string[]): void {
    for (const connection of connections) this.skipped.add(`${entry.messageId}#${connection}`);
  }

  pending(until: number, max: number): readonly PendingLog[] {
    const found = [...this.heads].flatMap(([key, { dueAt }]) => {
      const [workspace = '', correlationId = ''] = key.split('#');
      return dueAt === undefined || dueAt > until ? [] : [{ workspace, correlationId, dueAt }];
    });
    return found.sort((a, b) => a.dueAt - b.dueAt).slice(0, max);
  }

  page(
    range: { workspace: string; from: number; to: number; after?: string },
    max: number,
    isIndexed: (position: string) => boolean = () => true,
  ): readonly ArchiveSummary[] {
    const places = [...this.#logs.values()]
      .flat()
      .filter(
        ({ workspace, acceptedAt }) =>
          workspace === range.workspace && acceptedAt >= range.from && acceptedAt < range.to,
      )
      .map(entry => ({ ...entry, position: position(entry) }))
      .filter(place => range.after === undefined || place.position > range.after)
      .filter(place => isIndexed(place.position))
      .sort((a, b) => (a.position < b.position ? -1 : 1));
    return places.slice(0, max);
  }
}
