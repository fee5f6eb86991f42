/** Runs a task now, or in its turn. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Lets so many tasks run at once; the others wait, in the order in which they came. */
export const turns = (most: number): InTurn => {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = async (): Promise<void> => {
    if (running === most) return new Promise(resolve => waiting.push(resolve));
    running += 1;
  };
  const end = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async task => {
    await turn();
    try {
      return await task();
    } finally {
      end();
    }
  };
};
