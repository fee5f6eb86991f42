import type { ReceiveRecord } from '../activity/records.ts';
import type { ConsumerCase, ConsumerExpectation } from './consumer-plan.ts';
import { caseRecord, type Played, type PlayedStep, type RunRecord } from './record.ts';
import { check, type Findings, type Judge, listed, measured } from './verdict.ts';

/** Without a single receive, nothing tells a consumer that does not work from one that the bus cannot see. */
const unseen: Findings = {
  checks: [],
  unproven:
    "The consumer received nothing of this run over HTTPS: is it running, and does it pull? What comes by a cloud role's own SQS client is not seen.",
};

const receivesOf = ({ receives }: RunRecord, { replay }: PlayedStep, { messageId }: Played) =>
  receives.filter(one => one.messageId === messageId && one.replay === replay);

const acknowledgedAt = (receives: readonly ReceiveRecord[]): number | undefined =>
  endingReceive(receives)?.acknowledgedAt;

const endingReceive = (receives: readonly ReceiveRecord[]): ReceiveRecord | undefined =>
  receives.find(one => one.acknowledgedAt !== undefined);

const namedIn = (messages: readonly Pick<Played, 'messageId'>[]) => ({
  messageIds: messages.slice(0, 5).map(({ messageId }) => messageId),
});

const names = (messages: readonly Pick<Played, 'messageId'>[]): string =>
  listed(namedIn(messages).messageIds);

const isHandled = (record: RunRecord, step: PlayedStep, message: Played): boolean => {
  const at = acknowledgedAt(receivesOf(record, step, message));
  return at !== undefined && at <= (step.settledAt ?? at);
};

const acknowledged = (record: RunRecord, step: PlayedStep): Findings => {
  const left = step.played.filter(message => !isHandled(record, step, message));
  const missed = left.filter(message => receivesOf(record, step, message).length === 0);
  const count = step.played.length;
  const without = (some: number): string => `${count - some} of ${count}`;
  const got = left.length > 0 ? `${without(left.length)}, not ${names(left)}` : undefined;
  return {
    checks: [check('received', without(0), without(missed.length)), check('acknowledged', without(0), got)],
  };
};

const pullOf = ({ pull }: ReceiveRecord): string => pull.slice(0, pull.lastIndexOf('.'));

interface Acknowledged {
  readonly message: Played;
  readonly at: number;
  readonly pull: string;
}

/** Acknowledgements of one pull that are sent side by side overtake each other by less. */
const overtakingMilliseconds = 1_000;

/** That so many messages of a pull are acknowledged in exactly the opposite order is no accident. */
const reversedCount = 4;

const reversedPulls = (done: readonly Acknowledged[]): ReadonlySet<string> => {
  const pulls = [...new Set(done.map(({ pull }) => pull))];
  return new Set(
    pulls.filter(pull => {
      const times = done.filter(one => one.pull === pull).map(({ at }) => at);
      return times.length >= reversedCount && times.every((at, index) => at < (times[index - 1] ?? at + 1));
    }),
  );
};

const tooEarly = (record: RunRecord, step: PlayedStep): readonly Played[] => {
  const done = step.played.flatMap((message): readonly Acknowledged[] => {
    const receive = endingReceive(receivesOf(record, step, message));
    const at = receive?.acknowledgedAt;
    return receive === undefined || at === undefined ? [] : [{ message, at, pull: pullOf(receive) }];
  });
  const reversed = reversedPulls(done);
  const isOvertaken = (one: Acknowledged, by: Acknowledged): boolean =>
    by.at < one.at &&
    (by.pull !== one.pull || reversed.has(one.pull) || one.at - by.at >= overtakingMilliseconds);
  return done
    .filter((one, index) => done.slice(0, index).some(before => isOvertaken(before, one)))
    .map(({ message }) => message);
};

const inOrder = (record: RunRecord, step: PlayedStep, afterNack = false): Findings => {
  const released = step.played.filter(message =>
    receivesOf(record, step, message).some(({ releasedAt }) => releasedAt !== undefined),
  );
  if (afterNack && released.length === 0)
    return {
      checks: [],
      unproven: 'It returned none of these messages: let it nack the first one, once, and try again.',
    };
  const early = tooEarly(record, step);
  const found = early.length > 0 ? `too early: ${names(early)}` : undefined;
  return {
    checks: [...acknowledged(record, step).checks, check('order', 'each after the one before', found)],
  };
};

const nothing = (record: RunRecord, step: PlayedStep): Findings => {
  const came = step.played.filter(message => receivesOf(record, step, message).length > 0);
  return { checks: [check('received', 'nothing', came.length > 0 ? names(came) : undefined)] };
};

