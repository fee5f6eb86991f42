import { textOf } from '../../platform/json/value.ts';
import type { ReactionExpectation } from '../plans.ts';
import { actsFirst } from './executor-conduct.ts';
import {
  caseRecord,
  type PlayedMessage,
  payloadOf,
  type RunRecord,
  type SeenAttempt,
} from './record.ts';
import { groupsBy } from './told.ts';
import { check, type Findings, foundTexts, type Judge, measured } from './verdict.ts';

/** What a run was told of the reaction that it has to look for. */
export interface WantedReaction {
  /** Without it, every type is one that answered two messages of the run. */
  readonly messageType?: string;
  readonly withinSeconds: number;
}

/** A message of the run that the system may react to. */
interface Trigger extends Pick<PlayedMessage, 'messageId' | 'messageType' | 'at'> {
  readonly caseId: string;
  readonly correlationId: string;
}

interface Reaction {
  readonly attempt: SeenAttempt;
  readonly trigger: Trigger;
}

const triggersIn = ({ cases }: RunRecord): ReadonlyMap<string, Trigger> =>
  new Map(
    cases.flatMap(({ id: caseId, correlationId, steps }) =>
      steps
        .filter(({ replay }) => replay === undefined)
        .flatMap(({ played, deliveredAt }) =>
          played.map(({ messageId, messageType, at }) => {
            const trigger = { messageId, messageType, at: deliveredAt ?? at };
            return [messageId, { ...trigger, caseId, correlationId }] as const;
          }),
        ),
    ),
  );

/** A message that names no cause answers the last one of its correlation. */
const triggerOf = (
  triggers: ReadonlyMap<string, Trigger>,
  { message, correlationId, at }: SeenAttempt,
): Trigger | undefined => {
  const cause = triggers.get(textOf(message, 'causation_id'));
  if (cause) return cause;
  return [...triggers.values()].findLast(
    trigger => trigger.correlationId === correlationId && trigger.at <= at,
  );
};

/** Each message that the bus accepted, or refused, once. */
const answersIn = (record: RunRecord, outcome: SeenAttempt['outcome']): readonly Reaction[] => {
  const triggers = triggersIn(record);
  const known = new Set<string | undefined>();
  return record.attempts.flatMap(attempt => {
    if (attempt.outcome !== outcome || known.has(attempt.messageId)) return [];
    known.add(attempt.messageId);
    const trigger = triggerOf(triggers, attempt);
    return trigger === undefined ? [] : [{ attempt, trigger }];
  });
};

const seenTwice = (answers: readonly Reaction[]): ReadonlySet<string | undefined> => {
  const types = [...new Set(answers.map(({ attempt }) => attempt.messageType))];
  return new Set(
    types.filter(type => {
      const own = answers.filter(({ attempt }) => attempt.messageType === type);
      return new Set(own.map(({ trigger }) => trigger.messageId)).size > 1;
    }),
  );
};

const reactionsIn = (record: RunRecord, wanted: WantedReaction): readonly Reaction[] => {
  const answers = answersIn(record, 'accepted');
  const { messageType } = wanted;
  const types = messageType === undefined ? seenTwice(answers) : new Set([messageType]);
  return answers.filter(({ attempt }) => types.has(attempt.messageType));
};

/** What a reaction is about: one cause may need several, about different things. */
const subjectMembers = ['asset_id', 'destination_id', 'story_id', 'target', 'rule_id', 'scope'];

const subjectOf = ({ attempt, trigger }: Reaction): string => {
  const payload = payloadOf(attempt);
  const subject = subjectMembers.map(member => payload[member]);
  return JSON.stringify([trigger.messageId, attempt.messageType, subject]);
};

const named = ({ messageId, messageType, caseId }: Trigger): string =>
  `${messageId} (${messageType} of ${caseId})`;

const repeatedIn = (reactions: readonly Reaction[]): readonly (readonly Reaction[])[] =>
  [...groupsBy(reactions, subjectOf).values()].filter(group => group.length > 1);

const idsOf = (reactions: readonly Reaction[]): readonly string[] =>
  reactions.flatMap(({ attempt, trigger }) => [trigger.messageId, attempt.messageId ?? '']);

const isEmptyOf = (
  reactions: readonly Reaction[],
  { messageType }: WantedReaction,
): Pick<Findings, 'unproven'> => {
  if (reactions.length > 0) return {};
  const what = messageType === undefined ? 'nothing twice' : `nothing with ${messageType}`;
  return { unproven: `It reacted to ${what}: is it running, and may its producer send that?` };
};

const once = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const repeated = repeatedIn(reactions);
  const found = foundTexts(
    repeated.flatMap(group => {
      const [first] = group;
      if (!first) return [];
      const ids = group.map(({ attempt }) => attempt.messageId).join(', ');
      return [`${group.length} ${first.attempt.messageType} for ${named(first.trigger)}: ${ids}`];
    }),
  );
  return {
    checks: [check('count', 'one reaction to each message', found)],
    messageIds: idsOf(repeated.flat()),
    ...isEmptyOf(reactions, wanted),
  };
};

const crashCase = 'delivery/crash';

/** The message at which the system was stopped, if it got it twice. */
const stoppedAt = (record: RunRecord): Trigger | undefined => {
  const ids = caseRecord(record, crashCase)?.steps.flatMap(({ played }) =>
    played.map(({ messageId }) => messageId),
  );
  const [id = ''] = ids ?? [];
  const receives = record.receives.filter(({ messageId }) => messageId === id);
  return receives.length > 1 ? triggersIn(record).get(id) : undefined;
};

