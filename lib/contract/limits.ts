export const daySeconds = 86_400;

export const dayMilliseconds = daySeconds * 1000;

/** Sizes, counts and times of the service. Units are in the names. */
export const limits = {
  messageBytes: 240_000,
  /** The body of an ack or a nack. */
  receiptsBytes: 240_000,
  /** The body with which a role proves itself: a connection id and a challenge. */
  proofBytes: 4_096,
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
  /** Publishes of one process within this time share one look at the workspace's consumers. */
  consumersCacheMilliseconds: 100,
  /** Seven days, and an hour for clocks and for the retry of a message sent in the last moment. */
  idempotencySeconds: 7 * daySeconds + 3_600,
  queueRetentionSeconds: 14 * daySeconds,
  pullMessages: { min: 1, max: 10, default: 10 },
  pullWaitSeconds: { min: 0, max: 20, default: 0 },
  pullVisibilitySeconds: { min: 10, max: 43_200, default: 60 },
  nackDelaySeconds: { min: 0, max: 43_200, default: 0 },
  /** What a release may take on its way, and by what the clocks of two functions and of the queue differ. */
  releaseMarginSeconds: 10,
  receiptHandles: { min: 1, max: 100 },
  receiptHandleCharacters: 1024,
  secretOverlapSeconds: { min: 0, max: 30 * daySeconds },
  challengeSeconds: 900,
  /** Cloud roles registered on one consumer: its queue's policy has 8,192 bytes, and names each role twice. */
  rolesPerConsumer: 5,
  /** A use of a secret is noted at most this often. */
  secretUseSeconds: 60,
  tokenRequestBytes: 16 * 1024,
  /** How long a key is published before it may sign: longer than anybody caches the key set. */
  keyPublishedSeconds: 600,
  /** Key sets of foreign identity providers. */
  foreignKeys: { cacheSeconds: 300, retrySeconds: 30, fetchMilliseconds: 2_000, bytes: 64 * 1024 },
  /** The longest that putting an entry into a queue takes, retries included: it has failed then. */
  sendMilliseconds: 1_500,
  /** The longest that one call of DynamoDB takes, its second attempt included. */
  databaseMilliseconds: 2_500,
  /** How long a poll may take beyond its wait; it is not tried again for as long. */
  pollMarginMilliseconds: 3_000,
  /** The longest that a batch of deletes or releases takes, a second attempt included, or the second look of a poll. */
  settleMilliseconds: 3_000,
  /** How long one sender may hold a correlation's log: longer than the longest send, short enough to wait for. */
  leaseMilliseconds: 5_000,
  /** The most by which the clocks of two functions differ: a lease is taken over only this long after its end. */
  clockSkewMilliseconds: 2_000,
  /** Entries read at once to be sent: bounds what a sender holds in memory. */
  entriesPerPage: 20,
  /** A log that is pending for less is left to its publisher. */
  relayAfterMilliseconds: 1_000,
  /** Logs that the relay works on at the same time. */
  relayWidth: 8,
  /** How many entries that expired unsent a log's head names. */
  lostNumbers: 1_000,
  /** The most logs one run of the relay takes on. */
  relayLogs: 2_000,
  /** How long the relay leaves a log alone that did not move: half the time that its oldest entry has waited, within these. */
  relayPauseMilliseconds: { min: 5_000, max: 600_000 },
  /** After so many failed sends to one queue a run of the relay leaves that queue alone. */
  relayQueueFaults: 3,
  /** How long an entry is kept beyond the archive: what is unsent by then expires. */
  entryGraceDays: 14,
  /** Archived entries that a replay sends in a second, at most. */
  replayPerSecond: 50,
  /** Entries that a replay handles between two notes of its progress: as many as DynamoDB reads in one batch. */
  replayPage: 100,
  /** Correlations that a replay sets aside at most; with one more it waits itself. */
  replayWaitingLogs: 100,
  /** A commit may take this long from its time, and the archive's index a moment more: a replay stays so far behind. */
  replayLagMilliseconds: 20_000,
  /** How long a runner may work on a replay without noting its progress. */
  replayLeaseMilliseconds: 30_000,
  /**
   * How long a publish waits for the queues before it answers 503, sends of its own included: outlasts a dead sender's
   * lease, the skew, a pause and a send.
   */
  publishBudgetMilliseconds: 10_000,
  /** First pause between two looks at a log that somebody else is sending; doubles up to a second. */
  deliveryPollMilliseconds: 20,
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

/** Quota tiers, per connection. */
export const tiers = {
  minimal: { perSecond: 10, burst: 20, perDay: 25_000 },
  standard: { perSecond: 20, burst: 40, perDay: 100_000 },
  high: { perSecond: 100, burst: 200, perDay: 1_000_000 },
} as const satisfies Record<string, Quota>;

export type Tier = keyof typeof tiers;

/** The most an operator may set for a connection of its own. */
export const customQuota: Quota = { perSecond: 200, burst: 400, perDay: 10_000_000 };

/** Limits that all callers share. */
export const throttles = {
  wholeApi: { perSecond: 200, burst: 400 },
  token: { perSecond: 20, burst: 40 },
  signed: { perSecond: 50, burst: 100 },
  skillLibrary: { perSecond: 10, burst: 20 },
  skillValidate: { perSecond: 5, burst: 10 },
  documentation: { perSecond: 10, burst: 20 },
} as const satisfies Record<string, Bucket>;

export type Throttle = keyof typeof throttles;

/** Counts over a sliding window, per key. */
export const windows = {
  tokenPerBasicClient: { requests: 30, seconds: 300 },
  tokenPerAddress: { requests: 100, seconds: 300 },
  anyRoutePerAddress: { requests: 600, seconds: 60 },
} as const;
