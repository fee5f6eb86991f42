import type { ReceiveRecord } from '../../bus/activity/records.ts';
import type { ConsumerExpectation } from '../consumer-plan.ts';
import { groupsBy } from './accepted-messages.ts';
import {
  caseRecord,
  type PlayedMessage,
  type PlayedStep,
  playedIn,
  type RunRecord,
} from './record.ts';
import { byStep, check, type Findings, foundTexts, type Judge, measured } from './verdict.ts';

/**
 * Without a single receive, nothing tells a consumer that does not work from one that the bus
 * cannot see.
 */
const unseen: Findings = {
  checks: [],
  unproven:
    'The consumer received nothing of this run over HTTPS: is it running, and does it pull? ' +
    "What comes by a cloud role's own SQS client is not seen.",
};

const receivesOf = (
  { receives }: RunRecord,
  { replay }: PlayedStep,
  { messageId }: PlayedMessage,
) => receives.filter(receive => receive.messageId === messageId && receive.replay === replay);

const acknowledgedReceive = (receives: readonly ReceiveRecord[]): ReceiveRecord | undefined =>
  receives.find(({ acknowledgedAt }) => acknowledgedAt !== undefined);

/** Of messages that are alike, so many are named. */
const maxNamed = 5;

const firstIds = (messages: readonly Pick<PlayedMessage, 'messageId'>[]): readonly string[] =>
  messages.slice(0, maxNamed).map(({ messageId }) => messageId);

/** Whether a message was acknowledged before its step was over. */
const isHandled = (record: RunRecord, step: PlayedStep, message: PlayedMessage): boolean => {
  const receive = acknowledgedReceive(receivesOf(record, step, message));
  const acknowledgedAt = receive?.acknowledgedAt;
  if (acknowledgedAt === undefined) return false;
  return step.settledAt === undefined || acknowledgedAt <= step.settledAt;
};

const acknowledged = (record: RunRecord, step: PlayedStep): Findings => {
  const unhandled = step.played.filter(message => !isHandled(record, step, message));
  const missed = unhandled.filter(message => receivesOf(record, step, message).length === 0);
  const count = step.played.length;
  const allBut = (some: readonly PlayedMessage[]): string => `${count - some.length} of ${count}`;
  const found = foundTexts(firstIds(unhandled), `${allBut(unhandled)}, not `);
  return {
    checks: [
      check('received', allBut([]), allBut(missed)),
      check('acknowledged', allBut([]), found),
    ],
  };
};

/** The request that a message came with. */
const pullOf = ({ pull }: ReceiveRecord): string => pull.slice(0, pull.lastIndexOf('.'));

interface Acknowledged {
  readonly message: PlayedMessage;
  readonly at: number;
  readonly pull: string;
}

/** Acknowledgements of one pull that are sent side by side overtake each other by less. */
const overtakingMilliseconds = 1_000;

/**
 * That so many messages of a pull are acknowledged in exactly the opposite order is no accident.
 */
const reversedCount = 4;

const reversedPulls = (acknowledgements: readonly Acknowledged[]): ReadonlySet<string> => {
  const reversed = groupsBy(acknowledgements, ({ pull }) => pull).filter(([, group]) => {
    const isEarlier = ({ at }: Acknowledged, index: number): boolean =>
      at < (group[index - 1]?.at ?? Number.POSITIVE_INFINITY);
    return group.length >= reversedCount && group.every(isEarlier);
  });
  return new Set(reversed.map(([pull]) => pull));
};

