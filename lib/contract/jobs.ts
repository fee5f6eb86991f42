import type { PortName } from './routes.ts';

/** The ports that only scheduled functions use. */
export type JobPortName = 'backlog' | 'metrics' | 'archive' | 'replays';

/** A function that runs on a schedule; each is `lambdas/<id>.ts`. */
export interface ScheduledJob {
  readonly ports: readonly (PortName | JobPortName)[];
  /** On AWS. */
  readonly everySeconds: number;
  /** In the local service. */
  readonly everySecondsLocally: number;
  /** How long one run begins new work. */
  readonly budgetSeconds: number;
}

/** The scheduled functions of the service. */
export const scheduledJobs = {
  /** Finishes deliveries that a publish began. */
  relay: {
    ports: ['clock', 'ids', 'registry', 'log', 'backlog', 'queues', 'metrics'],
    everySeconds: 60,
    everySecondsLocally: 2,
    budgetSeconds: 45,
  },
  /** Works on the replays that are running. */
  replay: {
    ports: ['clock', 'ids', 'registry', 'log', 'archive', 'queues', 'replays'],
    everySeconds: 60,
    everySecondsLocally: 2,
    budgetSeconds: 50,
  },
} as const satisfies Record<string, ScheduledJob>;

export type ScheduledJobId = keyof typeof scheduledJobs;

export type JobPort<J extends ScheduledJobId> = (typeof scheduledJobs)[J]['ports'][number];
