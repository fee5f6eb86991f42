import { useEffect, useMemo } from 'react';
import { call, type Failure } from '../page/call.ts';
import { type Cell, cell } from '../page/cell.ts';
import { type Lines, maxLines, merge, pollAfter, pollPause } from './lines.ts';

/** What the reader wants to see, as the call takes it. */
export type FeedQuery = Readonly<Record<string, string>>;

/** The activity of a workspace while somebody looks at it. */
export interface Feed {
  /** Undefined until the first page is there. */
  readonly lines: Cell<Lines | undefined>;
  /** New lines that wait until the reader wants them, so that nothing jumps. */
  readonly waiting: Cell<Lines>;
  readonly failure: Cell<Failure | undefined>;
  readonly isPaused: Cell<boolean>;
  /** Where the page after the last line begins; undefined if there is none. */
  readonly next: Cell<string | undefined>;
  /** How far back was searched, if there is a next page. */
  readonly searchedTo: Cell<string | undefined>;
  /** Lines that came while nobody looked, and are more than one poll reads. */
  readonly gap: Cell<Gap | undefined>;
  showWaiting(): void;
  fillGap(): Promise<void>;
  readOlder(): Promise<void>;
  start(): () => void;
}

/** Between two positions there are lines that were not read. */
export interface Gap {
  readonly after: string;
  readonly before: string;
}

/**
 * Pages that one look reads at most: each of them may be a few days without lines, or thousands of
 * lines that do not fit.
 */
const maxPages = 12;

/** The first look reads on until it has so many. */
const firstLines = 20;

/** Pages that one poll reads at most, after a pause. */
const pollPages = 3;

/** When the reader last did something; epoch milliseconds. */
let lastInput = Date.now();
for (const name of ['pointerdown', 'pointermove', 'keydown', 'scroll'])
  addEventListener(name, () => (lastInput = Date.now()), { passive: true });

const isReading = (): boolean => scrollY > 120;

class LiveFeed implements Feed {
  readonly lines = cell<Lines | undefined>(undefined);
  readonly waiting = cell<Lines>([]);
  readonly failure = cell<Failure | undefined>(undefined);
  readonly isPaused = cell(false);
  readonly next = cell<string | undefined>(undefined);
  readonly searchedTo = cell<string | undefined>(undefined);
  readonly gap = cell<Gap | undefined>(undefined);
  readonly #workspace: string;
  readonly #wanted: FeedQuery;
  #failures = 0;
  #timer = 0;
  #isOver = false;

  constructor(workspace: string, wanted: FeedQuery) {
    this.#workspace = workspace;
    this.#wanted = wanted;
  }

  showWaiting(): void {
    const all = merge(this.lines.value ?? [], this.waiting.value);
    this.lines.value = all.slice(0, maxLines);
    this.waiting.value = [];
    // What is cut off is read again when somebody asks for older lines.
    if (all.length <= maxLines) return;
    const last = this.lines.value.at(-1);
    this.next.value = last?.position;
    this.searchedTo.value = last?.at;
  }

  readOlder(): Promise<void> {
    return this.#readUntil(this.next.value, (this.lines.value?.length ?? 0) + 1);
  }

