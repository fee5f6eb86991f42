import { type JobAccess, type JobId, jobs } from '../contract/functions.ts';
import { clock, type Env, madeOnce } from './env.ts';
import { type Factories, made, type Ports } from './function.ts';

export interface JobFunction<J extends JobId> {
  readonly job: J;
  /** @param deadline epoch milliseconds: nothing new is started after it */
  readonly use: (ports: Ports<JobAccess<J>>) => (deadline: number) => Promise<void>;
  readonly ports: Factories<Ports<JobAccess<J>>>;
}

/** Runs once; it starts nothing new after its budget (default: the job's own). */
export type ScheduledRun = (budgetSeconds?: number) => Promise<void>;

/**
 * A scheduled job's function for one environment. `instead` replaces some of its ports: the local
 * service has no metrics.
 */
export const scheduled = <J extends JobId>(
  { job, use, ports }: JobFunction<J>,
  env: Env,
  instead: Partial<Factories<Ports<JobAccess<J>>>> = {},
): ScheduledRun => {
  const run = madeOnce(env, () => use(made({ ...ports, ...instead }, env)));
  return function scheduled(budgetSeconds = jobs[job].budgetSeconds) {
    return run()(clock(env).now() + budgetSeconds * 1000);
  };
};

export const scheduledLambda = <J extends JobId>(
  job: JobFunction<J>,
  env: Env,
): (() => Promise<void>) => {
  const run = scheduled(job, env);
  return function scheduledLambda() {
    return run();
  };
};
