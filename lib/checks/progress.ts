import { createHash } from 'node:crypto';
import { identifier } from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { derivedUuid } from './fixture.ts';
import {
  type CaseRecord,
  isAbout,
  type PlayedStep,
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

interface CaseSoFar {
  readonly one: Case<unknown>;
  readonly own: CaseRecord;
}

const isDecided = (
  { steps: planned }: Case<unknown>,
  { notRun, notApplicable, stopped, steps }: CaseRecord,
): boolean => {
  if ([notRun, notApplicable, stopped].some(reason => reason !== undefined)) return true;
  if (steps.some(({ played }) => played.some(({ rules }) => rules.length > 0))) return true;
  return steps.length === planned.length && steps.at(-1)?.settledAt !== undefined;
};

const lastTime = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.max(...times);

const acknowledgedAt = (
  { receives }: RunRecord,
  { played, replay }: PlayedStep,
): number | undefined => {
  const times = played.map(({ messageId }) => {
    const own = receives.filter(one => one.messageId === messageId && one.replay === replay);
    return lastTime(own.flatMap(one => one.acknowledgedAt ?? []));
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
  const times = played.flatMap(
    ({ messageId }) => record.receives.find(one => one.messageId === messageId)?.visibleAt ?? [],
  );
  const later = (lastTime(times) ?? 0) + limitSeconds * 1000;
  const end = record.startedAt + runSeconds * 1000 - 2 * quietMilliseconds;
  return later < end ? Math.max(limit, later) : limit;
};

const overAfter = (attempts: readonly SeenAttempt[], count: number, limit: number): number => {
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

const settledAt = (
  present: Present,
  own: CaseRecord,
  { step, last }: { step: Step<unknown>; last: PlayedStep },
): number => {
  const { settles } = step;
  const { attempts } = present.record;
  const limit = (last.deliveredAt ?? last.at) + (step.limitSeconds ?? present.limitSeconds) * 1000;
  const acknowledged = acknowledgedAt(present.record, last);
  switch (settles.until) {
    case 'reactions':
      if (settles.count > 0) return overAfter(reactionsTo(present, own), settles.count, limit);
      return (acknowledged ?? limit) + quietMilliseconds;
    case 'acknowledged':
      if (acknowledged !== undefined) return acknowledged + quietMilliseconds;
      return settles.whenVisible ? afterVisible(present, last, limit) : limit;
    case 'attempts':
      return overAfter(
        attempts.filter(({ at }) => at >= last.at),
        settles.count,
        limit,
      );
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
const planned = ({ one, own }: CaseSoFar, now: number): PlayedStep => {
  const index = own.steps.length;
  const action = one.steps[index]?.action;
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
  steps: [...soFar.own.steps, planned(soFar, now)],
});

/** A case that goes on: its last step may be over, and then the next one is planned. */
const goneOn = (present: Present, { one, own }: CaseSoFar): CaseRecord => {
  // Whatever became of them: a flood of refused or repeated messages is one, too. What the run
  // itself refused or lost has to come again.
  const came = present.record.attempts.filter(
    attempt => isAbout(own, attempt) && attempt.injected === undefined,
  );
  // Each message that was played may have a reaction.
  const played = own.steps.reduce((count, step) => count + step.played.length, 0);
  if (came.length >= Math.max(floodMessages, 2 * played))
    return { ...own, stopped: `${came.length} messages came, and the case was ended.` };
  const last = own.steps.at(-1);
  const step = one.steps[own.steps.length - 1];
  if (!last || !step || last.isPlanned) return own;
  if (last.settledAt === undefined) {
    const at = settledAt(present, own, { step, last });
    if (at > present.now) return own;
    const settled = { ...last, settledAt: Math.max(at, last.at) };
    return goneOn(present, { one, own: { ...own, steps: [...own.steps.slice(0, -1), settled] } });
  }
  return own.steps.length < one.steps.length ? withNextStep({ one, own }, present.now) : own;
};

/**
 * The next state of all cases: what is over is settled, and what comes next is planned, up to eight
 * cases at once. The plan has those that are played by themselves at its end.
 */
export const nextCases = (present: Present): readonly CaseRecord[] => {
  const { suite, record, now } = present;
  let active = 0;
  const moved = record.cases.map(own => {
    const one = suite.cases.get(own.id);
    if (!one || own.steps.length === 0 || isDecided(one, own)) return own;
    const next = goneOn(present, { one, own });
    if (!isDecided(one, next)) active += 1;
    return next;
  });
  return moved.map(own => {
    const one = suite.cases.get(own.id);
    if (!one || own.steps.length > 0 || isDecided(one, own)) return own;
    if (active >= (one.isAlone ? 1 : parallelCases)) return own;
    active += 1;
    return withNextStep({ one, own }, now);
  });
};

export const isAllDecided = (
  { cases }: Pick<Suite, 'cases'>,
  records: readonly CaseRecord[],
): boolean =>
  records.every(own => {
    const one = cases.get(own.id);
    return one === undefined || isDecided(one, own);
  });
