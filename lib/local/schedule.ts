import { setTimeout } from 'node:timers/promises';
import * as relay from '../../lambdas/relay.ts';
import * as replay from '../../lambdas/replay.ts';
import type { ScheduledRun } from '../../lambdas/scheduled.ts';
import { type ScheduledJobId, scheduledJobs } from '../contract/jobs.ts';
import type { LocalEnv } from './local-env.ts';

/** The scheduled functions at work. */
export interface Schedule {
  /** Lets the runs under way end, and begins none. */
  close(): Promise<void>;
}

type Fail = (job: ScheduledJobId, fault: unknown) => void;

const jobs: Readonly<Record<ScheduledJobId, (env: LocalEnv) => ScheduledRun>> = {
  // Nobody reads metrics here.
  relay: env => relay.handlerFor(env, { metrics: { report: () => undefined } }),
  replay: env => replay.handlerFor(env),
};

const repeat = async (id: ScheduledJobId, run: ScheduledRun, outside: { stop: AbortSignal; fail: Fail }) => {
  const { stop, fail } = outside;
  const seconds = scheduledJobs[id].everySecondsLocally;
  while (!stop.aborted) {
    await setTimeout(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    // A short run: stopping the service waits for it.
    if (!stop.aborted) await run(seconds).catch((fault: unknown) => fail(id, fault));
  }
};

/** Runs the scheduled functions as the deployment does, only more often; a run that fails is repeated in its turn. */
export const startSchedule = (env: LocalEnv, fail: Fail): Schedule => {
  const stopping = new AbortController();
  const ids: readonly ScheduledJobId[] = ['relay', 'replay'];
  const running = ids.map(id => repeat(id, jobs[id](env), { stop: stopping.signal, fail }));
  return {
    async close() {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
