import { textOf } from '../../platform/json/value.ts';
import type { ReactionExpectation } from '../plans.ts';
import { groupsBy } from './accepted-messages.ts';
import { actsFirst } from './executor-conduct.ts';
import {
  caseRecord,
  type PlayedMessage,
  payloadOf,
  playedIn,
  type RunRecord,
  type SeenAttempt,
} from './record.ts';
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

/** By their message_ids. */
const triggersIn = ({ cases }: RunRecord): ReadonlyMap<string, Trigger> => {
  const triggers = cases.flatMap(({ id: caseId, correlationId, steps }) => {
    const own = steps.filter(({ replay }) => replay === undefined);
    return own.flatMap(({ played, deliveredAt }) =>
      played.map(({ messageId, messageType, at }): Trigger => {
        const deliveryTime = deliveredAt ?? at;
        return { messageId, messageType, at: deliveryTime, caseId, correlationId };
      }),
    );
  });
  return new Map(triggers.map(trigger => [trigger.messageId, trigger]));
};

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

/** What answers a message of the run: each message that the bus accepted, or refused, once. */
const answersIn = (record: RunRecord, outcome: SeenAttempt['outcome']): readonly Reaction[] => {
  const triggers = triggersIn(record);
  const seenIds = new Set<string | undefined>();
  return record.attempts.flatMap(attempt => {
    if (attempt.outcome !== outcome || seenIds.has(attempt.messageId)) return [];
    seenIds.add(attempt.messageId);
    const trigger = triggerOf(triggers, attempt);
    return trigger === undefined ? [] : [{ attempt, trigger }];
  });
};

/** Those of a type that answered two messages. */
const ofRepeatedTypes = (answers: readonly Reaction[]): readonly Reaction[] => {
  const byType = groupsBy(answers, ({ attempt }) => attempt.messageType ?? '');
  return answers.filter(({ attempt }) => {
    const [, alike = []] = byType.find(([type]) => type === attempt.messageType) ?? [];
    return new Set(alike.map(({ trigger }) => trigger.messageId)).size > 1;
  });
};

const reactionsIn = (record: RunRecord, { messageType }: WantedReaction): readonly Reaction[] => {
  const answers = answersIn(record, 'accepted');
  if (messageType === undefined) return ofRepeatedTypes(answers);
  return answers.filter(({ attempt }) => attempt.messageType === messageType);
};

/** What a reaction is about: one cause may need several, about different things. */
const subjectMembers = ['asset_id', 'destination_id', 'story_id', 'target', 'rule_id', 'scope'];

const subjectOf = ({ attempt, trigger }: Reaction): string => {
  const payload = payloadOf(attempt);
  const subject = subjectMembers.map(member => payload[member]);
  return JSON.stringify([trigger.messageId, attempt.messageType, subject]);
};

const triggerText = ({ messageId, messageType, caseId }: Trigger): string =>
  `${messageId} (${messageType} of ${caseId})`;

/** Groups of reactions to the same message about the same thing. */
const repeatedIn = (reactions: readonly Reaction[]): readonly (readonly Reaction[])[] =>
  groupsBy(reactions, subjectOf)
    .map(([, group]) => group)
    .filter(group => group.length > 1);

const idsOf = (reactions: readonly Reaction[]): readonly string[] =>
  reactions.flatMap(({ attempt, trigger }) => [trigger.messageId, attempt.messageId ?? '']);

const unprovenBy = (
  reactions: readonly Reaction[],
  { messageType }: WantedReaction,
): Pick<Findings, 'unproven'> => {
  if (reactions.length > 0) return {};
  const missing = messageType === undefined ? 'nothing twice' : `nothing with ${messageType}`;
  return { unproven: `It reacted to ${missing}: is it running, and may its producer send that?` };
};

const once = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const repeated = repeatedIn(reactions);
  const texts = repeated.flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const { attempt, trigger } = first;
    const ids = group.map(({ attempt: { messageId } }) => messageId).join(', ');
    return [`${group.length} ${attempt.messageType} for ${triggerText(trigger)}: ${ids}`];
  });
  return {
    checks: [check('count', 'one reaction to each message', foundTexts(texts))],
    messageIds: idsOf(repeated.flat()),
    ...unprovenBy(reactions, wanted),
  };
};

/** The message at which the system was stopped, if it got it twice. */
const stoppedAt = (record: RunRecord): Trigger | undefined => {
  const [message] = playedIn(caseRecord(record, 'delivery/crash'));
  if (!message) return undefined;
  const { messageId } = message;
  const receives = record.receives.filter(receive => receive.messageId === messageId);
  return receives.length > 1 ? triggersIn(record).get(messageId) : undefined;
};

const notStopped: Findings = {
  checks: [],
  unproven: 'It was not stopped with a message in its hands: see delivery/crash.',
};

/** Whether a system reacted, received the message once more, and reacted again. */
const isRepeatedOnRedelivery = ({ receives }: RunRecord, reactions: readonly Reaction[]): boolean =>
  receives.some(({ messageId, takenAt }) => {
    const own = reactions.filter(({ trigger }) => trigger.messageId === messageId);
    const before = own.filter(({ attempt }) => attempt.at < takenAt);
    return before.length > 0 && before.length < own.length;
  });

