import type { CheckResponse } from '../contract/checks.ts';
import type { Met } from './producer-plan.ts';
import type { Attempt, PlayedStep, RunRecord } from './record.ts';
import { about, type Findings, isOn, listed, passes } from './verdict.ts';

/** So many attempts with one message in so short a time are a storm, however they are spread by chance. */
const storm = { attempts: 8, milliseconds: 2_000 };

const stormCheck = (times: readonly number[]): CheckResponse => {
  const counts = times.map(from => times.filter(at => at >= from && at < from + storm.milliseconds).length);
  const most = Math.max(0, ...counts);
  return passes('storm', most < storm.attempts, [
    `fewer than ${storm.attempts} attempts in ${storm.milliseconds / 1000} s`,
    `${most}`,
  ]);
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

const twinCheck = (twins: readonly Attempt[]): CheckResponse =>
  passes('identity', twins.length === 0, [
    'the same message_id',
    twins.length === 0
      ? 'the same message_id'
      : `the same content as ${listed(twins.map(one => one.messageId))}`,
  ]);

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;

/** Other messages may have been on their way when one was refused: they have to pause after this time. */
const graceMilliseconds = 1_000;

const pauseCheck = (met: Attempt, later: readonly Attempt[]): readonly CheckResponse[] => {
  const { retryAfterSeconds } = met;
  if (retryAfterSeconds === undefined) return [];
  const first = later.find(
    ({ at, messageId }) => at > met.at + (messageId === met.messageId ? 0 : graceMilliseconds),
  );
  const paused = first === undefined ? Number.POSITIVE_INFINITY : first.at - met.at;
  return [
    passes('pause', paused + toleranceMilliseconds >= retryAfterSeconds * 1000, [
      `at least ${retryAfterSeconds} s, as Retry-After says`,
      first === undefined ? 'no attempt' : `${(paused / 1000).toFixed(1)} s`,
    ]),
  ];
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
      passes('again', again.length > 0, [
        'the same message again',
        again.length > 0 ? 'the same message' : 'nothing',
      ]),
      passes('bytes', other.length === 0, [
        'the same bytes',
        other.length === 0 ? 'the same bytes' : 'other bytes',
      ]),
      twinCheck(twinsOf(met, later)),
      ...pauseCheck(met, kind === 429 ? later : again),
      stormCheck([met, ...again].map(({ at }) => at)),
      passes('accepted', isDone, ['accepted in the end', isDone ? 'accepted in the end' : 'given up']),
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
      passes('bytes', hashes.size === 1, [
        'the same bytes',
        hashes.size === 1 ? 'the same bytes' : 'other bytes',
      ]),
      stormCheck(again.map(({ at }) => at)),
    ],
    ...about(again),
  };
};

/** So many requests for a token in a minute are too many. */
const tokenStorm = { requests: 10, milliseconds: 60_000 };

const tokenCheck = (times: readonly number[]): CheckResponse => {
  const counts = times.map(
    from => times.filter(at => at >= from && at < from + tokenStorm.milliseconds).length,
  );
  const most = Math.max(0, ...counts);
  return passes('requests', most <= tokenStorm.requests, [
    `at most ${tokenStorm.requests} requests for a token in a minute`,
    `${most}`,
  ]);
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
  const isAccepted = again.some(isOn);
  return {
    checks: [
      passes('token', isNew, ['a new token', isNew ? 'a new token' : 'no request for one']),
      passes('accepted', isAccepted, [
        'the same message with it, the same bytes',
        isAccepted
          ? 'the same message with it, the same bytes'
          : attempts.some(isOn)
            ? `not ${met.messageId ?? 'the message'}, but another one`
            : 'no message',
      ]),
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
