import type { ReceiveRecord } from '../../bus/activity/records.ts';
import type { ConsumerExpectation } from '../consumer-plan.ts';
import { caseRecord, type PlayedMessage, type PlayedStep, type RunRecord } from './record.ts';
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
) => receives.filter(one => one.messageId === messageId && one.replay === replay);

const endingReceive = (receives: readonly ReceiveRecord[]): ReceiveRecord | undefined =>
  receives.find(one => one.acknowledgedAt !== undefined);

/** So many messages are named of those that are alike. */
const namedMessages = 5;

const namedIn = (messages: readonly Pick<PlayedMessage, 'messageId'>[]) => ({
  messageIds: messages.slice(0, namedMessages).map(({ messageId }) => messageId),
});

/** The first of some messages, as what was found; undefined if there are none. */
const names = (
  messages: readonly Pick<PlayedMessage, 'messageId'>[],
  before = '',
): string | undefined => foundTexts(namedIn(messages).messageIds, before);

const isHandled = (record: RunRecord, step: PlayedStep, message: PlayedMessage): boolean => {
  const at = endingReceive(receivesOf(record, step, message))?.acknowledgedAt;
  return at !== undefined && at <= (step.settledAt ?? at);
};

const acknowledged = (record: RunRecord, step: PlayedStep): Findings => {
  const left = step.played.filter(message => !isHandled(record, step, message));
  const missed = left.filter(message => receivesOf(record, step, message).length === 0);
  const count = step.played.length;
  const without = (some: number): string => `${count - some} of ${count}`;
  const got = names(left, `${without(left.length)}, not `);
  return {
    checks: [
      check('received', without(0), without(missed.length)),
      check('acknowledged', without(0), got),
    ],
  };
};

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

const reversedPulls = (done: readonly Acknowledged[]): ReadonlySet<string> => {
  const isReversed = (pull: string): boolean => {
    const times = done.filter(one => one.pull === pull).map(({ at }) => at);
    if (times.length < reversedCount) return false;
    return times.every((at, index) => at < (times[index - 1] ?? at + 1));
  };
  return new Set(done.map(({ pull }) => pull).filter(isReversed));
};

const overtaken = (record: RunRecord, step: PlayedStep): string | undefined => {
  const done = step.played.flatMap((message): readonly Acknowledged[] => {
    const receive = endingReceive(receivesOf(record, step, message));
    const at = receive?.acknowledgedAt;
    if (receive === undefined || at === undefined) return [];
    return [{ message, at, pull: pullOf(receive) }];
  });
  const reversed = reversedPulls(done);
  const isOvertaken = (one: Acknowledged, by: Acknowledged): boolean => {
    if (by.at >= one.at) return false;
    if (by.pull !== one.pull || reversed.has(one.pull)) return true;
    return one.at - by.at >= overtakingMilliseconds;
  };
  const early = done
    .filter((one, index) => done.slice(0, index).some(before => isOvertaken(before, one)))
    .map(({ message }) => message);
  return names(early, reversed.size > 0 ? 'the last of a pull first: ' : 'too early: ');
};

const inOrder = (record: RunRecord, step: PlayedStep, afterNack = false): Findings => {
  const released = step.played.filter(message =>
    receivesOf(record, step, message).some(({ releasedAt }) => releasedAt !== undefined),
  );
  if (afterNack && released.length === 0)
    return {
      checks: [],
      unproven:
        'It returned none of these messages: let it nack the first one, once, and try again.',
    };
  const order = check('order', 'each after the one before', overtaken(record, step));
  return { checks: [...acknowledged(record, step).checks, order] };
};

const nothing = (record: RunRecord, step: PlayedStep): Findings => {
  const came = step.played.filter(message => receivesOf(record, step, message).length > 0);
  return { checks: [check('received', 'nothing', names(came))] };
};

const received = (record: RunRecord, step: PlayedStep, withinSeconds: number): Findings => {
  const [message] = step.played;
  const [first] = message ? receivesOf(record, step, message) : [];
  const wanted = `within ${withinSeconds} s`;
  if (!first) return { checks: [measured('received', false, [wanted, 'never'])] };

  const seconds = (first.takenAt - step.at) / 1000;
  const found = `after ${seconds.toFixed(1)} s`;
  return { checks: [measured('received', seconds <= withinSeconds, [wanted, found])] };
};

const isHiddenAt = ([first, ...others]: readonly ReceiveRecord[], time: number): boolean =>
  first !== undefined &&
  others.length === 0 &&
  first.acknowledgedAt === undefined &&
  first.visibleAt > time;

