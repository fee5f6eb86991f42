import { textOf } from '../../platform/json/value.ts';
import type { ExecutorConduct } from '../plans.ts';
import { payloadOf, type RunRecord, type SeenAttempt, warningType } from './record.ts';
import { check, type Findings, foundTexts } from './verdict.ts';

interface Answer {
  readonly warning: SeenAttempt;
  readonly cause: string;
  /** From the acknowledgement of the cause to the warning; below zero, the warning came first. */
  readonly lateMilliseconds: number;
}

/** The warnings whose cause was acknowledged. */
const answersIn = ({ attempts, receives }: RunRecord): readonly Answer[] =>
  attempts.flatMap(warning => {
    if (warning.outcome !== 'accepted' || warning.messageType !== warningType) return [];
    const cause = textOf(warning.message, 'causation_id');
    const receive = receives.findLast(one => one.messageId === cause && one.takenAt <= warning.at);
    const acknowledgedAt = receive?.acknowledgedAt;
    if (acknowledgedAt === undefined) return [];
    return [{ warning, cause, lateMilliseconds: warning.at - acknowledgedAt }];
  });

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;
/** So many warnings that all come a little later than the acknowledgement are no accident. */
const telling = 3;

const actsFirst = (record: RunRecord): Findings => {
  const answers = answersIn(record);
  const after = answers.filter(({ lateMilliseconds }) => lateMilliseconds > 0);
  const isAlways = answers.length >= telling && after.length === answers.length;
  const clear = after.filter(({ lateMilliseconds }) => lateMilliseconds > toleranceMilliseconds);
  const late = isAlways ? after : clear;
  const found = foundTexts(
    late.map(
      ({ warning, cause, lateMilliseconds }) =>
        `${cause} was acknowledged ${lateMilliseconds} ms before its warning ${warning.messageId}`,
    ),
  );
  return {
    checks: [check('order', 'the warning, and then the acknowledgement', found)],
    messageIds: late.flatMap(({ warning, cause }) => [cause, warning.messageId ?? '']),
    ...(!(answers.length > 0) && {
      unproven: 'No message that it answered was acknowledged over HTTPS.',
    }),
  };
};

const nothingElse = ({ attempts, strays = [] }: RunRecord): Findings => {
  const odd = attempts.filter(
    ({ outcome, messageId }) => outcome === 'accepted' && strays.includes(messageId ?? ''),
  );
  const hasWarned = attempts.some(
    ({ outcome, messageType }) => outcome === 'accepted' && messageType === warningType,
  );
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

export const executorConduct = (conduct: ExecutorConduct, record: RunRecord): Findings =>
  conduct === 'actsFirst' ? actsFirst(record) : nothingElse(record);
