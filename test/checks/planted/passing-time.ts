import type { checkedBus } from '../checked-bus.ts';

type CheckedBus = Pick<Awaited<ReturnType<typeof checkedBus>>, 'clock' | 'service'>;

/**
 * A request that is answered at once takes fewer looks; one that takes more waits for the clock.
 */
const looks = 50;
const turnMilliseconds = 1_000;

/**
 * Lets the bus's clock turn while something waits for it, such as a long poll or a response that is
 * to be slow.
 */
export const whileTimePasses = async <Result>(
  { clock, service }: CheckedBus,
  work: Promise<Result>,
): Promise<Result> => {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // A rejection belongs to whoever awaits the result below.
  done.catch(() => undefined);
  for (let look = 0; !isDone; look += 1) {
    if (look > looks) clock.turn(turnMilliseconds);
    // Whatever becomes of it: the bus has had its turn.
    await fetch(`${service.baseUrl}/health`)
      .then(response => response.text())
      .catch(() => undefined);
  }
  return done;
};

/** A signal that aborts when the bus's clock says so. */
export const timeoutOn =
  ({ clock }: CheckedBus) =>
  (milliseconds: number): AbortSignal => {
    const controller = new AbortController();
    clock.after(milliseconds, () => controller.abort(new Error('timeout')));
    return controller.signal;
  };
