import { setTimeout } from 'node:timers/promises';
import * as relay from '../../lambdas/relay.ts';
import * as replay from '../../lambdas/replay.ts';
import type { ScheduledRun } from '../../lambdas/scheduled.ts';
import { type JobId, jobs } from '../contract/functions.ts';
import type { LocalEnv } from './local-env.ts';

/** The scheduled functions at work. */
export interface Schedule {
  /** Lets the runs under way end, and begins none. */
  close(): Promise<void>;
}

type Fail = (job: JobId, fault: unknown) => void;

const runs: Readonly<Record<JobId, (env: LocalEnv) => ScheduledRun>> = {
  // Nobody reads metrics here.
  relay: env => relay.handlerFor(env, { metrics: () => ({ report: () => undefined }) }),
  replay: env => replay.handlerFor(env),
};

const repeat = async (id: JobId, run: ScheduledRun, outside: { stop: AbortSignal; fail: Fail }) => {
  const { stop, fail } = outside;
  const seconds = jobs[id].everySecondsLocally;
  while (!stop.aborted) {
    await setTimeout(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    // A short run: stopping the service waits for it.
    if (!stop.aborted) await run(seconds).catch((fault: unknown) => fail(id, fault));
  }
};

/** Runs the scheduled functions as the deployment does, only more often; a run that fails is repeated in its turn. */
export const startSchedule = (env: LocalEnv, fail: Fail): Schedule => {
  const stopping = new AbortController();
  const ids: readonly JobId[] = ['relay', 'replay'];
  const running = ids.map(id => repeat(id, runs[id](env), { stop: stopping.signal, fail }));
  return {
    async close() {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
