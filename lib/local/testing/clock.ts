import type { EngineClock } from '../engines/machine.ts';

interface Task {
  /** Epoch milliseconds, of this clock. */
  readonly due: number;
  run(): void;
}

/** setTimeout's longest: a later task looks again then. */
const maxTimerMilliseconds = 2 ** 31 - 1;

/** A clock that runs like the machine's, and can be turned forward. */
export class TurnableClock implements EngineClock {
  #ahead = 0;
  #closed = false;
  readonly #tasks = new Map<Task, NodeJS.Timeout>();

  now = (): number => Date.now() + this.#ahead;

  after(milliseconds: number, run: () => void): () => void {
    const task = { due: this.now() + milliseconds, run };
    this.#wait(task);
    return () => this.#forget(task);
  }

  /** As long as this clock says: a turn ends it. */
  sleep = (milliseconds: number): Promise<void> =>
    new Promise(resolve => {
      this.after(milliseconds, resolve);
    });

  /** Turns forward, and does what has become due, in its order. */
  turn(milliseconds: number): void {
    this.#ahead += milliseconds;
    const due = [...this.#tasks.keys()].filter(task => task.due <= this.now());
    for (const task of due.sort((one, other) => one.due - other.due)) this.#run(task);
    for (const task of [...this.#tasks.keys()]) this.#wait(task);
  }

  /** Drops what is not done yet, and all that comes later: nothing keeps the process alive. */
  close(): void {
    this.#closed = true;
    for (const task of [...this.#tasks.keys()]) this.#forget(task);
  }

  #wait(task: Task): void {
    clearTimeout(this.#tasks.get(task));
    if (this.#closed) return;
    const rest = Math.max(0, Math.min(maxTimerMilliseconds, task.due - this.now()));
    this.#tasks.set(
      task,
      setTimeout(() => (task.due <= this.now() ? this.#run(task) : this.#wait(task)), rest),
    );
  }

  #run(task: Task): void {
    if (!this.#tasks.has(task)) return;
    this.#forget(task);
    task.run();
  }

  #forget(task: Task): void {
    clearTimeout(this.#tasks.get(task));
    this.#tasks.delete(task);
  }
}
