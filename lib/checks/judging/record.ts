import { hash } from 'node:crypto';
import type { Sighting } from '../../access/registry/test-runs.ts';
import type { ReceiveRecord } from '../../bus/activity/records.ts';
import { isJsonObject, type JsonObject, jsonIn, textOf } from '../../platform/json/value.ts';

/** What the bus saw in a run: everything that a judge may look at. Times are epoch milliseconds. */

export interface PlayedMessage {
  readonly messageId: string;
  readonly messageType: string;
  readonly at: number;
  /** Empty: it was accepted. A refused fixture is the bus's error. */
  readonly rules: readonly string[];
}

export interface PlayedStep {
  /** When its action was done: of a play, when its first message was accepted. */
  readonly at: number;
  /**
   * When its messages were in the queue, if that was later because a turn stopped halfway: the
   * limit counts from then.
   */
  readonly deliveredAt?: number;
  /**
   * When it was planned: the time in its messages, which stay the same if a turn has to repeat the
   * action.
   */
  readonly plannedAt?: number;
  /** Of `again`: the messages that were put into the queue once more. */
  readonly played: readonly PlayedMessage[];
  readonly replay?: string;
  readonly isPlanned?: true;
  readonly settledAt?: number;
}

export interface CaseRecord {
  readonly id: string;
  readonly correlationId: string;
  readonly storyId: string;
  /** What was missing. */
  readonly notRun?: string;
  /** Why it says nothing about the connections under test. */
  readonly notApplicable?: string;
  readonly stopped?: string;
  readonly steps: readonly PlayedStep[];
}

export type SeenAttempt = Omit<Extract<Sighting, { readonly kind: 'attempt' }>, 'kind'>;

export interface RunRecord {
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly reason?: string;
  readonly cases: readonly CaseRecord[];
  readonly attempts: readonly SeenAttempt[];
  /** The message_ids of warnings of which no cause is on the bus, as the run's last look found. */
  readonly strays?: readonly string[];
  /**
   * What the consumer under test received of the messages that were played, and how that ended; in
   * order.
   */
  readonly receives: readonly ReceiveRecord[];
  readonly tokens: readonly { readonly at: number; readonly refused: boolean }[];
}

export const warningType = 'skill.warning.raised';

export const caseRecord = ({ cases }: RunRecord, id: string): CaseRecord | undefined =>
  cases.find(own => own.id === id);

/** The messages that were played in a case. */
export const playedIn = (record: CaseRecord | undefined): readonly PlayedMessage[] =>
  record?.steps.flatMap(({ played }) => played) ?? [];

export const payloadOf = ({ message }: SeenAttempt): JsonObject => {
  const payload = message?.['payload'];
  return isJsonObject(payload) ? payload : {};
};

export const isAbout = ({ storyId, correlationId }: CaseRecord, attempt: SeenAttempt): boolean =>
  textOf(payloadOf(attempt), 'story_id') === storyId || attempt.correlationId === correlationId;

/**
 * The step that an attempt belongs to: the last one before it that played its cause, else the last
 * one before it.
 */
export const stepIndexOf = (steps: readonly PlayedStep[], { at, message }: SeenAttempt): number => {
  const cause = textOf(message, 'causation_id');
  const before = steps.filter(step => step.at <= at);
  const ofCause = before.findLastIndex(({ played }) =>
    played.some(({ messageId }) => messageId === cause),
  );
  return ofCause >= 0 ? ofCause : Math.max(0, before.length - 1);
};

export const isAccepted = ({ outcome }: SeenAttempt): boolean => outcome === 'accepted';

/** An attempt that nobody saw, of which the bus has the accepted message. */
export const acceptedAttempt = (body: Uint8Array, at: number): SeenAttempt => {
  const message = jsonIn(body);
  return {
    at,
    outcome: 'accepted',
    rules: [],
    messageId: textOf(message, 'message_id'),
    messageType: textOf(message, 'message_type'),
    correlationId: textOf(message, 'correlation_id'),
    bodyHash: hash('sha256', body, 'base64url'),
    sizeBytes: body.byteLength,
    ...(isJsonObject(message) && { message }),
  };
};
