import { deliveryPorts } from './bus-routes.ts';
import { pollCopies } from './capacity.ts';
import type { Api } from './route.ts';
import { type RouteAccess, type RouteId, routes } from './routes.ts';

export interface FunctionSize {
  /** Processor time is proportional to it: 1,769 MB is one full processor. */
  readonly memoryMegabytes: number;
  /** The most that JavaScript's heap takes, if the default of Node is too much for the memory. */
  readonly heapMegabytes?: number;
  /** Below the 29 seconds that API Gateway waits. */
  readonly timeoutSeconds: number;
}

export const unroutedIds = { bus: 'unrouted', portal: 'portal-pages' } as const satisfies Record<
  Api,
  string
>;

type ServedBy<R extends RouteId> = (typeof routes)[R] extends {
  readonly servedBy: infer Shared extends string;
}
  ? Shared
  : R;

/** One file `lambdas/<id>.ts` each: for routes, those without a row, and all other URLs. */
export type FunctionId =
  | { [R in RouteId]: ServedBy<R> }[RouteId]
  | keyof typeof rowlessFunctions
  | (typeof unroutedIds)[Api];

export const rowlessFunctions = {
  authoriser: {
    api: 'bus',
    ports: [
      'clock',
      'identityRefusals',
      'registry.connection',
      'registry.providers',
      'signer.keys',
    ],
  },
  'limited-requests': { api: 'portal', ports: ['recorder.limited'] },
} as const;

const small: FunctionSize = { memoryMegabytes: 256, timeoutSeconds: 10 };
const medium: FunctionSize = { memoryMegabytes: 512, timeoutSeconds: 10 };
/**
 * Parses and checks up to 240,000 bytes against schemas; a publish may wait ten seconds for its
 * queues.
 */
const judging: FunctionSize = { memoryMegabytes: 1769, timeoutSeconds: 25 };

export const functionSizes = {
  health: small,
  'oauth-metadata': small,
  openapi: small,
  'portal-pages': small,
  unrouted: small,
  authoriser: medium,
  'limited-requests': small,
  token: medium,
  jwks: medium,
  publish: judging,
  validate: judging,
  'iam-publish': judging,
  'iam-validate': judging,
  'jwt-publish': judging,
  'operator-publish': judging,
  'verify-principal': medium,
  /**
   * Separate, because it runs one instance per waiting poll and these must not use up the account's
   * concurrency; and as small as AWS allows, because it is paid for while it waits. Ten of the
   * longest messages take 98 MB with this heap, and 1.7 seconds with a fourteenth of a processor
   * (`npm run bench -- pull-memory`).
   */
  pull: { memoryMegabytes: 128, heapMegabytes: 64, timeoutSeconds: 28 },
  ack: medium,
  nack: medium,
  message: medium,
  backlog: medium,
  registrations: medium,
  'check-runs': medium,
  /**
   * It judges messages; and API Gateway changes one usage plan at a time, a suspension every queue
   * of an organisation.
   */
  'portal-call': { ...judging, timeoutSeconds: 28 },
  'skill-library': medium,
  'skill-validate': judging,
} as const satisfies Record<FunctionId, FunctionSize>;

/** The share of requests that are traced, whatever came before them in the same second. */
export const tracedShare = 0.05;

export const functionIds = Object.keys(functionSizes).filter(
  (id): id is FunctionId => id in functionSizes,
);

export const servedBy = (id: RouteId): FunctionId => {
  const row = routes[id];
  // a row without it has a function of its own
  return 'servedBy' in row ? row.servedBy : (id as FunctionId);
};

/**
 * The functions that are released step by step: those behind the supported API. The portal's own
 * calls change at once, because its pages are made for them.
 */
export const releasedIds: readonly FunctionId[] = functionIds.filter(
  id => id !== 'portal-call' && id !== 'portal-pages' && id !== 'limited-requests',
);

export const liveAlias = 'live';

export interface Job extends FunctionSize {
  readonly everyMinutes: number;
  /** In the local service; absent if it does not run there. */
  readonly everySecondsLocally?: number;
  readonly budgetSeconds: number;
  readonly ports: readonly string[];
}

