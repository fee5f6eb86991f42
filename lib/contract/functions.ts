import type { PortName, RouteId } from './routes.ts';

/** The resources of a function. */
export interface FunctionSize {
  /** Processor time is proportional to it: 1,769 MB is one full processor. */
  readonly memoryMegabytes: number;
  /** Below the 29 seconds that API Gateway waits. */
  readonly timeoutSeconds: number;
  /** Reserved concurrency, if a limit of the service implies a number. */
  readonly concurrency?: number;
}

/** One file `lambdas/<id>.ts` each: the routes, the authoriser, and the function for all other addresses. */
export type FunctionId = RouteId | 'authoriser' | 'unrouted';

const small: FunctionSize = { memoryMegabytes: 256, timeoutSeconds: 10 };
/** Verifies or makes signatures, or answers from few reads. */
const medium: FunctionSize = { memoryMegabytes: 512, timeoutSeconds: 10 };
/** Parses and checks up to 240,000 bytes against schemas; a publish may wait ten seconds for its queues. */
const judging: FunctionSize = { memoryMegabytes: 1769, timeoutSeconds: 25 };

/** The size of each function. */
export const functionSizes = {
  health: small,
  'oauth-metadata': small,
  openapi: small,
  docs: small,
  'docs-viewer': small,
  unrouted: small,
  authoriser: medium,
  /** The token route's burst: no more requests can be in progress at once. */
  token: { ...medium, concurrency: 40 },
  jwks: medium,
  publish: judging,
  validate: judging,
  'iam-publish': judging,
  'iam-validate': judging,
  'jwt-publish': judging,
  'operator-publish': judging,
  'verify-principal': medium,
  /** Separate and small: it runs one instance per waiting consumer, and these must not use up the account's concurrency. */
  pull: { memoryMegabytes: 256, timeoutSeconds: 28, concurrency: 300 },
  ack: medium,
  nack: medium,
  message: medium,
  backlog: medium,
  registrations: medium,
  'portal-sign': medium,
  'portal-organisation': medium,
  'portal-workspace': medium,
  'portal-operator': medium,
  'skill-library': { ...medium, concurrency: 20 },
  'skill-validate': { ...judging, concurrency: 10 },
} as const satisfies Record<FunctionId, FunctionSize>;

/** A function that runs on a schedule instead of a request. */
export interface Job extends FunctionSize {
  readonly everyMinutes: number;
  /** In the local service. */
  readonly everySecondsLocally: number;
  /** How long one run starts new work: work in progress then has the rest of the timeout. */
  readonly budgetSeconds: number;
  readonly ports: readonly PortName[];
}

const everyMinute = {
  memoryMegabytes: 512,
  timeoutSeconds: 28,
  everyMinutes: 1,
  everySecondsLocally: 2,
  budgetSeconds: 18,
} as const;

/** The scheduled functions; each is `lambdas/<id>.ts`. */
export const jobs = {
  /** Finishes deliveries that a publish started. */
  relay: {
    ...everyMinute,
    ports: ['clock', 'ids', 'registry', 'log', 'backlog', 'queues', 'metrics'],
  },
  /** Works on the replays that are running. */
  replay: {
    ...everyMinute,
    ports: ['clock', 'ids', 'registry', 'log', 'archive', 'queues', 'replays', 'recorder'],
  },
} as const satisfies Record<string, Job>;

export type JobId = keyof typeof jobs;

/** The ports of a job's row. */
export type JobPort<J extends JobId> = (typeof jobs)[J]['ports'][number];