  start(): () => void {
    this.#isOver = false;
    void this.#turn();
    const shown = () => {
      if (!document.hidden) void this.#turn();
    };
    document.addEventListener('visibilitychange', shown);
    return () => {
      this.#isOver = true;
      clearTimeout(this.#timer);
      document.removeEventListener('visibilitychange', shown);
    };
  }

  /** Reads, and sets the time of the next turn; none while nobody sees the page. */
  async #turn(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.lines.value === undefined) await this.#readUntil(this.#wanted['before'], firstLines);
    else await this.#poll();
    if (this.#isOver || document.hidden) return;

    const pause = pollPause({ idleMilliseconds: Date.now() - lastInput, failures: this.#failures });
    const failure = this.failure.value;
    const wanted = failure?.kind === 'busy' ? (failure.seconds ?? 0) * 1000 : 0;
    this.#timer = setTimeout(() => void this.#turn(), Math.max(pause, wanted));
  }

  async #page(range: FeedQuery) {
    const query = { ...this.#wanted, ...range };
    const reply = await call('workspace.activity', { names: { w: this.#workspace }, query });
    if (this.#isOver) return undefined;
    if (reply.kind !== 'ok') {
      this.#failures += 1;
      this.failure.value = reply;
      return undefined;
    }
    this.#failures = 0;
    this.failure.value = undefined;
    return reply.value;
  }

  /**
   * Reads on until so many lines are known. A page may be empty, and a day without lines is a page
   * of its own.
   */
  async #readUntil(from: string | undefined, count: number): Promise<void> {
    let before = from;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const page = await this.#page(before === undefined ? {} : { before });
      if (!page) return;
      this.lines.value = merge(this.lines.value ?? [], page.activity);
      this.next.value = page.next;
      this.searchedTo.value = page.searched_to;
      before = page.next;
      if (before === undefined || (this.lines.value?.length ?? 0) >= count) return;
    }
  }

  /**
   * The lines after a position, over as many pages as they need; `next` if they need more than one
   * look reads.
   */
  async #since(
    after: string | undefined,
    from: string | undefined,
  ): Promise<{ readonly lines: Lines; readonly next: string | undefined } | undefined> {
    let lines: Lines = [];
    let before = from;
    for (let pages = 0; pages < pollPages; pages += 1) {
      const range = {
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
      };
      const page = await this.#page(range);
      if (!page) return undefined;
      lines = merge(lines, page.activity);
      before = page.next;
      if (before === undefined || after === undefined) return { lines, next: undefined };
    }
    return { lines, next: before };
  }

  async fillGap(): Promise<void> {
    const gap = this.gap.value;
    if (!gap) return;
    const read = await this.#since(gap.after, gap.before);
    if (!read) return;
    this.lines.value = merge(this.lines.value ?? [], read.lines);
    this.gap.value = read.next === undefined ? undefined : { ...gap, before: read.next };
  }

  async #poll(): Promise<void> {
    if (this.isPaused.value || this.#wanted['before'] !== undefined) return;
    const known = merge(this.lines.value ?? [], this.waiting.value);
    const after = pollAfter(known);
    const read = await this.#since(after, undefined);
    if (!read) return;
    const positions = new Set(known.map(({ position }) => position));
    const changed = read.lines.filter(({ position }) => positions.has(position));
    const shown = new Set(this.lines.value?.map(({ position }) => position));
    this.lines.value = merge(
      this.lines.value ?? [],
      changed.filter(({ position }) => shown.has(position)),
    );
    const added = read.lines.filter(({ position }) => !positions.has(position));
    if (after !== undefined && read.next !== undefined)
      this.gap.value = { after: this.gap.value?.after ?? after, before: read.next };
    if (added.length === 0) return;
    this.waiting.value = merge(this.waiting.value, added);
    if (!isReading()) this.showWaiting();
  }
}

/**
 * The last feed, for whoever comes back to it: the lines are still there, and what came meanwhile
 * is read.
 */
let last: { readonly key: string; readonly feed: LiveFeed } | undefined;

const feedOf = (key: string, workspace: string, wanted: FeedQuery): LiveFeed => {
  if (last?.key !== key) last = { key, feed: new LiveFeed(workspace, wanted) };
  return last.feed;
};

/** The feed of a workspace, which is read as long as the page shows what is wanted. */
export const useFeed = (workspace: string, wanted: FeedQuery): Feed => {
  const key = JSON.stringify([workspace, wanted]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is wanted
  const feed = useMemo(() => feedOf(key, workspace, wanted), [key]);
  useEffect(() => feed.start(), [feed]);
  return feed;
};
