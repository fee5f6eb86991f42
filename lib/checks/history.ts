import { createHash } from 'node:crypto';
import type { ReportResponse } from '../contract/checks.ts';
import { isJsonObject, type JsonObject, jsonIn, textOf } from '../json/value.ts';
import { producerJudge } from './producer-judge.ts';
import { historyPlan } from './producer-plan.ts';
import type { Attempt, RunRecord } from './record.ts';
import { reportOf } from './report.ts';
import { coverageIn } from './suites.ts';
import { judgeCases } from './verdict.ts';

export interface ProducerHistory {
  /** One message each: an envelope, or what `sombus tail` prints, which has one and names its producer. */
  readonly lines: readonly string[];
  readonly producer: string;
  readonly messageTypes: readonly string[];
  readonly busVersion: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const messageIn = (line: string, producer: string): JsonObject | undefined => {
  const value = jsonIn(Buffer.from(line));
  if (!isJsonObject(value)) return undefined;
  const { envelope } = value;
  if (!isJsonObject(envelope)) return value;
  return textOf(value, 'producer_id') === producer ? envelope : undefined;
};

const acceptedOf = (message: JsonObject, at: number): Attempt => {
  const text = JSON.stringify(message);
  return {
    at,
    outcome: 'accepted',
    rules: [],
    messageId: textOf(message, 'message_id'),
    messageType: textOf(message, 'message_type'),
    correlationId: textOf(message, 'correlation_id'),
    bodyHash: createHash('sha256').update(text).digest('base64url'),
    sizeBytes: Buffer.byteLength(text),
    message,
  };
};

/** Judges what a producer has sent by the cases that need nothing else. A bus has accepted it: what was refused is not there. */
export const historyReport = (history: ProducerHistory): ReportResponse => {
  const { lines, producer, messageTypes, busVersion, now } = history;
  const plan = historyPlan({ messageTypes });
  const messages = lines.map(line => messageIn(line, producer)).filter(one => one !== undefined);
  const record: RunRecord = {
    startedAt: now,
    endedAt: now,
    cases: plan.cases.map(({ id }) => ({
      id,
      correlationId: '',
      storyId: '',
      steps: [{ at: now, played: [], settledAt: now }],
    })),
    attempts: messages.map(message => acceptedOf(message, now)),
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
      notes: [`${messages.length} of ${lines.length} lines were messages of ${producer}.`],
    },
    judgeCases(plan, producerJudge, record),
    coverageIn(record, messageTypes),
  );
};