const redelivered = (record: RunRecord, step: PlayedStep): Findings => {
  const [message] = step.played;
  const receives = message ? receivesOf(record, step, message) : [];
  if (isHiddenAt(receives, step.settledAt ?? step.at))
    return {
      checks: [],
      unproven:
        'The message was received with a visibility that is longer than the run can wait. ' +
        'Pull with a shorter one, and try again.',
    };
  if (receives.length < 2)
    return {
      ...acknowledged(record, step),
      unproven:
        'The message was received once. Stop the consumer before it has handled this message, ' +
        'and start it again.',
    };
  return acknowledged(record, step);
};

const isOverdue = ({ endedAt = 0, receives }: RunRecord, one: ReceiveRecord): boolean => {
  const { acknowledgedAt, releasedAt, visibleAt } = one;
  if (releasedAt !== undefined) return false;
  if (acknowledgedAt !== undefined) return acknowledgedAt > visibleAt;
  const cameAgain = receives.some(
    ({ messageId, replay, takenAt }) =>
      messageId === one.messageId && replay === one.replay && takenAt > one.takenAt,
  );
  return cameAgain || visibleAt < endedAt;
};

/** What is still hidden at the end, and perhaps being worked on. */
const isOpen = (record: RunRecord, one: ReceiveRecord): boolean =>
  one.acknowledgedAt === undefined && one.releasedAt === undefined && !isOverdue(record, one);

/**
 * The pulls of the message at which the consumer is stopped: it handles nothing else of them,
 * either.
 */
const stoppedPulls = (record: RunRecord): ReadonlySet<string> => {
  const steps = caseRecord(record, 'delivery/crash')?.steps ?? [];
  const ids = new Set(steps.flatMap(({ played }) => played.map(({ messageId }) => messageId)));
  return new Set(record.receives.filter(({ messageId }) => ids.has(messageId)).map(pullOf));
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** What became of some messages, with the cases that they belong to. */
const fates = (record: RunRecord, messageIds: readonly string[]): string | undefined => {
  const fateOf = (id: string): string => {
    const isPlayedIn = ({ played }: PlayedStep) => played.some(({ messageId }) => messageId === id);
    const own = record.cases.find(({ steps }) => steps.some(isPlayedIn));
    const receives = record.receives.filter(({ messageId }) => messageId === id);
    const end = endingReceive(receives) ? 'acknowledged too late' : 'never acknowledged';
    const of = own ? `${own.id}: ` : '';
    return `${id} (${of}received ${times(receives.length)}, ${end})`;
  };
  return foundTexts(messageIds.map(fateOf));
};

const inTime = (record: RunRecord): Findings => {
  const stopped = stoppedPulls(record);
  const own = record.receives.filter(one => !stopped.has(pullOf(one)));
  const late = own.filter(one => isOverdue(record, one));
  const open = own.filter(one => isOpen(record, one));

  const lateIds = [...new Set(late.map(({ messageId }) => messageId))];
  const count = new Set(own.map(({ messageId }) => messageId)).size;
  const found = fates(record, lateIds.slice(0, namedMessages));
  const visibility = check(
    'visibility',
    'each before it became visible again',
    found && `${lateIds.length} of ${count} not: ${found}`,
  );

  const [first] = open;
  if (first === undefined) return { checks: [visibility], ...namedIn(late) };
  const hidden = Math.round((first.visibleAt - first.takenAt) / 1000);
  return {
    checks: [visibility],
    ...namedIn([...late, ...open]),
    unproven:
      `The run ended while ${open.length} of ${own.length} messages were neither acknowledged ` +
      `nor visible again, such as ${first.messageId}, which was hidden for ${hidden} s: ` +
      'acknowledge them, or pull with a shorter visibility.',
  };
};

const nothingLeft = (record: RunRecord): Findings => {
  // What it does not receive never comes.
  const steps = record.cases
    .filter(({ id }) => !id.startsWith('subscriptions/'))
    .flatMap(one => one.steps);
  const stopped = stoppedPulls(record);
  const isLeft = (step: PlayedStep, message: PlayedMessage): boolean => {
    const receives = receivesOf(record, step, message);
    const isStopped = receives.some(one => stopped.has(pullOf(one)));
    if (isStopped && isHiddenAt(receives, record.endedAt ?? 0)) return false;
    return message.rules.length === 0 && !endingReceive(receives);
  };
  const left = steps.flatMap(step => step.played.filter(message => isLeft(step, message)));
  const count = steps.reduce((sum, { played }) => sum + played.length, 0);
  const some = names(left, `${left.length} of ${count}, such as `);
  return { checks: [check('left', 'none', some)], ...namedIn(left) };
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
export const consumerJudge: Judge<ConsumerExpectation> = (one, record) =>
  record.receives.length === 0 ? unseen : judgeSteps(one, record);