const everyMinute = {
  memoryMegabytes: 512,
  timeoutSeconds: 28,
  everyMinutes: 1,
  everySecondsLocally: 2,
  budgetSeconds: 18,
} as const;

export const jobs = {
  relay: {
    ...everyMinute,
    ports: [...deliveryPorts, 'metrics', 'registry.connection', 'backlog.read'],
  },
  replay: {
    ...everyMinute,
    ports: [
      'clock',
      'ids',
      'registry.connection',
      'log.read',
      'archive.read',
      'queues.send',
      'replays.run',
      'recorder.receives',
    ],
  },
  checks: {
    memoryMegabytes: 512,
    timeoutSeconds: 75,
    everyMinutes: 1,
    everySecondsLocally: 2,
    budgetSeconds: 55,
    ports: [
      ...deliveryPorts,
      'registry.connection',
      'registry.consumers',
      'ledger.read',
      'ledger.commit',
      'history.message',
      'recorder.receives',
      'connections.find',
      'marks',
      'skills.read',
      'skills.change',
      'checkRuns.drive',
    ],
  },
  /**
   * Looks at what alerts are about, and tells what is new. Apart from the others: hosts that are
   * slow must delay nobody.
   */
  alerts: {
    memoryMegabytes: 512,
    timeoutSeconds: 58,
    everyMinutes: 1,
    everySecondsLocally: 5,
    budgetSeconds: 40,
    ports: [
      'clock',
      'ids',
      'alerts.watch',
      'webhooks',
      'mails',
      'members.affiliation',
      'directory.find',
      'connections.list',
      'principals.list',
      'invitations.guest',
      'counts',
      'depths.read',
      'queueAges.measure',
      'archive.read',
      'checkRuns.list',
    ],
  },
  /**
   * Measures how long messages have waited for their consumers, and compares the policies of their
   * queues. On a laptop there is no CloudWatch to ask.
   */
  'queue-ages': {
    memoryMegabytes: 256,
    timeoutSeconds: 28,
    everyMinutes: 15,
    budgetSeconds: 18,
    ports: [
      'clock',
      'consumers.list',
      'principals.list',
      'guardedQueues',
      'queueAges.measure',
      'ageReport',
    ],
  },
} as const satisfies Record<string, Job>;

export type JobId = keyof typeof jobs;

export const jobIds = Object.keys(jobs) as readonly JobId[];

/**
 * The function that goes through the whole bus, as a client does; the last of its steps may wait
 * for half a minute.
 */
export const probeFunction = {
  id: 'probe',
  everyMinutes: 5,
  size: { memoryMegabytes: 256, timeoutSeconds: 60 },
} as const;

export const probedIds = [
  'authoriser',
  'token',
  'validate',
  'publish',
  'pull',
  'ack',
  'nack',
] as const satisfies readonly FunctionId[];

/**
 * The copies that are kept for a function, which are also the most that it has (AWS Lambda:
 * "Configuring reserved concurrency"). The others share the rest of the account's: 488 of the usual
 * thousand, of which a hundred publishes a second that all get stuck take two thirds
 * (test/bus/delivery/broken-queue.test.ts).
 */
export const reservedCopies: Readonly<Partial<Record<FunctionId | JobId, number>>> = {
  /** Whatever else is stuck, callers are identified and deliveries finished. */
  authoriser: 40,
  relay: 2,
  /** The token route's burst: no more requests can be in progress at once. */
  token: 40,
  /** One for each waiting poll: these must not use up the account's. */
  pull: pollCopies,
  'skill-library': 20,
  'skill-validate': 10,
};

export type JobAccess<J extends JobId> = (typeof jobs)[J]['ports'][number];

export type PortAccess =
  | RouteAccess<RouteId>
  | JobAccess<JobId>
  | (typeof rowlessFunctions)[keyof typeof rowlessFunctions]['ports'][number];

export type PortOf<A extends string> = A extends `${infer Port}.${string}` ? Port : A;
