/**
 * When a consumer may send its next requests: a pure function of time and of what it sent before.
 * The Python client has the same, and both run clients/cases/pace.json.
 *
 * All systems behind one address share 600 requests a minute. Eight consumers with this budget and
 * a producer of five messages a second stay below that.
 */
export interface Pace {
  readonly requestsPerMinute: number;
  /** Requests that may go at once. A consumer that lags goes on below 0, and saves later. */
  readonly budget: number;
  /** Epoch milliseconds at which that was the budget. */
  readonly at: number;
  /** Epoch milliseconds: until then, after a 429, half of the budget must do. */
  readonly slowUntil: number;
}

export const defaultRequestsPerMinute = 36;

const minute = 60_000;
const maxBudget = 3;
const maxDebt = 6;

export const paceFrom = (requestsPerMinute: number, now: number): Pace => ({
  requestsPerMinute,
  budget: maxBudget,
  at: now,
  slowUntil: 0,
});

const refilled = (pace: Pace, now: number): Pace => {
  if (pace.requestsPerMinute === Number.POSITIVE_INFINITY) return { ...pace, at: now };
  // A clock may be set back.
  const passed = Math.max(0, now - pace.at);
  const slow = Math.min(passed, Math.max(0, pace.slowUntil - pace.at));
  const earned = ((passed - slow / 2) * pace.requestsPerMinute) / minute;
  return { ...pace, budget: Math.min(maxBudget, pace.budget + earned), at: now };
};

export const afterRequest = (pace: Pace, now: number): Pace => {
  const { budget, ...rest } = refilled(pace, now);
  return { ...rest, budget: Math.max(-maxDebt, budget - 1) };
};

/** After a 429: a minute at half the speed, whatever waits. */
export const afterLimit = (pace: Pace, now: number): Pace => {
  const { budget, ...rest } = refilled(pace, now);
  return { ...rest, budget: Math.min(0, budget), slowUntil: now + minute };
};

/**
 * Milliseconds until so many requests may go.
 *
 * @param isLagging the last pull was full: more messages wait, and none of them for the budget
 */
export const pauseBefore = (
  pace: Pace,
  requests: number,
  isLagging: boolean,
  now: number,
): number => {
  const { requestsPerMinute, budget, slowUntil } = refilled(pace, now);
  const isSlow = now < slowUntil;
  if (isLagging && !isSlow) return 0;
  const missing = Math.max(0, requests - budget);
  const speed = isSlow ? requestsPerMinute / 2 : requestsPerMinute;
  return (missing * minute) / speed;
};
