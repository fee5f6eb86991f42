import type { PortName, RouteId } from './routes.ts';

/** What a function gets to run with. */
export interface FunctionSize {
  /** Processor time grows with it: 1,769 MB is one whole processor. */
  readonly memoryMegabytes: number;
  /** Below the 29 seconds that API Gateway waits. */
  readonly timeoutSeconds: number;
  /** The most copies at once, where a limit of the service implies a number; kept free for this function. */
  readonly concurrency?: number;
}

/** One file `lambdas/<id>.ts` each: the routes, the authoriser, and the function behind every address that is no route. */
export type FunctionId = RouteId | 'authoriser' | 'unrouted';

const small: FunctionSize = { memoryMegabytes: 256, timeoutSeconds: 10 };
/** Verifies or makes signatures, or answers from few reads. */
const usual: FunctionSize = { memoryMegabytes: 512, timeoutSeconds: 10 };
/** Parses and checks up to 240,000 bytes against schemas; a publish may wait ten seconds for its queues. */
const judging: FunctionSize = { memoryMegabytes: 1769, timeoutSeconds: 25 };

/** The size of each function. */
export const functionSizes = {
  health: small,
  'oauth-metadata': small,
  unrouted: small,
  authoriser: usual,
  /** The token route's burst: nothing more can be under way at once. */
  token: { ...usual, concurrency: 40 },
  jwks: usual,
  publish: judging,
  validate: judging,
  'iam-publish': judging,
  'iam-validate': judging,
  'jwt-publish': judging,
  'operator-publish': judging,
  'verify-principal': usual,
  /** Apart and small: it holds one copy per waiting consumer, and those must not use up the account's copies. */
  pull: { memoryMegabytes: 256, timeoutSeconds: 28, concurrency: 300 },
  ack: usual,
  nack: usual,
  registrations: usual,
  'skill-library': { ...usual, concurrency: 20 },
  'skill-validate': { ...judging, concurrency: 10 },
} as const satisfies Record<FunctionId, FunctionSize>;

/** A function that runs on a schedule instead of a request. */
export interface Job extends FunctionSize {
  readonly everyMinutes: number;
  readonly ports: readonly PortName[];
}

/** The scheduled functions; each is `lambdas/<id>.ts`. */
export const jobs: Readonly<Record<string, Job>> = {};
