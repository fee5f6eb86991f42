/** Time for the engines: tests drive it, `systemClock` is the machine's. */
export interface EngineClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `task` once, `milliseconds` from now, and answers with what cancels it. */
  after(milliseconds: number, task: () => void): () => void;
}

export const systemClock: EngineClock = {
  now: Date.now,
  after(milliseconds, task) {
    const timer = setTimeout(task, milliseconds);
    return () => clearTimeout(timer);
  },
};
