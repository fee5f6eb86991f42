import { textOf } from '../../platform/json/value.ts';
import type { ExecutorConduct } from '../plans.ts';
import { payloadOf, type RunRecord, type SeenAttempt, warningType } from './record.ts';
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
const timed = (
  { receives }: RunRecord,
  answers: readonly AcceptedAnswer[],
): readonly TimedAnswer[] =>
  answers.flatMap(({ answer, cause }) => {
    const receive = receives.findLast(one => one.messageId === cause && one.takenAt <= answer.at);
    const acknowledgedAt = receive?.acknowledgedAt;
    if (acknowledgedAt === undefined) return [];
    return [{ answer, cause, lateMilliseconds: answer.at - acknowledgedAt }];
  });

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;
/** So many answers that all come a little later than the acknowledgement are no accident. */
const telling = 3;

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
  const answers = timed(record, accepted);
  const after = answers.filter(({ lateMilliseconds }) => lateMilliseconds > 0);
  const isAlways = answers.length >= telling && after.length === answers.length;
  const clear = after.filter(({ lateMilliseconds }) => lateMilliseconds > toleranceMilliseconds);
  const late = isAlways ? after : clear;
  const found = foundTexts(
    late.map(
      ({ answer, cause, lateMilliseconds }) =>
        `${cause} was acknowledged ${lateMilliseconds} ms before its ${noun} ${answer.messageId}`,
    ),
  );
  return {
    checks: [check('order', `the ${noun}, and then the acknowledgement`, found)],
    messageIds: late.flatMap(({ answer, cause }) => [cause, answer.messageId ?? '']),
    ...(!(answers.length > 0) && {
      unproven: 'No message that it answered was acknowledged over HTTPS.',
    }),
  };
};

const warningsIn = ({ attempts }: RunRecord): readonly SeenAttempt[] =>
  attempts.filter(
    ({ outcome, messageType }) => outcome === 'accepted' && messageType === warningType,
  );

const nothingElse = (record: RunRecord): Findings => {
  const { attempts, strays = [] } = record;
  const odd = attempts.filter(
    ({ outcome, messageId }) => outcome === 'accepted' && strays.includes(messageId ?? ''),
  );
  const hasWarned = warningsIn(record).length > 0;
  const found = foundTexts(
    odd.map(one => {
      const { story_id: story } = payloadOf(one);
      const cause = textOf(one.message, 'causation_id');
      const answered = cause === '' ? 'nothing' : `${cause}, which is not in its correlation`;
      return `${one.messageId} about the story ${story}, in answer to ${answered}`;
    }),
  );
  return {
    checks: [check('warnings', 'only those that answer a message', found)],
    messageIds: odd.flatMap(({ messageId }) => messageId ?? []),
    ...(!hasWarned && { unproven: 'It sent no warning.' }),
  };
};

export const executorConduct = (conduct: ExecutorConduct, record: RunRecord): Findings => {
  if (conduct === 'nothingElse') return nothingElse(record);
  const warnings = warningsIn(record).map(answer => ({
    answer,
    cause: textOf(answer.message, 'causation_id'),
  }));
  return actsFirst(record, warnings, 'warning');
};
