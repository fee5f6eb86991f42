import { type JobId, type JobPort, jobs } from '../lib/contract/functions.ts';
import type { Env } from './env.ts';
import type { Ports } from './wiring.ts';

type Factories<J extends JobId> = {
  readonly [Name in JobPort<J>]: (env: Env) => Ports[Name];
};

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
    factories: Factories<J>,
  ) =>
  (env: Env, instead: Partial<Ports> = {}): ScheduledRun => {
    let run: ((deadline: number) => Promise<void>) | undefined;
    const made = (): Pick<Ports, JobPort<J>> => {
      const makers = Object.entries<(env: Env) => unknown>(factories);
      const own = makers.filter(([name]) => !(name in instead)).map(([name, make]) => [name, make(env)]);
      return { ...Object.fromEntries(own), ...instead };
    };
    return (budgetSeconds = jobs[job].budgetSeconds) => {
      run ??= use(made());
      return run(Date.now() + budgetSeconds * 1000);
    };
  };
