import { limits } from '../contract/limits.ts';
import { defined, randomName } from '../contract/outside.ts';
import type { CaseRecord, RunRecord } from './judging/record.ts';
import { playStep } from './play.ts';
import { isAllDecided, nextCases } from './progress.ts';
import { wholeReport } from './reports/report.ts';
import { evidenceOf } from './reports/report-forms.ts';
import { type DrivePorts, type Run, type RunState, recordOf, type StoredSighting } from './run.ts';
import { type Suite, suiteOf } from './suites.ts';
import { endOf, missedAttempts, prepared, receivesOf, strayWarnings } from './surroundings.ts';

/**
 * So many of the last sightings are read again: what is written at the same time may appear in
 * another order.
 */
const overlap = 20;

/** The lease was lost, or somebody else ended the run: nothing more may be done. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

class Turn {
  readonly #ports: DrivePorts;
  readonly #owner: string;
  #run: Run;
  readonly #seen = new Map<string, StoredSighting>();

  constructor(ports: DrivePorts, run: Run, owner: string) {
    this.#ports = ports;
    this.#run = run;
    this.#owner = owner;
  }

  async #save(state: RunState): Promise<void> {
    const { clock, checkRuns } = this.#ports;
    const lease = { owner: this.#owner, until: clock.now() + limits.checks.leaseMilliseconds };
    if (!(await checkRuns.save(this.#run.id, lease, state))) throw new LeaseLost();
    this.#run = { ...this.#run, state };
  }

  async #look(): Promise<readonly StoredSighting[]> {
    const positions = [...this.#seen.keys()].sort();
    const from = positions.at(-overlap);
    for (const sighting of await this.#ports.checkRuns.seen(this.#run.id, from))
      this.#seen.set(sighting.position, sighting);
    return [...this.#seen.values()];
  }

  /** Does what is due now; false once the run is over. */
  async step(): Promise<boolean> {
    // Before it looks: whatever it would have to read, a run can be stopped.
    const end = await endOf(this.#ports, this.#run);
    if (end !== undefined) return this.#end({ status: 'aborted', reason: end });

    const seen = await this.#look();
    if (seen.length >= maxSightings) return this.#end({ status: 'aborted', reason: tooMany });

    const ready = await prepared(this.#ports, this.#run, seen);
    if (ready.state !== this.#run.state) await this.#save(ready.state);
    if (!ready.isReady) return true;
    return this.#play(seen);
  }

  async #play(seen: readonly StoredSighting[]): Promise<boolean> {
    const receives = await receivesOf(this.#ports, this.#run);
    if (receives.length > maxReceives) return this.#end(receivedTooMuch);

    const suite = suiteOf(this.#run);
    const state = { ...this.#run.state, receives };
    const record = recordOf({ ...this.#run, state }, seen);
    const now = this.#ports.clock.now();
    const { limitSeconds } = this.#run.options;
    const cases = nextCases({ suite, record, now, limitSeconds });
    const isOver = isAllDecided(suite, cases);
    const { decidedAt = isOver ? now : undefined, playedAt = now } = state;
    await this.#save({ ...state, cases, playedAt, ...defined({ decidedAt }) });
    await this.#perform(suite, cases);

    const quietMilliseconds = limits.checks.quietSeconds * 1000;
    if (decidedAt === undefined || now < decidedAt + quietMilliseconds) return true;
    return this.#finish(record);
  }

  /** Looks a last time for what the turns did not see, and ends the run. */
  async #finish(record: RunRecord): Promise<false> {
    const missed = await missedAttempts(this.#ports, this.#run, record.attempts);
    const receives = await receivesOf(this.#ports, this.#run, true);
    if (receives.length > maxReceives) return this.#end(receivedTooMuch);
    const strays = await strayWarnings(this.#ports, this.#run, record);
    const { state } = this.#run;
    await this.#save({ ...state, receives, strays, ...(missed.length > 0 && { missed }) });
    return this.#end({ status: 'finished' });
  }

  /**
   * Does what is planned: what was planned and not done when a turn stopped is done by the next
   * one.
   */
  async #perform(suite: Suite, cases: readonly CaseRecord[]): Promise<void> {
    const planned = cases.filter(({ steps }) => steps.at(-1)?.isPlanned);
    if (planned.length === 0) return;
    const errors: unknown[] = [];
    const done = await Promise.all(
      planned.map(async own => {
        const testCase = suite.cases.get(own.id);
        if (!testCase) return own;
        // A case that cannot go on does not stop the others; the next turn tries it again.
        return playStep(this.#ports, this.#run, { testCase, own }).catch((error: unknown) => {
          errors.push(error);
          return own;
        });
      }),
    );
    const byId = new Map(done.map(own => [own.id, own]));
    await this.#save({ ...this.#run.state, cases: cases.map(own => byId.get(own.id) ?? own) });
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} steps could not be played.`);
  }

  async #end(outcome: {
    readonly status: 'finished' | 'aborted';
    readonly reason?: string;
  }): Promise<false> {
    const { skills, marks, checkRuns, clock } = this.#ports;
    const { id, kind, consumer, connections, state } = this.#run;
    for (const own of Object.values(state.registrations)) {
      const registered = await skills.find(consumer ?? '', own);
      if (registered) await skills.remove(registered);
    }

    // An executor reads its registrations every few minutes: until then it may answer by those that
    // are gone.
    const isAnswering = kind === 'executor' && (state.registeredAt ?? state.playedAt) !== undefined;
    const answersUntil = clock.now() + limits.checks.registrationSeconds * 1000;
    const until = isAnswering ? answersUntil : undefined;
    for (const { connection_id } of connections) await marks.unmark(connection_id, id, until);

    const at = clock.now();
    await checkRuns.end(id, this.#owner, { ...outcome, at });
    const over = { ...this.#run, ...outcome, endedAt: at };
    // From now on, nothing more is seen. A run that was stopped has nothing to prove.
    if (outcome.status === 'finished' && over.evidence !== undefined) {
      const report = wholeReport(over, await checkRuns.seen(id));
      await checkRuns.keepEvidence(over.evidence, evidenceOf(report));
    }
    return false;
  }
}

const { sightings: maxSightings, receives: maxReceives } = limits.checks;

const receivedTooMuch = {
  status: 'aborted',
  reason:
    `The consumer under test received more than ${maxReceives} messages: acknowledge them ` +
    'instead of returning them, or run fewer cases at a time.',
} as const;
const tooMany =
  `The connections under test made ${maxSightings} requests: run fewer cases at a time, or send ` +
  'less meanwhile.';

const drive = async (ports: DrivePorts, id: string, deadline: number): Promise<void> => {
  const owner = randomName(ports.ids);
  const now = ports.clock.now();
  const run = await ports.checkRuns.acquire(
    id,
    { owner, until: now + limits.checks.leaseMilliseconds },
    now,
  );
  if (!run) return;
  const turn = new Turn(ports, run, owner);
  const { lookMilliseconds } = limits.checks;
  try {
    while (await turn.step()) {
      if (ports.clock.now() + lookMilliseconds >= deadline) break;
      await ports.clock.sleep(lookMilliseconds);
    }
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await ports.checkRuns.release(id, owner);
  }
};

/**
 * One turn of all running runs, side by side. Each looks at what came, decides what is next, writes
 * that down and does it: a run whose process stopped goes on where it was. If some runs could not
 * go on, it throws at its end; the next turn tries them again.
 */
export const runChecks = (ports: DrivePorts) =>
  /** @param deadline epoch milliseconds */
  async function runChecks(deadline: number): Promise<void> {
    const ids = await ports.checkRuns.running();
    const results = await Promise.allSettled(ids.map(id => drive(ports, id, deadline)));
    const errors = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} test runs could not continue.`);
  };