/** The messages that were acknowledged before one that was published earlier. */
const overtaking = (record: RunRecord, step: PlayedStep): string | undefined => {
  const acknowledgements = step.played.flatMap((message): readonly Acknowledged[] => {
    const receive = acknowledgedReceive(receivesOf(record, step, message));
    const at = receive?.acknowledgedAt;
    if (receive === undefined || at === undefined) return [];
    return [{ message, at, pull: pullOf(receive) }];
  });
  const reversed = reversedPulls(acknowledgements);
  const overtakes = (later: Acknowledged, earlier: Acknowledged): boolean => {
    if (later.at >= earlier.at) return false;
    if (later.pull !== earlier.pull || reversed.has(earlier.pull)) return true;
    return earlier.at - later.at >= overtakingMilliseconds;
  };
  const early = acknowledgements.filter((later, index) =>
    acknowledgements.slice(0, index).some(earlier => overtakes(later, earlier)),
  );
  const ids = firstIds(early.map(({ message }) => message));
  return foundTexts(ids, reversed.size > 0 ? 'the last of a pull first: ' : 'too early: ');
};

const inOrder = (record: RunRecord, step: PlayedStep, afterNack = false): Findings => {
  const wasNacked = (message: PlayedMessage): boolean =>
    receivesOf(record, step, message).some(({ releasedAt }) => releasedAt !== undefined);
  if (afterNack && !step.played.some(wasNacked))
    return {
      checks: [],
      unproven:
        'It returned none of these messages: let it nack the first one, once, and try again.',
    };
  const order = check('order', 'each after the one before', overtaking(record, step));
  return { checks: [...acknowledged(record, step).checks, order] };
};

const nothing = (record: RunRecord, step: PlayedStep): Findings => {
  const came = step.played.filter(message => receivesOf(record, step, message).length > 0);
  return { checks: [check('received', 'nothing', foundTexts(firstIds(came)))] };
};

const receivesOfFirst = (record: RunRecord, step: PlayedStep): readonly ReceiveRecord[] => {
  const [message] = step.played;
  return message ? receivesOf(record, step, message) : [];
};

const received = (record: RunRecord, step: PlayedStep, withinSeconds: number): Findings => {
  const [receive] = receivesOfFirst(record, step);
  const expected = `within ${withinSeconds} s`;
  if (!receive) return { checks: [measured('received', false, [expected, 'never'])] };

  const seconds = (receive.takenAt - step.at) / 1000;
  const found = `after ${seconds.toFixed(1)} s`;
  return { checks: [measured('received', seconds <= withinSeconds, [expected, found])] };
};

/** Whether a message was received once, and is in the consumer's hands at a time. */
const isHiddenAt = ([first, ...others]: readonly ReceiveRecord[], time: number): boolean =>
  first !== undefined &&
  others.length === 0 &&
  first.acknowledgedAt === undefined &&
  first.visibleAt > time;

const redelivered = (record: RunRecord, step: PlayedStep): Findings => {
  const receives = receivesOfFirst(record, step);
  if (isHiddenAt(receives, step.settledAt ?? step.at))
    return {
      checks: [],
      unproven:
        'The message was received with a visibility that is longer than the run can wait. ' +
        'Pull with a shorter one, and try again.',
    };
  const findings = acknowledged(record, step);
  if (receives.length > 1) return findings;
  return {
    ...findings,
    unproven:
      'The message was received once. Stop the consumer before it has handled this message, ' +
      'and start it again.',
  };
};

/** Whether a message became visible again before the consumer was done with it. */
const isOverdue = ({ endedAt = 0, receives }: RunRecord, receive: ReceiveRecord): boolean => {
  const { messageId, replay, takenAt, acknowledgedAt, releasedAt, visibleAt } = receive;
  if (releasedAt !== undefined) return false;
  if (acknowledgedAt !== undefined) return acknowledgedAt > visibleAt;
  const cameAgain = receives.some(
    other => other.messageId === messageId && other.replay === replay && other.takenAt > takenAt,
  );
  return cameAgain || visibleAt < endedAt;
};

/** Whether a message is still hidden at the end, and perhaps being worked on. */
const isOpen = (record: RunRecord, receive: ReceiveRecord): boolean => {
  const { acknowledgedAt, releasedAt } = receive;
  if (acknowledgedAt !== undefined || releasedAt !== undefined) return false;
  return !isOverdue(record, receive);
};

/**
 * The pulls of the message at which the consumer is stopped: it handles nothing else of them,
 * either.
 */
