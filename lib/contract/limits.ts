export const daySeconds = 86_400;

export const dayMilliseconds = daySeconds * 1000;

/**
 * A whole number with commas, such as 240,000. The first `toLocaleString` of a process takes 15 ms,
 * which every cold start would pay.
 */
export const withCommas = (count: number): string => `${count}`.replace(/\B(?=(?:\d{3})+$)/g, ',');

export const limits = {
  messageBytes: 240_000,
  receiptsBytes: 240_000,
  proofBytes: 4_096,
  checkRequestBytes: 16 * 1024,
  messageDepth: 64,
  /** Of a system_id, a message type or a pattern of these. */
  nameCharacters: 256,
  violationsReported: 50,
  gatewayBodyBytes: 10 * 1024 * 1024,
  accessTokenSeconds: 3600,
  jwksCacheSeconds: 300,
  clockLeewaySeconds: 5,
  authoriserCacheSeconds: 10,
  registryCacheSeconds: 10,
  /** How long a process remembers the keys that seal receipt handles and positions. */
  sealCacheSeconds: 60,
  /** Publishes of one process within this time share one read of the workspace's consumers. */
  consumersCacheMilliseconds: 100,
  /**
   * Seven days, and an hour for clock differences and for the retry of a message sent at the last
   * moment.
   */
  idempotencySeconds: 7 * daySeconds + 3_600,
  queueRetentionSeconds: 14 * daySeconds,
  /**
   * A message that waits for as long has half of its queue's retention left: the operator is told.
   */
  unacknowledgedSeconds: 7 * daySeconds,
  pullMessages: { min: 1, max: 10, default: 10 },
  pullWaitSeconds: { min: 0, max: 20, default: 0 },
  /** After the first messages; with the wait for them, no longer than the longest wait. */
  pullCollectSeconds: { min: 0, max: 5, default: 0 },
  /** Polls of one connection that wait at the same time; a further one is answered at once. */
  waitingPolls: 3,
  pullVisibilitySeconds: { min: 10, max: 43_200, default: 60 },
  nackDelaySeconds: { min: 0, max: 43_200, default: 0 },
  /** Messages that one consumer skips; each is remembered as long as its queue can hold it. */
  skippedMessages: 20,
  /**
   * The time a release takes on its way, plus the difference between the clocks of functions and
   * queue.
   */
  releaseMarginSeconds: 10,
  receiptHandles: { min: 1, max: 100 },
  receiptHandleCharacters: 1024,
  /**
   * How long a used receipt is remembered after its message became visible again: an ack can be
   * repeated for as long.
   */
  receiptsKeptSeconds: daySeconds,
  secretOverlapSeconds: { min: 0, max: 30 * daySeconds },
  challengeSeconds: 900,
  /**
   * Cloud roles registered on one consumer: its queue's policy has 8,192 bytes, and names each role
   * twice.
   */
  rolesPerConsumer: 5,
  /** The minimum interval between two records of a secret's use. */
  secretUseSeconds: 60,
  unknownClientCounters: 1_024,
  tokenRequestBytes: 16 * 1024,
  /** How long a key is published before it may sign: longer than anyone caches the key set. */
  keyPublishedSeconds: 600,
  foreignKeys: { cacheSeconds: 300, retrySeconds: 30, fetchMilliseconds: 2_000, bytes: 64 * 1024 },
  /**
   * The time limit for recording what happened, including a second attempt: nobody waits longer for
   * it.
   */
  recordMilliseconds: 1_000,
  /**
   * Refused and repeated publishes of one connection that are kept one by one, per second; the
   * others are only counted.
   */
  attemptsKeptPerSecond: 10,
  refusedTextBytes: 32 * 1024,
  violationsKept: 20,
  /**
   * Pages of records that are read about the messages of one minute, where every consumer of a
   * workspace writes: of one consumer, of all, and in one request for several minutes. Of a
   * consumer that did more, the earliest is read; it hides nobody else's.
   */
  handledPages: { ofConsumer: 2, ofMinute: 12, ofRequest: 24 },
  /** Pages of other records that one read takes. */
  recordPages: 6,
  /**
   * Refusals and repeats that are told of one message, receives and replays of each of its
   * consumers: the latest.
   */
  attemptsTold: 20,
  queuesPerMessage: 8,
  /** Calls that are looked at for one consumer's messages in flight, the latest. */
  recordsInFlight: 1_000,
  /**
   * How long the counts of messages per connection are kept: a week, and what a day needs to be
   * summed up.
   */
  countsKeptDays: 9,
  pagesPerRequest: 20,
  /** The time limit for a send to a queue, including retries. */
  sendMilliseconds: 1_500,
  /** The time limit for one DynamoDB call, including its second attempt. */
  databaseMilliseconds: 2_500,
  /** How long a poll may take beyond its wait; it is not tried again for as long. */
  pollMarginMilliseconds: 3_000,
  /**
   * The longest that a batch of deletes or releases takes, a second attempt included, or the second
   * look of a poll.
   */
  settleMilliseconds: 3_000,
  /**
   * How long one sender may hold a correlation's log: longer than the longest send, short enough to
   * wait for.
   */
  leaseMilliseconds: 5_000,
  /**
   * The maximum difference between the clocks of two functions: a lease is taken over only this
   * long after its end.
   */
  clockSkewMilliseconds: 2_000,
  /** Partitions of the index of pending logs: each takes the commits of 500 messages a second. */
  pendingShards: 8,
  /** Entries read at once to be sent: bounds what a sender holds in memory. */
  entriesPerPage: 20,
  /** A log that is pending for less is left to its publisher. */
  relayAfterMilliseconds: 1_000,
  /** Logs that the relay works on at the same time. */
  relayWidth: 8,
  /** How many numbers of entries that expired unsent a log's head lists. */
  lostNumbers: 1_000,
  relayLogs: 2_000,
  /**
   * How long the relay leaves a stuck log alone: half the time that its oldest entry has waited,
   * within these bounds.
   */
  relayPauseMilliseconds: { min: 5_000, max: 600_000 },
  /** After this many failed sends to one queue, a run of the relay skips that queue. */
  relayQueueErrors: 3,
  /**
   * After so many failed sends in a row to one queue, publishes of the same process do not try that
   * queue for so long.
   */
  brokenQueue: { errors: 2, milliseconds: 30_000 },
  /** How long an entry is kept beyond the archive; if it is still unsent then, it expires. */
  entryGraceDays: 14,
  /** The maximum number of archived entries that a replay sends per second. */
  replayPerSecond: 50,
  /**
   * Entries that a replay handles between two saves of its progress: as many as DynamoDB reads in
   * one batch.
   */
  replayPage: 100,
  /**
   * The maximum number of correlations that a replay sets aside; beyond that, the replay itself
   * waits.
   */
  replayWaitingLogs: 100,
  /**
   * A commit may take this long from its time, and the archive's index a moment more: a replay
   * stays this far behind.
   */
  replayLagMilliseconds: 20_000,
  /**
   * A replay that has not ended by then fails: its consumer is paused, or a message cannot be sent.
   */
  replayMaxDays: 7,
  /** How long a runner may work on a replay without saving its progress. */
  replayLeaseMilliseconds: 30_000,
  /**
   * How long a publish waits for the queues before it returns 503, including its own sends:
   * outlasts a dead sender's lease, the skew, a pause and a send.
   */
  publishBudgetMilliseconds: 10_000,
  /**
   * First pause between two checks of a log that another sender has leased; doubles up to a second.
   */
  deliveryPollMilliseconds: 20,
  checks: {
    limitSeconds: { min: 5, max: 120, default: 30 },
    /** Nothing more may come for so long after a step. */
    quietSeconds: 10,
    parallelCases: 8,
    /** Of a house's own cases: as JSON, steps of one, and what they play together. */
    ownCaseBytes: 12 * 1024,
    ownSteps: 20,
    ownMessages: 1_000,
    ownMessageBytes: 4 * 1024 * 1024,
    floodMessages: 20,
    /** How long a run waits until an executor has read its registrations. */
    registrationSeconds: 600,
    runSeconds: 2 * 3600,
    leaseMilliseconds: 30_000,
    /** Between two looks at a run within one turn. */
    lookMilliseconds: 1_500,
    /** A run that is told more than that is aborted: it is read in every turn. */
    sightings: 5_000,
    /** What its consumer receives is kept with the run: one that receives more is aborted, too. */
    receives: 5_000,
    /** Of the log of one of its stories, which others may fill. */
    storyPages: 100,
    /** What it was not told of and finds at its end, and the bytes of these messages. */
    missed: 200,
    missedBytes: 128 * 1024,
    /** Of messages, in one run; those that come after are recorded without their content. */
    seenBytes: 8 * 1024 * 1024,
    /** A longer report is answered without the checks that passed. */
    reportBytes: 2 * 1024 * 1024,
  },
  /**
   * A session of the portal, at most: then the identity provider is asked again, and refuses who is
   * disabled there.
   */
  sessionSeconds: 3600,
  /** On this machine, where each sign-in takes a new link, and nobody is ever disabled. */
  localSessionSeconds: 12 * 3600,
  sessionIdleSeconds: 3600,
  sessionRequests: { perSecond: 10, burst: 30 },
  /** Publishes of one connection by people in the portal, beside what its programs may publish. */
  publishesByHand: { perSecond: 1, burst: 10 },
  /** How long a sign-in may take, and a one-time key of the local service works. */
  signInSeconds: 600,
  invitationSeconds: 7 * daySeconds,
  changesKeptDays: 90,
  portalBodyBytes: 512 * 1024,
  /** How far back the activity of a workspace can be read: as long as the longest archive. */
  feedDays: 30,
  portalResponseBytes: 1024 * 1024,
  /** Pages of what happened have so many lines. */
  portalPage: 50,
  /** Pages of other lists have so many entries; no list's entries take more bytes. */
  listPage: 200,
  listBytes: 240 * 1024,
  /**
   * Ids in addresses, queries and bodies: nothing here has longer ones, and longer ones are no
   * keys.
   */
  idCharacters: 256,
  queryBytes: 1_024,
  storyContentionRounds: 5,
  skillBodyBytes: 256 * 1024,
  skillInstances: 200,
  skillCacheSeconds: 300,
  documentationCacheSeconds: 300,
} as const;

