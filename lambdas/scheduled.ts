import { type JobId, type JobPort, jobs } from '../lib/contract/functions.ts';
import type { Env } from './env.ts';
import { clock } from './ports/clock.ts';
import { type Factories, made, type Ports } from './wiring.ts';

/** Runs once; it begins nothing new after its budget (default: the job's own). */
export type ScheduledRun = (budgetSeconds?: number) => Promise<void>;

/**
 * A scheduled job's function for one environment: ports and clients are made on the first run and kept. `instead`
 * replaces some of them: the local service has no metrics.
 */
export const scheduled =
  <J extends JobId>(
    job: J,
    use: (ports: Pick<Ports, JobPort<J>>) => (deadline: number) => Promise<void>,
    factories: Factories<JobPort<J>>,
  ) =>
  (env: Env, instead: Partial<Factories<JobPort<J>>> = {}): ScheduledRun => {
    let run: ((deadline: number) => Promise<void>) | undefined;
    return (budgetSeconds = jobs[job].budgetSeconds) => {
      run ??= use(made({ ...factories, ...instead }, env));
      return run(clock().now() + budgetSeconds * 1000);
    };
  };
