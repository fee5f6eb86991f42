import { somVersion } from '../message-types.ts';

export type CheckKind = 'producer' | 'consumer' | 'executor';

export const checkKinds: readonly CheckKind[] = ['producer', 'consumer', 'executor'];

/** The roles of SOM 1.0, and then systems of a newsroom: what a run can be started for. */
export const checkRoles = [
  ...['story-owner', 'executor', 'media-store', 'committing', 'governance'],
  ...['planning', 'ncs', 'rundown', 'mam', 'skill', 'graphics', 'cms', 'playout', 'social'],
  ...['standards', 'automation'],
] as const;

export const checkedLibrary = '0.2.2';

export const suiteId = `som-${somVersion}+lib-${checkedLibrary}`;

/**
 * `L`: the library says so. `S`: SOM 1.0 says so. `P`: our position where the library is silent or
 * says two things.
 */
export type Basis = 'L' | 'S' | 'P';

/**
 * `undecided`: the run goes on. `not run`: something was missing. `not applicable`: the case is
 * about what this connection does not receive or send. `pending spec`: it waits for SOM or the
 * library to say more.
 */
export const caseVerdicts = [
  'passed',
  'failed',
  'undecided',
  'not run',
  'not applicable',
  'pending spec',
] as const;

export type CaseVerdict = (typeof caseVerdicts)[number];

export interface CheckReport {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string;
}

export interface CaseReport {
  readonly case_id: string;
  readonly title: string;
  readonly basis?: Basis;
  readonly instance?: string;
  readonly verdict: CaseVerdict;
  readonly reason?: string;
  readonly advice?: string;
  /** What whoever runs the system has to do now. */
  readonly ask?: string;
  readonly checks: readonly CheckReport[];
  readonly message_ids: readonly string[];
  readonly rules: readonly string[];
  readonly started_at?: string;
  readonly ended_at?: string;
}

export type CheckTotals = Readonly<Record<CaseVerdict, number>>;

export interface CoverageReport {
  readonly percent: number;
  readonly rows: readonly {
    readonly message_type: string;
    readonly member: string;
    readonly required: boolean;
    readonly seen: boolean;
    readonly values_seen?: readonly string[];
    readonly values_missing?: readonly string[];
  }[];
}

export interface CheckedConnection {
  readonly connection_id: string;
  readonly kind: 'producer' | 'consumer';
  readonly app_id: string;
  /** As its organisation calls the app, when the run was started. */
  readonly app_name?: string;
  readonly system_ids: readonly string[];
}

/**
 * `running`: not all cases are decided yet. `aborted`: somebody stopped it, or it could not
 * continue (`reason`).
 */
export type RunStatus = 'running' | 'finished' | 'aborted';

export interface ReportResponse {
  readonly run_id: string;
  readonly kind: CheckKind;
  readonly status: RunStatus;
  readonly reason?: string;
  /** What the system was said to be. */
  readonly role?: string;
  /** The same in words, with their article. */
  readonly role_name?: string;
  /**
   * A finished run passes if at least one case passed, none failed, and nothing that it had to
   * prove is left.
   */
  readonly passed: boolean;
  /** What it had to prove and was not run: ids of cases, or several of which one would do. */
  readonly unproven: readonly string[];
  readonly suite: string;
  readonly versions: { readonly bus: string; readonly som: string; readonly library: string };
  readonly workspace_id: string;
  readonly workspace_name?: string;
  /** Of the system under test, as whoever started the run has told. */
  readonly system_version?: string;
  /** The path below which the bus tells the digest of this report to everybody who knows it. */
  readonly evidence?: string;
  readonly connections: readonly CheckedConnection[];
  readonly started_at: string;
  readonly ended_at?: string;
  readonly words: readonly string[];
  readonly totals: CheckTotals;
  readonly notes: readonly string[];
  readonly cases: readonly CaseReport[];
  readonly coverage?: CoverageReport;
}
