import { textOf } from '../../platform/json/value.ts';
import type { ExecutorConduct } from '../plans.ts';
import { isAccepted, payloadOf, type RunRecord, type SeenAttempt, warningType } from './record.ts';
import { check, type Findings, foundTexts } from './verdict.ts';

/** A message that was accepted, and the message_id of what it answers. */
export interface AcceptedAnswer {
  readonly answer: SeenAttempt;
  readonly cause: string;
}

interface TimedAnswer extends AcceptedAnswer {
  /** From the acknowledgement of the cause to the answer; below zero, the answer came first. */
  readonly lateMilliseconds: number;
}

/** Those whose cause was acknowledged. */
const timedAnswers = (
  { receives }: RunRecord,
  answers: readonly AcceptedAnswer[],
): readonly TimedAnswer[] =>
  answers.flatMap(({ answer, cause }) => {
    const receive = receives.findLast(
      ({ messageId, takenAt }) => messageId === cause && takenAt <= answer.at,
    );
    const acknowledgedAt = receive?.acknowledgedAt;
    if (acknowledgedAt === undefined) return [];
    return [{ answer, cause, lateMilliseconds: answer.at - acknowledgedAt }];
  });

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;
/** So many answers that all come a little later than the acknowledgement are no accident. */
const minAlwaysLate = 3;

/**
 * Whether each message was acknowledged after what answers it was accepted.
 *
 * @param noun what the answers are, such as `warning`
 */
export const actsFirst = (
  record: RunRecord,
  accepted: readonly AcceptedAnswer[],
  noun: string,
): Findings => {
  const answers = timedAnswers(record, accepted);
  const isAlwaysLate =
    answers.length >= minAlwaysLate &&
    answers.every(({ lateMilliseconds }) => lateMilliseconds > 0);
  const tolerance = isAlwaysLate ? 0 : toleranceMilliseconds;
  const late = answers.filter(({ lateMilliseconds }) => lateMilliseconds > tolerance);

  const texts = late.map(
    ({ answer, cause, lateMilliseconds }) =>
      `${cause} was acknowledged ${lateMilliseconds} ms before its ${noun} ${answer.messageId}`,
  );
  const findings = {
    checks: [check('order', `the ${noun}, and then the acknowledgement`, foundTexts(texts))],
    messageIds: late.flatMap(({ answer, cause }) => [cause, answer.messageId ?? '']),
  };
  if (answers.length > 0) return findings;
  return { ...findings, unproven: 'No message that it answered was acknowledged over HTTPS.' };
};

const warningsIn = ({ attempts }: RunRecord): readonly SeenAttempt[] =>
  attempts.filter(isAccepted).filter(({ messageType }) => messageType === warningType);

const nothingElse = (record: RunRecord): Findings => {
  const { attempts, strays = [] } = record;
  const strayWarnings = attempts
    .filter(isAccepted)
    .filter(({ messageId = '' }) => strays.includes(messageId));
  const texts = strayWarnings.map(warning => {
    const { story_id: story } = payloadOf(warning);
    const cause = textOf(warning.message, 'causation_id');
    const answered = cause === '' ? 'nothing' : `${cause}, which is not in its correlation`;
    return `${warning.messageId} about the story ${story}, in answer to ${answered}`;
  });
  const findings = {
    checks: [check('warnings', 'only those that answer a message', foundTexts(texts))],
    messageIds: strayWarnings.flatMap(({ messageId }) => messageId ?? []),
  };
  if (warningsIn(record).length > 0) return findings;
  return { ...findings, unproven: 'It sent no warning.' };
};

export const executorConduct = (conduct: ExecutorConduct, record: RunRecord): Findings => {
  if (conduct === 'nothingElse') return nothingElse(record);
  const warnings = warningsIn(record).map(answer => ({
    answer,
    cause: textOf(answer.message, 'causation_id'),
  }));
  return actsFirst(record, warnings, 'warning');
};
