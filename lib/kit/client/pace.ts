/**
 * When a consumer may send its next requests: a pure function of time and of what it did before.
 * The Python client has the same, and both run clients/cases/pace.json.
 *
 * All systems behind one address share 600 requests a minute, publishes included. So messages cost
 * budget, too: each was published, perhaps behind the same address.
 */
export interface Pace {
  readonly requestsPerMinute: number;
  /** Requests that may go at once; below 0 after some that could not wait. */
  readonly budget: number;
  /** Epoch milliseconds at which that was the budget. */
  readonly at: number;
  /** How many times as fast it goes because it lags, from 1. */
  readonly haste: number;
  /** The share of its speed that it uses after a 429, until `slowUntil`, up to 1. */
  readonly share: number;
  /** Epoch milliseconds. */
  readonly slowUntil: number;
}

export const defaultRequestsPerMinute = 40;

const minute = 60_000;
/** What a message costs of the budget: at five a second, six requests a minute. */
const messageCost = 1 / 50;
/** After silence, a pull of ten messages, and an ack and a pull. */
const maxBudget = 3 + 10 * messageCost;
/** A consumer lags if the messages that it gets are older, and more wait. */
const lagMilliseconds = 30_000;
const maxHaste = 4;
/** After each 429: the part of the speed that is left, its minimum, and for how long. */
const afterRefusal = { share: 0.8, minShare: 0.25, milliseconds: 5 * minute };

export const paceFrom = (requestsPerMinute: number, now: number): Pace => ({
  requestsPerMinute,
  budget: maxBudget,
  at: now,
  haste: 1,
  share: 1,
  slowUntil: now,
});

const refilled = (pace: Pace, now: number): Pace => {
  const { requestsPerMinute, haste, share } = pace;
  if (requestsPerMinute === Number.POSITIVE_INFINITY) return pace;
  // A clock may be set back.
  const passed = Math.max(0, now - pace.at);
  const slow = Math.min(passed, pace.slowUntil - pace.at);
  const earned = ((passed - slow + slow * share) * requestsPerMinute * haste) / minute;
  return {
    ...pace,
    budget: Math.min(maxBudget, pace.budget + earned),
    at: now,
    share: now < pace.slowUntil ? share : 1,
  };
};

/** It owes a minute's requests at most: a program may acknowledge as often as it likes. */
const charged = (pace: Pace, cost: number): Pace => ({
  ...pace,
  budget: Math.max(-pace.requestsPerMinute, pace.budget - cost),
});

export const afterRequest = (pace: Pace, now: number): Pace => charged(refilled(pace, now), 1);

/**
 * @param lag how old the newest of the messages is, in milliseconds; 0 if no more of them wait
 */
export const afterPull = (pace: Pace, messages: number, lag: number, now: number): Pace => {
  const haste = Math.min(maxHaste, Math.max(1, lag / lagMilliseconds));
  return charged({ ...refilled(pace, now), haste }, messages * messageCost);
};

/** After a 429: several minutes at a part of the speed, which is less after each further one. */
export const afterLimit = (pace: Pace, now: number): Pace => {
  const { budget, share, ...rest } = refilled(pace, now);
  return {
    ...rest,
    budget: Math.min(0, budget),
    share: Math.max(afterRefusal.minShare, share * afterRefusal.share),
    slowUntil: now + afterRefusal.milliseconds,
  };
};

/** Milliseconds until so many requests may go. */
export const pauseBefore = (pace: Pace, requests: number, now: number): number => {
  const { requestsPerMinute, haste, budget, share, slowUntil } = refilled(pace, now);
  const missing = Math.max(0, requests - budget);
  const atFullSpeed = (missing * minute) / (requestsPerMinute * haste);
  const slow = Math.max(0, slowUntil - now);
  return Math.min(atFullSpeed / share, atFullSpeed + slow * (1 - share));
};
