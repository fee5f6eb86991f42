import { runReplays } from '../../lib/bus/replay/run-replays.ts';
import type { AllPorts } from './ports-of.ts';
import type { UseCases, Variant } from './variant.ts';

type Runner = UseCases['runReplays'];
type Progress = AllPorts['replays']['progress'];

/** The runner of replays with some of its ports replaced. */
const runnerWith =
  (instead: (ports: Parameters<Runner>[0]) => Partial<Parameters<Runner>[0]>): Runner =>
  ports =>
    runReplays({ ...ports, ...instead(ports) });

/** Goes on after its progress could not be saved: while the replay is running, or after its end. */
const goingOn =
  ({ replays }: Parameters<Runner>[0], whileRunning: boolean): Progress =>
  async (...note) =>
    (await replays.progress(...note)) ||
    (await replays.running()).includes(note[0]) === whileRunning;

/** The bugs of the replay runner that the simulation must find. */
export const plantedReplayBugs: readonly Variant[] = [
  {
    name: 'a replay overtakes the delivery',
    seed: 43,
    breaks: 'R',
    useCases: {
      runReplays: runnerWith(({ log }) => ({
        log: {
          ...log,
          head: async key => {
            const head = await log.head(key);
            return { ...head, published: head.last };
          },
        },
      })),
    },
  },
  {
    name: 'a replay reads the archive up to the present',
    seed: 178,
    breaks: 'R',
    useCases: {
      runReplays: runnerWith(({ archive, clock, replays }) => {
        let end = 0;
        return {
          archive: {
            ...archive,
            page: (range, max) => archive.page({ ...range, to: Math.min(end, clock.now()) }, max),
          },
          replays: {
            ...replays,
            acquire: async (...call) => {
              const replay = await replays.acquire(...call);
              end = replay?.to ?? end;
              return replay;
            },
          },
        };
      }),
    },
  },
  {
    name: 'the runner of a replay goes on after its lease is lost',
    seed: 20,
    breaks: 'L',
    useCases: {
      runReplays: runnerWith(ports => {
        const { clock, replays } = ports;
        const now = clock.now();
        return {
          // It checks neither its time nor its lease.
          clock: { ...clock, now: () => now },
          replays: { ...replays, progress: goingOn(ports, true) },
        };
      }),
    },
  },
  {
    name: 'the runner of a replay goes on after a cancel',
    seed: 2,
    breaks: 'C',
    useCases: {
      runReplays: runnerWith(ports => ({
        replays: { ...ports.replays, progress: goingOn(ports, false) },
      })),
    },
  },
  {
    name: 'a replay forgets what it set aside',
    seed: 1,
    breaks: 'R',
    useCases: {
      runReplays: runnerWith(({ replays }) => ({
        replays: {
          ...replays,
          progress: (id, lease, done) => replays.progress(id, lease, { ...done, waiting: [] }),
        },
      })),
    },
  },
  {
    name: 'a replay goes on behind an entry that its queue did not take',
    seed: 43,
    breaks: 'R',
    useCases: {
      runReplays: runnerWith(({ queues }) => ({
        queues: { ...queues, send: (...send) => queues.send(...send).catch(() => 'sent' as const) },
      })),
    },
  },
];
