import type { Random } from './random.ts';

interface Step {
  readonly at: number;
  /** Breaks ties at random. */
  readonly order: number;
  run(): void;
}

/**
 * Virtual time: scheduled steps run one at a time, in the order of their times. Between two steps all code that can run does.
 * The same seed gives the same run.
 */
export class Scheduler {
  readonly random: Random;
  /** Epoch milliseconds. */
  now: number;
  steps = 0;
  readonly #heap: Step[] = [];

  constructor(random: Random, now: number) {
    this.random = random;
    this.now = now;
  }

  /** Runs something after so many milliseconds. */
  after(milliseconds: number, run: () => void): void {
    this.#push({ at: this.now + Math.max(0, milliseconds), order: this.random.next(), run });
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise(resolve => this.after(milliseconds, resolve));
  }

  /** Steps until nothing is left to do, or until a promise is settled. */
  async run(until: Promise<unknown>, maxSteps: number): Promise<void> {
    let settled = false;
    let fault: unknown;
    until.then(
      () => {
        settled = true;
      },
      reason => {
        settled = true;
        fault = reason ?? new Error('The simulated program failed.');
      },
    );
    for (;;) {
      await new Promise(setImmediate);
      if (fault !== undefined) throw fault;
      if (settled) return;
      const step = this.#pop();
      if (step === undefined) throw new Error('The simulation hangs: nothing is left to run.');
      this.steps += 1;
      if (this.steps > maxSteps) throw new Error(`The simulation does not end after ${maxSteps} steps.`);
      this.now = Math.max(this.now, step.at);
      step.run();
    }
  }

  #before(a: Step, b: Step): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #push(step: Step): void {
    const heap = this.#heap;
    heap.push(step);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      const [low, high] = [heap[child], heap[parent]];
      if (low === undefined || high === undefined || !this.#before(low, high)) return;
      heap[child] = high;
      heap[parent] = low;
      child = parent;
    }
  }

  #pop(): Step | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const children = [2 * parent + 1, 2 * parent + 2].filter(index => index < heap.length);
      const min = children.reduce((best, index) => {
        const [a, b] = [heap[index], heap[best]];
        return a !== undefined && b !== undefined && this.#before(a, b) ? index : best;
      }, parent);
      if (min === parent) return first;
      const [a, b] = [heap[parent], heap[min]];
      if (a === undefined || b === undefined) return first;
      heap[parent] = b;
      heap[min] = a;
      parent = min;
    }
  }
}
