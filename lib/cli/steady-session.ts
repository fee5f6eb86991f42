import type { BusAccount } from './account.ts';
import { type BusAnswer, reasonOf } from './bus-answer.ts';
import { type BusSession, openSession } from './bus-client.ts';

/** How a session waits, and where it says so. */
export interface Waiting {
  pause(seconds: number): Promise<void>;
  say(line: string): void;
}

type Call = () => Promise<BusAnswer>;

/** About five minutes in all. */
const maxAttempts = 10;
const maxPauseSeconds = 60;

const backoffSeconds = (attempt: number): number => Math.min(2 ** (attempt - 1), maxPauseSeconds);

/** How long to wait before the next attempt; undefined when waiting does not help, as with a daily quota. */
const pauseAfter = ({ status, headers }: BusAnswer, attempt: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined;
  const wanted = Number(headers.get('retry-after') ?? backoffSeconds(attempt));
  return wanted <= maxPauseSeconds ? wanted : undefined;
};

/** Calls until the answer is final. An unreachable bus is retried only if it was reached before. */
const persistently = async (call: Call, { pause, say }: Waiting, reached: boolean): Promise<BusAnswer> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await call().catch((fault: unknown) => {
      if (!reached || attempt === maxAttempts || !(fault instanceof Error)) throw fault;
      return fault;
    });
    const isFault = outcome instanceof Error;
    const seconds = isFault ? backoffSeconds(attempt) : pauseAfter(outcome, attempt);
    if (!isFault && (seconds === undefined || attempt === maxAttempts)) return outcome;
    say(`retrying in ${seconds} s: ${isFault ? outcome.message : reasonOf(outcome)}`);
    await pause(seconds ?? 0);
  }
};

/**
 * A session that outlives its tokens and the bus's outages: it renews a refused token once, and waits while the bus is
 * busy or unreachable.
 *
 * @throws Refused when the bus issues no token
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
