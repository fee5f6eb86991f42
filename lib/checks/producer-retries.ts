import type { CheckReport } from '../contract/checks.ts';
import type { Met } from './producer-plan.ts';
import type { Attempt, PlayedStep, RunRecord } from './record.ts';
import { about, check, type Findings, isOn, listed, measured } from './verdict.ts';

/** So many attempts with one message in so short a time are a storm, however they are spread by chance. */
const storm = { attempts: 8, milliseconds: 2_000 };

/** How many times there are at most within a while. */
const mostWithin = (milliseconds: number, times: readonly number[]): number =>
  Math.max(0, ...times.map(from => times.filter(at => at >= from && at < from + milliseconds).length));

const stormCheck = (times: readonly number[]): CheckReport => {
  const most = mostWithin(storm.milliseconds, times);
  const expected = `fewer than ${storm.attempts} attempts in ${storm.milliseconds / 1000} s`;
  return measured('storm', most < storm.attempts, [expected, `${most}`]);
};

const contentOf = ({ message }: Attempt): string => {
  const { message_id: _, timestamp: __, ...content } = message ?? {};
  return JSON.stringify(content);
};

/** A message with the same content is no twin any more after this time. */
const twinMilliseconds = 60_000;

const twinsOf = (one: Attempt, attempts: readonly Attempt[]): readonly Attempt[] =>
  one.message === undefined
    ? []
    : attempts.filter(
        other =>
          other.messageId !== one.messageId &&
          Math.abs(other.at - one.at) < twinMilliseconds &&
          contentOf(other) === contentOf(one),
      );

const twinCheck = (twins: readonly Attempt[]): CheckReport =>
  check(
    'identity',
    'the same message_id',
    twins.length > 0 ? `the same content as ${listed(twins.map(one => one.messageId))}` : undefined,
  );

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;

/** Other messages may have been on their way when one was refused: they have to pause after this time. */
const graceMilliseconds = 1_000;

const pauseCheck = (met: Attempt, later: readonly Attempt[]): readonly CheckReport[] => {
  const { retryAfterSeconds } = met;
  if (retryAfterSeconds === undefined) return [];
  const first = later.find(
    ({ at, messageId }) => at > met.at + (messageId === met.messageId ? 0 : graceMilliseconds),
  );
  const paused = (first?.at ?? Number.POSITIVE_INFINITY) - met.at;
  const isLong = paused + toleranceMilliseconds >= retryAfterSeconds * 1000;
  const expected = `at least ${retryAfterSeconds} s, as Retry-After says`;
  const found = first === undefined ? 'no attempt' : `${(paused / 1000).toFixed(1)} s`;
  return [measured('pause', isLong, [expected, found])];
};

const nothingSent: Pick<Findings, 'unproven'> = {
  unproven: 'It sent nothing while this case waited for it: use the product during the run.',
};

const within = ({ attempts }: RunRecord, { at, settledAt }: PlayedStep): readonly Attempt[] =>
  attempts.filter(one => one.at >= at && one.at <= (settledAt ?? Number.POSITIVE_INFINITY));

export const retry = (record: RunRecord, step: PlayedStep, kind: Met): Findings => {
  const met = within(record, step).find(
    ({ injected }) => injected === (kind === 'lost' ? 'lost' : 'refused'),
  );
  if (!met) return { checks: [], ...nothingSent };
  // Its pauses may be longer than the step.
  const later = record.attempts.filter(one => one !== met && one.at >= met.at);
  const again = later.filter(({ messageId }) => messageId === met.messageId);
  const other = again.filter(({ bodyHash }) => bodyHash !== met.bodyHash);
  const isDone = again.some(one => isOn(one) && one.injected === undefined);
  return {
    checks: [
      check('again', 'the same message again', again.length > 0 ? undefined : 'nothing'),
      check('bytes', 'the same bytes', other.length > 0 ? 'other bytes' : undefined),
      twinCheck(twinsOf(met, later)),
      ...pauseCheck(met, kind === 429 ? later : again),
      stormCheck([met, ...again].map(({ at }) => at)),
      check('accepted', 'accepted in the end', isDone ? undefined : 'given up'),
    ],
    ...about([met, ...again]),
  };
};

export const patience = (record: RunRecord, step: PlayedStep): Findings => {
  // The bus notes it when it answers: what was sent meanwhile stands before it, and the step may be over.
  const around = record.attempts.filter(({ at }) => at >= step.at);
  const slow = around.find(({ injected }) => injected === 'slow');
  if (!slow) return { checks: [], ...nothingSent };
  const again = around.filter(({ messageId }) => messageId === slow.messageId);
  const hashes = new Set(again.map(({ bodyHash }) => bodyHash));
  return {
    checks: [
      twinCheck(twinsOf(slow, around)),
      check('bytes', 'the same bytes', hashes.size > 1 ? 'other bytes' : undefined),
      stormCheck(again.map(({ at }) => at)),
    ],
    ...about(again),
  };
};

/** So many requests for a token in a minute are too many. */
const tokenStorm = { requests: 10, milliseconds: 60_000 };

const tokenCheck = (times: readonly number[]): CheckReport => {
  const most = mostWithin(tokenStorm.milliseconds, times);
  const expected = `at most ${tokenStorm.requests} requests for a token in a minute`;
  return measured('requests', most <= tokenStorm.requests, [expected, `${most}`]);
};

export const newToken = (record: RunRecord, step: PlayedStep): Findings => {
  const met = within(record, step).find(({ injected }) => injected === 'refused');
  if (!met) return { checks: [], ...nothingSent };
  const { settledAt = Number.POSITIVE_INFINITY } = step;
  // A token that it was given before belongs to its start.
  const tokens = record.tokens.filter(({ at }) => at >= met.at && at <= settledAt);
  const attempts = within(record, step).filter(({ at }) => at >= met.at);
  const isNew = tokens.some(({ refused }) => !refused);
  // What was on its way before it may come first, and the step be over.
  const again = record.attempts.filter(one => one.at >= met.at && one.bodyHash === met.bodyHash);
  const others = attempts.some(isOn)
    ? `not ${met.messageId ?? 'the message'}, but another one`
    : 'no message';
  return {
    checks: [
      check('token', 'a new token', isNew ? undefined : 'no request for one'),
      check('accepted', 'the same message with it, the same bytes', again.some(isOn) ? undefined : others),
      tokenCheck(tokens.map(token => token.at)),
    ],
    ...about([...new Set([...attempts, ...again])]),
  };
};

export const newSecret = ({ tokens }: RunRecord): Findings => {
  const refused = tokens.filter(token => token.refused);
  return {
    checks: [tokenCheck(refused.map(({ at }) => at))],
    ...(refused.length > 0
      ? {}
      : {
          unproven:
            'No secret was refused: rotate its secret without an overlap during the run, and give it the new one.',
        }),
  };
};