const received = (record: RunRecord, step: PlayedStep, withinSeconds: number): Findings => {
  const [message] = step.played;
  const [first] = message ? receivesOf(record, step, message) : [];
  const seconds = first === undefined ? Number.POSITIVE_INFINITY : (first.takenAt - step.at) / 1000;
  const found = first === undefined ? 'never' : `after ${seconds.toFixed(1)} s`;
  return {
    checks: [measured('received', seconds <= withinSeconds, [`within ${withinSeconds} s`, found])],
  };
};

const isHiddenAt = ([first, ...others]: readonly ReceiveRecord[], time: number): boolean =>
  first !== undefined && others.length === 0 && first.acknowledgedAt === undefined && first.visibleAt > time;

const redelivered = (record: RunRecord, step: PlayedStep): Findings => {
  const [message] = step.played;
  const receives = message ? receivesOf(record, step, message) : [];
  if (isHiddenAt(receives, step.settledAt ?? step.at))
    return {
      checks: [],
      unproven:
        'The message was received with a visibility that is longer than the run can wait. Pull with a shorter one, and try again.',
    };
  if (receives.length < 2)
    return {
      ...acknowledged(record, step),
      unproven:
        'The message was received once. Stop the consumer before it has handled this message, and start it again.',
    };
  return acknowledged(record, step);
};

const isOverdue = ({ endedAt = 0, receives }: RunRecord, one: ReceiveRecord): boolean => {
  if (one.acknowledgedAt !== undefined || one.releasedAt !== undefined) return false;
  const cameAgain = receives.some(
    ({ messageId, replay, takenAt }) =>
      messageId === one.messageId && replay === one.replay && takenAt > one.takenAt,
  );
  return cameAgain || one.visibleAt < endedAt;
};

/** The pulls of the message at which the consumer is stopped: it handles nothing else of them, either. */
const stoppedPulls = (record: RunRecord): ReadonlySet<string> => {
  const steps = caseRecord(record, 'delivery/crash')?.steps ?? [];
  const ids = new Set(steps.flatMap(({ played }) => played.map(({ messageId }) => messageId)));
  return new Set(record.receives.filter(({ messageId }) => ids.has(messageId)).map(pullOf));
};

const inTime = (record: RunRecord): Findings => {
  const stopped = stoppedPulls(record);
  const late = record.receives.filter(one => isOverdue(record, one) && !stopped.has(pullOf(one)));
  const found = late.length > 0 ? `not ${names(late)}` : undefined;
  return { checks: [check('visibility', 'each before it became visible again', found)], ...namedIn(late) };
};

const nothingLeft = (record: RunRecord, kept: ReadonlySet<string>): Findings => {
  const steps = record.cases.filter(({ id }) => !kept.has(id)).flatMap(one => one.steps);
  const stopped = stoppedPulls(record);
  const isLeft = (step: PlayedStep, message: Played): boolean => {
    const receives = receivesOf(record, step, message);
    const isStopped = receives.some(one => stopped.has(pullOf(one)));
    if (isStopped && isHiddenAt(receives, record.endedAt ?? 0)) return false;
    return message.rules.length === 0 && acknowledgedAt(receives) === undefined;
  };
  const left = steps.flatMap(step => step.played.filter(message => isLeft(step, message)));
  const count = steps.reduce((sum, { played }) => sum + played.length, 0);
  const found = left.length > 0 ? `${left.length} of ${count}, such as ${names(left)}` : undefined;
  return { checks: [check('left', 'none', found)], ...namedIn(left) };
};

/** What a judge knows besides the record: the cases whose messages never come. */
const judgeStep = (
  record: RunRecord,
  step: PlayedStep,
  { expects, ignored }: { readonly expects: ConsumerExpectation; readonly ignored: ReadonlySet<string> },
): Findings => {
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
      return nothingLeft(record, ignored);
    case 'pause':
      return { checks: [] };
  }
};

/** Judges consumers by what they received and acknowledged. @param cases all of the plan */
export const consumerJudge = (cases: readonly ConsumerCase[]): Judge<ConsumerExpectation> => {
  const ignored = new Set(
    cases.filter(({ needs }) => needs.some(({ kind }) => kind === 'ignores')).map(({ id }) => id),
  );
  return function judgeConsumer(one, record): Findings {
    if (record.receives.length === 0) return unseen;
    const findings = (caseRecord(record, one.id)?.steps ?? []).flatMap((step, at) => {
      const expects = one.steps[at]?.expects;
      return expects ? [judgeStep(record, step, { expects, ignored })] : [];
    });
    const several = findings.filter(({ checks }) => checks.length > 0).length > 1;
    const unproven = findings.flatMap(found => found.unproven ?? [])[0];
    return {
      checks: findings.flatMap(({ checks }, at) =>
        several ? checks.map(check => ({ ...check, name: `s${at + 1} ${check.name}` })) : checks,
      ),
      messageIds: findings.flatMap(({ messageIds = [] }) => messageIds),
      ...(unproven === undefined ? {} : { unproven }),
    };
  };
};
