import type { JsonObject } from '../../platform/json/value.ts';

export type Sighting =
  | {
      readonly kind: 'attempt';
      /** Epoch milliseconds. */
      readonly at: number;
      /** `duplicate`: the same message was accepted before. */
      readonly outcome: 'accepted' | 'duplicate' | 'refused';
      readonly rules: readonly string[];
      /**
       * The run's own fault: `refused` (nothing was done), `lost` (the response, after the commit)
       * or `slow` (the response came late).
       */
      readonly injected?: 'refused' | 'lost' | 'slow';
      /** Seconds that the response asked to wait. */
      readonly retryAfterSeconds?: number;
      readonly messageId?: string;
      readonly messageType?: string;
      readonly correlationId?: string;
      /** SHA-256 of the bytes, base64url. */
      readonly bodyHash: string;
      readonly sizeBytes: number;
      /** The message, unless it is no JSON object or is larger than what is kept. */
      readonly message?: JsonObject;
    }
  | { readonly kind: 'registrations'; readonly at: number }
  | { readonly kind: 'token'; readonly at: number; readonly refused: boolean };

export interface InjectedFault {
  readonly refuse?: { readonly status: 401 | 429 | 503; readonly retryAfterSeconds?: number };
  readonly loseResponse?: true;
  readonly slowMilliseconds?: number;
}

export interface RunAudience {
  /** The consumer that alone gets them; none in a run of a producer. */
  readonly consumer?: string;
  /** The labels of the skill instances that the run itself registered. */
  readonly labels: readonly string[];
}

/**
 * How the bus's own edges take part in runs of checks. Only connections and ids of a run cause
 * calls.
 */
export interface TestRuns {
  /**
   * Undefined if no such run is recorded. One that is over counts: its late responses are nobody
   * else's.
   */
  audienceOf(run: string, workspace: string): Promise<RunAudience | undefined>;
  /**
   * Takes the fault that a run wants at this publish; undefined if the run does not go on. Never
   * fails.
   */
  takeFault(run: string): Promise<InjectedFault | undefined>;
  /**
   * Records what was seen, during the run. Never fails: what cannot be recorded is missing from the
   * run.
   */
  note(run: string, sighting: Sighting): Promise<void>;
}

export interface TestMarks {
  /**
   * Puts a connection under test; false if it is revoked, or in another run.
   *
   * @param before a run that is over, whose mark may be replaced
   */
  mark(connection: string, run: string, before?: string): Promise<boolean>;
  /**
   * Ends the mark of a run.
   *
   * @param lately until then, epoch milliseconds, the connection may still know the run's instances
   */
  unmark(connection: string, run: string, lately?: number): Promise<void>;
}
