/**
 * What an environment is made for. Numbers that depend on it are computed from it: whoever expects
 * more changes these, and raises the account's quotas.
 */
export const capacity = {
  /** Newsrooms at the same time. */
  houses: 40,
  /** Consumers of each that poll at the same time, one poll each. */
  consumersOfHouse: 8,
  /** The share of what there is that may be in use before the operator is told. */
  toldAt: 0.8,
} as const;

/** Polls that wait when the environment is as full as it was made for. */
const waitingPolls = capacity.houses * capacity.consumersOfHouse;

/** Copies of the function that polls wait in. */
export const pollCopies = Math.ceil(waitingPolls / capacity.toldAt);
