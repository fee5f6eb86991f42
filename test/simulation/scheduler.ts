import type { Random } from './random.ts';

interface Step {
  readonly at: number;
  /** Breaks ties at random. */
  readonly order: number;
  run(): void;
}

/**
 * Virtual time: scheduled steps run one at a time, in the order of their times. Between two steps
 * all code that can run does. The same seed gives the same run.
 */
export class Scheduler {
  readonly random: Random;
  /** Epoch milliseconds. */
  now: number;
  steps = 0;
  readonly #steps: Step[] = [];

  constructor(random: Random, now: number) {
    this.random = random;
    this.now = now;
  }

  /** Runs something after so many milliseconds. */
  after(milliseconds: number, run: () => void): void {
    this.#steps.push({ at: this.now + Math.max(0, milliseconds), order: this.random.next(), run });
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
      const step = this.#next();
      if (step === undefined) throw new Error('The simulation hangs: nothing is left to run.');
      this.steps += 1;
      if (this.steps > maxSteps)
        throw new Error(`The simulation does not end after ${maxSteps} steps.`);
      this.now = Math.max(this.now, step.at);
      step.run();
    }
  }

  #next(): Step | undefined {
    let first = 0;
    for (const [index, { at, order }] of this.#steps.entries()) {
      const best = this.#steps[first];
      if (best && (at < best.at || (at === best.at && order < best.order))) first = index;
    }
    return this.#steps.splice(first, 1)[0];
  }
}