const stoppedPulls = (record: RunRecord): ReadonlySet<string> => {
  const played = playedIn(caseRecord(record, 'delivery/crash'));
  const ids = new Set(played.map(({ messageId }) => messageId));
  return new Set(record.receives.filter(({ messageId }) => ids.has(messageId)).map(pullOf));
};

/** What became of a late message, with the case that it belongs to. */
const lateText = ({ cases, receives }: RunRecord, messageId: string): string => {
  const hasId = (other: { readonly messageId: string }): boolean => other.messageId === messageId;
  const owner = cases.find(({ steps }) => steps.some(({ played }) => played.some(hasId)));
  const prefix = owner ? `${owner.id}: ` : '';
  const own = receives.filter(hasId);
  const count = own.length === 1 ? 'once' : `${own.length} times`;
  const ending = acknowledgedReceive(own) ? 'acknowledged too late' : 'never acknowledged';
  return `${messageId} (${prefix}received ${count}, ${ending})`;
};

const inTime = (record: RunRecord): Findings => {
  const stopped = stoppedPulls(record);
  const receives = record.receives.filter(receive => !stopped.has(pullOf(receive)));
  const late = receives.filter(receive => isOverdue(record, receive));
  const lateIds = [...new Set(late.map(({ messageId }) => messageId))];
  const count = new Set(receives.map(({ messageId }) => messageId)).size;
  const texts = lateIds.slice(0, maxNamed).map(id => lateText(record, id));
  const found = foundTexts(texts, `${lateIds.length} of ${count} not: `);
  const checks = [check('visibility', 'each before it became visible again', found)];

  const open = receives.filter(receive => isOpen(record, receive));
  const [first] = open;
  if (first === undefined) return { checks, messageIds: firstIds(late) };
  const hiddenSeconds = Math.round((first.visibleAt - first.takenAt) / 1000);
  return {
    checks,
    messageIds: firstIds([...late, ...open]),
    unproven:
      `The run ended while ${open.length} of ${receives.length} messages were neither acknowledged ` +
      `nor visible again, such as ${first.messageId}, which was hidden for ${hiddenSeconds} s: ` +
      'acknowledge them, or pull with a shorter visibility.',
  };
};

const nothingLeft = (record: RunRecord): Findings => {
  // What it does not receive never comes.
  const steps = record.cases
    .filter(({ id }) => !id.startsWith('subscriptions/'))
    .flatMap(playedCase => playedCase.steps);
  const stopped = stoppedPulls(record);
  const isLeft = (step: PlayedStep, message: PlayedMessage): boolean => {
    const receives = receivesOf(record, step, message);
    const isStopped = receives.some(receive => stopped.has(pullOf(receive)));
    if (isStopped && isHiddenAt(receives, record.endedAt ?? 0)) return false;
    return message.rules.length === 0 && !acknowledgedReceive(receives);
  };
  const left = steps.flatMap(step => step.played.filter(message => isLeft(step, message)));
  const count = steps.flatMap(({ played }) => played).length;
  const messageIds = firstIds(left);
  const found = foundTexts(messageIds, `${left.length} of ${count}, such as `);
  return { checks: [check('left', 'none', found)], messageIds };
};

const judgeStep = (record: RunRecord, step: PlayedStep, expects: ConsumerExpectation): Findings => {
  switch (expects.look) {
    case 'acknowledged':
      return acknowledged(record, step);
    case 'nothing':
      return nothing(record, step);
    case 'received':
      return received(record, step, expects.withinSeconds);
    case 'order':
      return inOrder(record, step, expects.afterNack);
    case 'redelivered':
      return redelivered(record, step);
    case 'inTime':
      return inTime(record);
    case 'nothingLeft':
      return nothingLeft(record);
  }
};

const judgeSteps = byStep(judgeStep);

/** Judges consumers by what they received and acknowledged. */
export const consumerJudge: Judge<ConsumerExpectation> = (testCase, record) =>
  record.receives.length === 0 ? unseen : judgeSteps(testCase, record);