/** A token bucket: `perSecond` refill, `burst` capacity. */
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Quota extends Bucket {
  readonly perDay: number;
}

export const tiers = {
  minimal: { perSecond: 10, burst: 20, perDay: 25_000 },
  standard: { perSecond: 20, burst: 40, perDay: 100_000 },
  high: { perSecond: 100, burst: 200, perDay: 1_000_000 },
} as const satisfies Record<string, Quota>;

export type Tier = keyof typeof tiers;

export const tierNames = Object.keys(tiers).filter((name): name is Tier => name in tiers);

/** The maximum custom quota that an operator may set for a connection. */
export const customQuota: Quota = { perSecond: 200, burst: 400, perDay: 10_000_000 };

export const throttles = {
  wholeApi: { perSecond: 200, burst: 400 },
  token: { perSecond: 20, burst: 40 },
  signed: { perSecond: 50, burst: 100 },
  skillLibrary: { perSecond: 10, burst: 20 },
  skillValidate: { perSecond: 5, burst: 10 },
  portal: { perSecond: 50, burst: 100 },
} as const satisfies Record<string, Bucket>;

export type Throttle = keyof typeof throttles;

/**
 * Counts over a sliding window, per key. An address may make 600 requests a minute, whatever it
 * asks for: one alone cannot use up what all callers of the bus share. It takes five to use up the
 * signed routes, and twenty the whole bus.
 */
export const windows = {
  tokenPerBasicClient: { requests: 30, seconds: 300 },
  tokenPerAddress: { requests: 100, seconds: 300 },
  anyRoutePerAddress: { requests: 600, seconds: 60 },
  signInPerAddress: { requests: 20, seconds: 300 },
} as const;
