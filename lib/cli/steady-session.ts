import type { BusAccount } from './bus-account.ts';
import { type BusAnswer, type BusSession, openSession, reasonOf } from './bus-session.ts';

/** How a session waits, and to whom it says so. */
export interface Waiting {
  pause(seconds: number): Promise<void>;
  say(line: string): void;
}

type Call = () => Promise<BusAnswer>;

/** Tries in a row: some five minutes. */
const attempts = 10;
const longestSeconds = 60;

/** How long to wait before the next try; undefined where the answer stands, as a day's quota does. */
const pauseAfter = ({ status, headers }: BusAnswer, attempt: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined;
  const wanted = Number(headers.get('retry-after') ?? Math.min(2 ** (attempt - 1), longestSeconds));
  return wanted <= longestSeconds ? wanted : undefined;
};

/** Calls until the answer stands. What cannot be reached is tried again only where the bus was reached before. */
const persistently = async (call: Call, { pause, say }: Waiting, reached: boolean): Promise<BusAnswer> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await call().catch((fault: unknown) => {
      if (!reached || attempt === attempts || !(fault instanceof Error)) throw fault;
      return fault;
    });
    const isFault = outcome instanceof Error;
    const seconds = isFault ? Math.min(2 ** (attempt - 1), longestSeconds) : pauseAfter(outcome, attempt);
    if (!isFault && (seconds === undefined || attempt === attempts)) return outcome;
    say(`waiting ${seconds} s: ${isFault ? outcome.message : reasonOf(outcome)}`);
    await pause(seconds ?? 0);
  }
};

/**
 * A session that outlives its tokens, and the bus's bad moments: it renews a token once when it is refused, and waits
 * when the bus is busy or gone.
 *
 * @throws Refused when the bus gives no token
 */
export const steadySession = async (account: BusAccount, waiting: Waiting): Promise<BusSession> => {
  let session = await openSession(account, call => persistently(call, waiting, false));
  const steadily = (call: Call): Promise<BusAnswer> => persistently(call, waiting, true);
  return {
    workspace: session.workspace,
    connection: session.connection,
    async call(path, body) {
      const answer = await steadily(() => session.call(path, body));
      if (answer.status !== 401) return answer;
      session = await openSession(account, steadily);
      return steadily(() => session.call(path, body));
    },
  };
};
