import type { Head } from '../../lib/bus/delivery/log.ts';
import type { Engine, LedgerPorts, Running, TestClock } from './engines.ts';
import { commitOf, correlation, entry, time } from './entries.ts';

/** A log of a test's own: its workspace and correlation. */
export interface OwnLog {
  readonly workspace: string;
  readonly correlationId: string;
}

/** What the contracts of the ledger's ports are tried on. */
export interface LedgerBench {
  /** Back at {@link time} when a test begins. */
  readonly clock: TestClock;
  /** A test with a log of its own. */
  holds(title: string, body: (ports: LedgerPorts, log: OwnLog) => Promise<void>): void;
}

/** Starts an engine for the tests of the block that it is called in. */
export const ledgerBench = (engine: Engine<LedgerPorts>): LedgerBench => {
  const clock = { now: time };
  let running: Running<LedgerPorts>;
  let next = 100;

  beforeAll(async () => {
    running = await engine.start(clock);
  });
  afterAll(() => running.close());
  beforeEach(() => {
    clock.now = time;
    next += 1;
  });

  return {
    clock,
    holds: (title, body) =>
      test(title, async () => {
        const correlationId = correlation(next);
        await body(running.ports, { workspace: `w${correlationId.slice(-12)}`, correlationId });
      }),
  };
};

/** The head after so many commits; the first takes the lease. */
export const committed = async (
  { ledger, log }: LedgerPorts,
  at: OwnLog,
  count: number,
): Promise<Head> => {
  for (let number = 1; number <= count; number += 1) {
    const head = await log.head(at);
    const members = { ...at, number, acceptedAt: time + number };
    const commit = commitOf(entry(`${at.correlationId}-${number}`, members), head);
    const { lease: _held, ...rest } = commit;
    expect(await ledger.commit(head.lease ? rest : commit)).toBeUndefined();
  }
  return log.head(at);
};
