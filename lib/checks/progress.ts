import { createHash } from 'node:crypto';
import { identifier } from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { derivedUuid } from './fixture.ts';
import {
  type CaseRecord,
  isAbout,
  type PlayedStep,
  playedIn,
  type RunRecord,
  type SeenAttempt,
  stepIndexOf,
} from './judging/record.ts';
import type { Case, Step } from './plan.ts';
import type { Suite } from './suites.ts';

const { quietSeconds, parallelCases, floodMessages, runSeconds } = limits.checks;
const quietMilliseconds = quietSeconds * 1000;

/** What deciding about a case needs to know. Times are epoch milliseconds. */
interface Present {
  readonly suite: Suite;
  readonly record: RunRecord;
  readonly now: number;
  readonly limitSeconds: number;
}

/** A case of the plan, and its own record. */
interface CaseSoFar {
  readonly testCase: Case<unknown>;
  readonly own: CaseRecord;
}

const isDecided = (testCase: Case<unknown>, own: CaseRecord): boolean => {
  const { notRun, notApplicable, stopped, steps } = own;
  if ([notRun, notApplicable, stopped].some(reason => reason !== undefined)) return true;
  if (playedIn(own).some(({ rules }) => rules.length > 0)) return true;
  return steps.length === testCase.steps.length && steps.at(-1)?.settledAt !== undefined;
};

const lastTime = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.max(...times);

/** When the last message of a step was acknowledged; undefined while one of them is not. */
const acknowledgedAt = (
  { receives }: RunRecord,
  { played, replay }: PlayedStep,
): number | undefined => {
  const times = played.map(({ messageId }) => {
    const own = receives.filter(
      receive => receive.messageId === messageId && receive.replay === replay,
    );
    return lastTime(own.flatMap(receive => receive.acknowledgedAt ?? []));
  });
  const known = times.filter(time => time !== undefined);
  return known.length === times.length ? lastTime(known) : undefined;
};

/** A limit that leaves time to receive a message a second time, if the run may last as long. */
const afterVisible = (
  { record, limitSeconds }: Present,
  { played }: PlayedStep,
  limit: number,
): number => {
  const visibleTimes = played.flatMap(({ messageId }) => {
    const receive = record.receives.find(candidate => candidate.messageId === messageId);
    return receive?.visibleAt ?? [];
  });
  const laterLimit = (lastTime(visibleTimes) ?? 0) + limitSeconds * 1000;
  const lastLimit = record.startedAt + runSeconds * 1000 - 2 * quietMilliseconds;
  return laterLimit < lastLimit ? Math.max(limit, laterLimit) : limit;
};

/** The end of the quiet time after so many attempts; without them, the limit. */
const quietAfter = (attempts: readonly SeenAttempt[], count: number, limit: number): number => {
  // What comes beyond the count does not make it longer: a busy producer is never quiet.
  const last = lastTime(attempts.slice(0, count).map(({ at }) => at));
  return attempts.length >= count && last !== undefined ? last + quietMilliseconds : limit;
};

const reactionsTo = ({ suite, record }: Present, own: CaseRecord): readonly SeenAttempt[] =>
  record.attempts.filter(
    attempt =>
      attempt.outcome === 'accepted' &&
      suite.isReaction(own, attempt) &&
      stepIndexOf(own.steps, attempt) === own.steps.length - 1,
  );

/** When a step is over, by what was seen until now. */
const settlingTime = (
  present: Present,
  own: CaseRecord,
  { step, last }: { step: Step<unknown>; last: PlayedStep },
): number => {
  const { settles, limitSeconds = present.limitSeconds } = step;
  const limit = (last.deliveredAt ?? last.at) + limitSeconds * 1000;
  const acknowledged = acknowledgedAt(present.record, last);
  switch (settles.until) {
    case 'reactions':
      if (settles.count > 0) return quietAfter(reactionsTo(present, own), settles.count, limit);
      return (acknowledged ?? limit) + quietMilliseconds;
    case 'acknowledged':
      if (acknowledged !== undefined) return acknowledged + quietMilliseconds;
      return settles.whenVisible ? afterVisible(present, last, limit) : limit;
    case 'attempts': {
      const attempts = present.record.attempts.filter(({ at }) => at >= last.at);
      return quietAfter(attempts, settles.count, limit);
    }
    case 'seconds':
      return last.at + settles.seconds * 1000;
  }
};

