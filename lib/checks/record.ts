import type { ReceiveRecord } from '../activity/records.ts';
import type { JsonObject } from '../json/value.ts';

/** What the bus saw in a run: everything that a judge may look at. Times are epoch milliseconds. */

/** A message that the bus played. */
export interface Played {
  readonly messageId: string;
  readonly messageType: string;
  /** When it was accepted, or refused. */
  readonly at: number;
  /** Empty: it was accepted. A refused fixture is the bus's fault. */
  readonly rules: readonly string[];
}

/** A step of a case, as far as it went. */
export interface PlayedStep {
  /** When its action was done. */
  readonly at: number;
  /** Of `again`: the messages that were put into the queue once more. */
  readonly played: readonly Played[];
  /** The replay that sent them, if the step was `again`. */
  readonly replay?: string;
  /** When it was over. */
  readonly settledAt?: number;
}

/** A case of a run, as far as it went. */
export interface CaseRecord {
  readonly id: string;
  readonly correlationId: string;
  readonly storyId: string;
  /** Why it was not run. */
  readonly notRun?: string;
  readonly steps: readonly PlayedStep[];
}

/** What the bus answered to an attempt to publish. `duplicate`: the same message was accepted before. */
export type AttemptOutcome = 'accepted' | 'duplicate' | 'refused';

/** The producer under test tried to publish. */
export interface Attempt {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  /** The rules by which it was refused. */
  readonly rules: readonly string[];
  /** The fault that the run injected, if it did: `refused` (nothing was done) or `lost` (the answer, after the commit). */
  readonly injected?: 'refused' | 'lost';
  /** Seconds that the answer asked to wait. */
  readonly retryAfterSeconds?: number;
  /** The identifiers, as far as the body told. */
  readonly messageId?: string;
  readonly messageType?: string;
  readonly correlationId?: string;
  /** SHA-256 of the bytes, base64url. */
  readonly bodyHash: string;
  readonly sizeBytes: number;
  /** The message, unless it is no JSON object or is larger than what is kept. */
  readonly message?: JsonObject;
}

/** The record of a run. */
export interface RunRecord {
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly cases: readonly CaseRecord[];
  /** What the producer under test sent, in order. */
  readonly attempts: readonly Attempt[];
  /** What the consumer under test received of the messages that were played, and how that ended; in order. */
  readonly receives: readonly ReceiveRecord[];
  /** When the producer under test was given a token, or refused one. */
  readonly tokens: readonly { readonly at: number; readonly refused: boolean }[];
}

export const caseRecord = ({ cases }: RunRecord, id: string): CaseRecord | undefined =>
  cases.find(one => one.id === id);
