import type { Credentials } from '../access/registry/connection.ts';
import type { Declined } from '../access/registry/declined.ts';
import type { Sighting, TestMarks } from '../access/registry/test-runs.ts';
import type { History, ReceiveRecord, Recorder } from '../bus/activity/records.ts';
import type { Lease } from '../bus/delivery/log.ts';
import type { PublishPorts } from '../bus/publishing/publish.ts';
import type { Slot } from '../contract/bounds.ts';
import { defined, type Entries, type Part } from '../contract/outside.ts';
import type { CheckedConnection, CheckKind, RunStatus } from '../contract/portal/checks.ts';
import type { ConfiguredInstance, SkillRegistrations } from '../skills/registrations.ts';
import type { OwnCases } from './consumer-plan.ts';
import type { CaseRecord, RunRecord, SeenAttempt } from './judging/record.ts';
import type { RunFaults } from './plan.ts';
import type { Evidence } from './reports/evidence.ts';

export interface RunOptions {
  /** A consumer that names its producer: its reactions are looked at. */
  readonly isReacting?: true;
  /** The message type of the reaction that is expected. */
  readonly reaction?: string;
  readonly withinSeconds?: number;
  /** Of an executor: somebody, or a command, restarts it when the run asks for it. */
  readonly restarts?: boolean;
  /** The version of the system under test, for its report. */
  readonly systemVersion?: string;
  readonly cases: readonly string[];
  readonly limitSeconds: number;
  /**
   * Executor: `registered`: the run registers what its cases need. `given`: it takes those that are
   * there already.
   */
  readonly instances: 'registered' | 'given';
  readonly handedIn: readonly ConfiguredInstance[];
  readonly bindsFirstSeen: boolean;
  /** Producer: what it should send; none: what it sends. */
  readonly messageTypes: readonly string[];
  /** Consumer: what it receives of the types that are played. */
  readonly receives: readonly string[];
  /** Consumer: a house's own cases. */
  readonly ownCases?: OwnCases;
  /** What the system is: it says what the run has to prove. */
  readonly role?: string;
}

/** What does not change while a run goes on. Times are epoch milliseconds. */
export interface RunFacts {
  readonly id: string;
  readonly kind: CheckKind;
  readonly workspace: string;
  readonly connections: readonly CheckedConnection[];
  readonly consumer?: string;
  readonly producer?: string;
  readonly options: RunOptions;
  readonly workspaceName?: string;
  /** The name of its report, which nobody can guess. */
  readonly evidence?: string;
  readonly busVersion: string;
  readonly createdAt: number;
}

export interface RunState {
  readonly instances: Readonly<Record<string, ConfiguredInstance>>;
  /**
   * The keys of the labels of all instances of the connection: those of the run, and the house's
   * own.
   */
  readonly labels: readonly string[];
  readonly registrations: Readonly<Record<string, string>>;
  readonly registeredAt?: number;
  readonly playedAt?: number;
  readonly decidedAt?: number;
  readonly cases: readonly CaseRecord[];
  readonly receives: readonly ReceiveRecord[];
  /** What the last look found in the ledger and nobody had seen. */
  readonly missed?: readonly SeenAttempt[];
  /** The message_ids of warnings that answer no message on the bus. */
  readonly strays?: readonly string[];
  readonly notes: readonly string[];
}

export interface Run extends RunFacts {
  readonly status: RunStatus;
  readonly reason?: string;
  /** Somebody asked to stop it, or it cannot continue: why. It ends in its next turn. */
  readonly stop?: string;
  readonly endedAt?: number;
  readonly state: RunState;
  readonly lease?: Lease;
}

export interface StoredSighting {
  readonly position: string;
  readonly sighting: Sighting;
}

export type RunSummary = Pick<
  Run,
  'id' | 'kind' | 'status' | 'reason' | 'connections' | 'createdAt' | 'endedAt'
>;

/** Runs, as they are driven. Reads are fresh, except `running`, which may be a moment late. */
export interface CheckRuns {
  add(run: Run, slots: readonly Slot[]): Promise<Declined | undefined>;
  find(id: string): Promise<Run | undefined>;
  running(): Promise<readonly string[]>;
  /** Those of any of these workspaces or connections, the newest first. */
  listOf(owners: readonly string[], part: Part): Promise<Entries<RunSummary>>;
  /** Takes the lease of a running run if it is free or over; undefined otherwise. */
  acquire(id: string, lease: Lease, now: number): Promise<Run | undefined>;
  save(id: string, lease: Lease, state: RunState): Promise<boolean>;
  release(id: string, owner: string): Promise<void>;
  stop(id: string, reason: string): Promise<boolean>;
  end(
    id: string,
    owner: string,
    outcome: {
      readonly status: Exclude<RunStatus, 'running'>;
      readonly reason?: string;
      readonly at: number;
    },
  ): Promise<boolean>;
  setFaults(id: string, faults: RunFaults): Promise<void>;
  seen(id: string, after?: string): Promise<readonly StoredSighting[]>;
  /** Keeps what everybody may know of the report of a run that is over. */
  keepEvidence(name: string, evidence: Evidence): Promise<void>;
  evidence(name: string): Promise<Evidence | undefined>;
}

/** What driving runs needs. */
export interface DrivePorts extends PublishPorts {
  readonly connections: Pick<Credentials, 'find'>;
  readonly skills: Pick<SkillRegistrations, 'of' | 'find' | 'add' | 'remove'>;
  readonly marks: TestMarks;
  readonly history: Pick<History, 'receivesOf'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly checkRuns: Omit<CheckRuns, 'add' | 'find' | 'listOf' | 'evidence'>;
}

const attemptsOf = (seen: readonly StoredSighting[]): readonly SeenAttempt[] =>
  seen.flatMap(({ sighting }) => {
    if (sighting.kind !== 'attempt') return [];
    const { kind: _, ...attempt } = sighting;
    return [attempt];
  });

export const recordOf = (run: Run, seen: readonly StoredSighting[]): RunRecord => {
  const { createdAt, endedAt, state, reason } = run;
  return {
    startedAt: createdAt,
    ...defined({ endedAt, reason, strays: state.strays }),
    cases: state.cases,
    attempts: [...attemptsOf(seen), ...(state.missed ?? [])].sort((a, b) => a.at - b.at),
    receives: state.receives,
    tokens: seen.flatMap(({ sighting }) =>
      sighting.kind === 'token' ? [{ at: sighting.at, refused: sighting.refused }] : [],
    ),
  };
};