const replayOf = (storyId: string, step: number): string =>
  identifier('y', createHash('sha256').update(`${storyId}#${step}`).digest());

/**
 * A step as it is planned: what it will play is known before it does, so that a turn that stopped
 * halfway can be finished.
 */
const plannedStep = ({ testCase, own }: CaseSoFar, now: number): PlayedStep => {
  const index = own.steps.length;
  const action = testCase.steps[index]?.action;
  const base = { at: now, plannedAt: now, isPlanned: true } as const;
  switch (action?.kind) {
    case 'play':
      return {
        ...base,
        played: action.fixtures.map(({ messageType }, at) => ({
          messageId: derivedUuid(own.storyId, 'message', `${index}`, `${at}`),
          messageType,
          at: now,
          rules: [],
        })),
      };
    case 'again':
      return {
        ...base,
        replay: replayOf(own.storyId, index),
        played: (own.steps[action.step]?.played ?? []).map(message => ({ ...message, at: now })),
      };
    default:
      return { ...base, played: [] };
  }
};

const withNextStep = (soFar: CaseSoFar, now: number): CaseRecord => ({
  ...soFar.own,
  steps: [...soFar.own.steps, plannedStep(soFar, now)],
});

/** Why a case with too many messages is ended; undefined if there are not. */
const floodIn = ({ record }: Present, own: CaseRecord): string | undefined => {
  // Whatever became of them: a flood of refused or repeated messages is one, too. What the run
  // itself refused or lost has to come again.
  const came = record.attempts.filter(
    attempt => isAbout(own, attempt) && attempt.injected === undefined,
  );
  // Each message that was played may have a reaction.
  const maxMessages = Math.max(floodMessages, 2 * playedIn(own).length);
  if (came.length < maxMessages) return undefined;
  return `${came.length} messages came, and the case was ended.`;
};

/** A case that goes on: its last step may be over, and then the next one is planned. */
const continued = (present: Present, soFar: CaseSoFar): CaseRecord => {
  const { testCase, own } = soFar;
  const stopped = floodIn(present, own);
  if (stopped !== undefined) return { ...own, stopped };

  const last = own.steps.at(-1);
  const step = testCase.steps[own.steps.length - 1];
  if (!last || !step || last.isPlanned) return own;
  if (last.settledAt !== undefined) {
    const isLast = own.steps.length >= testCase.steps.length;
    return isLast ? own : withNextStep(soFar, present.now);
  }

  const at = settlingTime(present, own, { step, last });
  if (at > present.now) return own;
  const settled = { ...last, settledAt: Math.max(at, last.at) };
  const steps = [...own.steps.slice(0, -1), settled];
  return continued(present, { testCase, own: { ...own, steps } });
};

/**
 * The next state of all cases: what is over is settled, and what comes next is planned, up to eight
 * cases at once. The plan has those that are played by themselves at its end.
 */
export const nextCases = (present: Present): readonly CaseRecord[] => {
  const { suite, record, now } = present;
  let active = 0;
  const afterBegun = record.cases.map(own => {
    const testCase = suite.cases.get(own.id);
    if (!testCase || own.steps.length === 0 || isDecided(testCase, own)) return own;
    const next = continued(present, { testCase, own });
    if (!isDecided(testCase, next)) active += 1;
    return next;
  });
  return afterBegun.map(own => {
    const testCase = suite.cases.get(own.id);
    if (!testCase || own.steps.length > 0 || isDecided(testCase, own)) return own;
    if (active >= (testCase.isAlone ? 1 : parallelCases)) return own;
    active += 1;
    return withNextStep({ testCase, own }, now);
  });
};

export const isAllDecided = (
  { cases }: Pick<Suite, 'cases'>,
  records: readonly CaseRecord[],
): boolean =>
  records.every(own => {
    const testCase = cases.get(own.id);
    return testCase === undefined || isDecided(testCase, own);
  });
