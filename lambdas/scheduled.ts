import { type JobPort, type ScheduledJobId, scheduledJobs } from '../lib/contract/jobs.ts';
import type { Archive, Backlog, RelayMetrics, Replays } from '../lib/ports.ts';
import type { Env } from './env.ts';
import type { Ports } from './wiring.ts';

/** What each port name of a job's row stands for. */
export interface JobPorts extends Ports {
  readonly backlog: Backlog;
  readonly metrics: RelayMetrics;
  readonly archive: Archive;
  readonly replays: Replays;
}

type Factories<J extends ScheduledJobId> = {
  readonly [Name in JobPort<J>]: (env: Env) => JobPorts[Name];
};

/** Runs once; it begins nothing new after its budget (default: the job's own). */
export type ScheduledRun = (budgetSeconds?: number) => Promise<void>;

/**
 * A scheduled job's function for one environment: ports and clients are made on the first run and kept. `instead`
 * replaces some of them: the local service has no metrics.
 */
export const scheduled =
  <J extends ScheduledJobId>(
    job: J,
    use: (ports: Pick<JobPorts, JobPort<J>>) => (deadline: number) => Promise<void>,
    factories: Factories<J>,
  ) =>
  (env: Env, instead: Partial<JobPorts> = {}): ScheduledRun => {
    let run: ((deadline: number) => Promise<void>) | undefined;
    const made = (): Pick<JobPorts, JobPort<J>> => {
      const makers = Object.entries<(env: Env) => unknown>(factories);
      const own = makers.filter(([name]) => !(name in instead)).map(([name, make]) => [name, make(env)]);
      return { ...Object.fromEntries(own), ...instead };
    };
    return (budgetSeconds = scheduledJobs[job].budgetSeconds) => {
      run ??= use(made());
      return run(Date.now() + budgetSeconds * 1000);
    };
  };
