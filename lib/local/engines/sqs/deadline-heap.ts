interface Deadline {
  readonly at: number;
  readonly sequence: number;
}

/** Points in time, each with a message's sequence number; the earliest first. Stale ones are the reader's to skip. */
export class DeadlineHeap {
  readonly #heap: Deadline[] = [];

  get earliest(): number | undefined {
    return this.#heap[0]?.at;
  }

  push(at: number, sequence: number): void {
    const heap = this.#heap;
    const added = { at, sequence };
    let index = heap.length;
    heap.push(added);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= at) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = added;
  }

  /** Takes the earliest out if it is not after `now`. */
  popDue(now: number): number | undefined {
    const due = this.#heap[0];
    if (due === undefined || due.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return due.sequence;
  }

  #sink(item: Deadline): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= item.at) break;
      heap[index] = child;
      index = 2 * index + (child === right ? 2 : 1);
    }
    heap[index] = item;
  }
}