const notStopped: Findings = {
  checks: [],
  unproven: 'It was not stopped with a message in its hands: see delivery/crash.',
};

/** Whether a system reacted, got the message once more, and reacted again. */
const isMadeAnew = ({ receives }: RunRecord, reactions: readonly Reaction[]): boolean =>
  receives.some(({ messageId, takenAt }) => {
    const own = reactions.filter(({ trigger }) => trigger.messageId === messageId);
    const before = own.filter(({ attempt }) => attempt.at < takenAt);
    return before.length > 0 && before.length < own.length;
  });

const afterCrashText = (record: RunRecord, reactions: readonly Reaction[]): string => {
  const rules = foundTexts(reactions.flatMap(({ attempt }) => attempt.rules));
  const anew = isMadeAnew(record, reactions) ? ', made anew when it came again' : '';
  const refused = rules === undefined ? '' : `, refused by ${rules}`;
  return `${anew}${refused}`;
};

const afterCrash = (record: RunRecord, wanted: WantedReaction): Findings => {
  const trigger = stoppedAt(record);
  if (!trigger) return notStopped;
  const reactions = reactionsIn(record, wanted);
  const alike = reactions.filter(one => one.trigger.messageType === trigger.messageType);
  const own = alike.filter(one => one.trigger.messageId === trigger.messageId);
  if (alike.length === own.length)
    return {
      checks: [],
      unproven: `It reacted to no other ${trigger.messageType}: nobody can say that it should have.`,
    };
  const refused = answersIn(record, 'refused').filter(
    one => one.trigger.messageId === trigger.messageId,
  );
  const [repeated = own.slice(0, 1)] = repeatedIn([...own, ...refused]);
  const count = repeated.length;
  const told = afterCrashText(record, repeated);
  const found = `${count === 0 ? 'none' : count} to ${named(trigger)}${told}`;
  return {
    checks: [measured('count', count === 1, ['one reaction to the message', found])],
    messageIds: [trigger.messageId, ...idsOf(own)],
  };
};

const beforeAck = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const accepted = reactions.map(({ attempt: answer, trigger }) => ({
    answer,
    cause: trigger.messageId,
  }));
  return { ...actsFirst(record, accepted, 'reaction'), ...isEmptyOf(reactions, wanted) };
};

const correlation = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const torn = reactions.filter(
    ({ attempt, trigger }) => attempt.correlationId !== trigger.correlationId,
  );
  const found = foundTexts(
    torn.map(
      ({ attempt, trigger }) =>
        `${attempt.messageId} has ${attempt.correlationId}, ` +
        `and ${named(trigger)} has ${trigger.correlationId}`,
    ),
  );
  return {
    checks: [check('correlation', 'that of the message it answers', found)],
    messageIds: idsOf(torn),
    ...isEmptyOf(reactions, wanted),
  };
};

const refusedAdvice =
  'Look at the rules by which it was refused: docs/rules says for each what to do. A number that ' +
  'does not increase is one that was forgotten on a restart, or used twice.';

const ownSystem = (record: RunRecord, wanted: WantedReaction): Findings => {
  const refused = answersIn(record, 'refused').filter(({ attempt }) => attempt.rules.length > 0);
  const found = foundTexts(
    refused.map(({ attempt }) => `${attempt.messageId} refused by ${attempt.rules.join(', ')}`),
  );
  const reactions = reactionsIn(record, wanted);
  const rules = refused.flatMap(({ attempt }) => attempt.rules);
  const isForeign = rules.includes('producer.system_id_not_allowed');
  return {
    checks: [check('accepted', 'each reaction accepted, as a system of its own', found)],
    messageIds: idsOf(refused),
    rules,
    ...(rules.length > 0 && !isForeign && { advice: refusedAdvice }),
    ...isEmptyOf(reactions, wanted),
  };
};

/** From when the system had the message, if that is known, to when the bus had the reaction. */
const secondsOf = ({ receives }: RunRecord, { attempt, trigger }: Reaction): number => {
  const receive = receives.findLast(
    one => one.messageId === trigger.messageId && one.takenAt <= attempt.at,
  );
  return (attempt.at - (receive?.takenAt ?? trigger.at)) / 1000;
};

const inTime = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const late = reactions.filter(one => secondsOf(record, one) > wanted.withinSeconds);
  const found = foundTexts(
    late.map(
      one =>
        `${secondsOf(record, one).toFixed(1)} s from ${named(one.trigger)} to ${one.attempt.messageId}`,
    ),
  );
  return {
    checks: [check('time', `within ${wanted.withinSeconds} s`, found)],
    messageIds: idsOf(late),
    ...isEmptyOf(reactions, wanted),
  };
};

const looks: Readonly<
  Record<ReactionExpectation['look'], (record: RunRecord, wanted: WantedReaction) => Findings>
> = { once, afterCrash, actsFirst: beforeAck, correlation, ownSystem, inTime };

/** Judges what a system publishes because of what it received. */
export const reactionJudge =
  (wanted: WantedReaction): Judge<ReactionExpectation> =>
  (one, record) => {
    const look = one.steps[0]?.expects?.look;
    return look === undefined ? { checks: [] } : looks[look](record, wanted);
  };