const afterCrashText = (
  record: RunRecord,
  trigger: Trigger,
  reactions: readonly Reaction[],
): string => {
  const count = reactions.length === 0 ? 'none' : reactions.length;
  const isRepeated = isRepeatedOnRedelivery(record, reactions);
  const repeat = isRepeated ? ', made anew when it came again' : '';
  const rules = reactions.flatMap(({ attempt }) => attempt.rules);
  return `${count} to ${triggerText(trigger)}${repeat}${foundTexts(rules, ', refused by ') ?? ''}`;
};

const afterCrash = (record: RunRecord, wanted: WantedReaction): Findings => {
  const trigger = stoppedAt(record);
  if (!trigger) return notStopped;
  const reactions = reactionsIn(record, wanted);
  const isOwn = (reaction: Reaction): boolean => reaction.trigger.messageId === trigger.messageId;
  const own = reactions.filter(isOwn);
  const alike = reactions.filter(other => other.trigger.messageType === trigger.messageType);
  if (alike.length === own.length)
    return {
      checks: [],
      unproven: `It reacted to no other ${trigger.messageType}: nobody can say that it should have.`,
    };

  const refused = answersIn(record, 'refused').filter(isOwn);
  const [judged = own.slice(0, 1)] = repeatedIn([...own, ...refused]);
  const found = afterCrashText(record, trigger, judged);
  return {
    checks: [measured('count', judged.length === 1, ['one reaction to the message', found])],
    messageIds: [trigger.messageId, ...idsOf(own)],
  };
};

const beforeAck = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const accepted = reactions.map(({ attempt, trigger }) => ({
    answer: attempt,
    cause: trigger.messageId,
  }));
  return { ...actsFirst(record, accepted, 'reaction'), ...unprovenBy(reactions, wanted) };
};

const correlation = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const split = reactions.filter(
    ({ attempt, trigger }) => attempt.correlationId !== trigger.correlationId,
  );
  const texts = split.map(
    ({ attempt, trigger }) =>
      `${attempt.messageId} has ${attempt.correlationId}, ` +
      `and ${triggerText(trigger)} has ${trigger.correlationId}`,
  );
  return {
    checks: [check('correlation', 'that of the message it answers', foundTexts(texts))],
    messageIds: idsOf(split),
    ...unprovenBy(reactions, wanted),
  };
};

const refusedAdvice =
  'Look at the rules by which it was refused: docs/rules says for each what to do. A number that ' +
  'does not increase is one that was forgotten on a restart, or used twice.';

const ownSystem = (record: RunRecord, wanted: WantedReaction): Findings => {
  const refused = answersIn(record, 'refused').filter(({ attempt }) => attempt.rules.length > 0);
  const texts = refused.map(
    ({ attempt }) => `${attempt.messageId} refused by ${attempt.rules.join(', ')}`,
  );
  const reactions = reactionsIn(record, wanted);
  const rules = refused.flatMap(({ attempt }) => attempt.rules);
  const isForeign = rules.includes('producer.system_id_not_allowed');
  return {
    checks: [
      check('accepted', 'each reaction accepted, as a system of its own', foundTexts(texts)),
    ],
    messageIds: idsOf(refused),
    rules,
    ...(rules.length > 0 && !isForeign && { advice: refusedAdvice }),
    ...unprovenBy(reactions, wanted),
  };
};

/** From when the system had the message, if that is known, to when the bus had the reaction. */
const secondsOf = ({ receives }: RunRecord, { attempt, trigger }: Reaction): number => {
  const receive = receives.findLast(
    ({ messageId, takenAt }) => messageId === trigger.messageId && takenAt <= attempt.at,
  );
  return (attempt.at - (receive?.takenAt ?? trigger.at)) / 1000;
};

const inTime = (record: RunRecord, wanted: WantedReaction): Findings => {
  const reactions = reactionsIn(record, wanted);
  const late = reactions.filter(reaction => secondsOf(record, reaction) > wanted.withinSeconds);
  const texts = late.map(reaction => {
    const seconds = secondsOf(record, reaction).toFixed(1);
    return `${seconds} s from ${triggerText(reaction.trigger)} to ${reaction.attempt.messageId}`;
  });
  return {
    checks: [check('time', `within ${wanted.withinSeconds} s`, foundTexts(texts))],
    messageIds: idsOf(late),
    ...unprovenBy(reactions, wanted),
  };
};

const looks: Readonly<
  Record<ReactionExpectation['look'], (record: RunRecord, wanted: WantedReaction) => Findings>
> = { once, afterCrash, actsFirst: beforeAck, correlation, ownSystem, inTime };

/** Judges what a system publishes because of what it received. */
export const reactionJudge =
  (wanted: WantedReaction): Judge<ReactionExpectation> =>
  ({ steps }, record) => {
    const look = steps[0]?.expects?.look;
    return look === undefined ? { checks: [] } : looks[look](record, wanted);
  };
