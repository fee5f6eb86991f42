import type { ReportResponse } from '../contract/portal/checks.ts';
import { isJsonObject, jsonIn, textOf } from '../platform/json/value.ts';
import { producerJudge } from './judging/producer-judge.ts';
import { acceptedAttempt } from './judging/record.ts';
import { judgeCases } from './judging/verdict.ts';
import { historyPlan } from './plans.ts';
import { reportOf } from './reports/report.ts';
import { coverageIn } from './suites.ts';

export interface ProducerHistory {
  /**
   * One message each: an envelope, or what `sombus tail` prints, which has one and names its
   * producer.
   */
  readonly lines: readonly string[];
  readonly producer: string;
  readonly messageTypes: readonly string[];
  readonly busVersion: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The bytes of a message of the producer; undefined if the line has none. */
const messageIn = (line: string, producer: string): Uint8Array | undefined => {
  const value = jsonIn(line);
  if (!isJsonObject(value)) return undefined;
  const { envelope } = value;
  if (!isJsonObject(envelope)) return Buffer.from(JSON.stringify(value));
  return textOf(value, 'producer_id') === producer
    ? Buffer.from(JSON.stringify(envelope))
    : undefined;
};

/**
 * Judges what a producer has sent by the cases that need nothing else. A bus has accepted it: what
 * was refused is not there.
 */
export const historyReport = (history: ProducerHistory): ReportResponse => {
  const { lines, producer, messageTypes, busVersion, now } = history;
  const plan = historyPlan(messageTypes);
  const attempts = lines
    .map(line => messageIn(line, producer))
    .filter(one => one !== undefined)
    .map(body => acceptedAttempt(body, now));
  const steps = [{ at: now, played: [], settledAt: now }];
  const record = {
    startedAt: now,
    endedAt: now,
    cases: plan.map(({ id }) => ({ id, correlationId: '', storyId: '', steps })),
    attempts,
    receives: [],
    tokens: [],
  };
  return reportOf(
    {
      id: 'history',
      kind: 'producer',
      status: 'finished',
      busVersion,
      workspace: '',
      connections: [{ connection_id: producer, kind: 'producer', app_id: '', system_ids: [] }],
      createdAt: now,
      endedAt: now,
      // How it retries is not seen in what it sent.
      leftOut: ['retries'],
      notes: [`${attempts.length} of ${lines.length} lines were messages of ${producer}.`],
    },
    judgeCases(plan, producerJudge, record),
    coverageIn(attempts, messageTypes),
  );
};
