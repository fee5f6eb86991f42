import type { CheckReport } from '../../contract/portal/checks.ts';
import { isPassingRule } from '../../contract/rules.ts';
import { textOf } from '../../platform/json/value.ts';
import type { Met, ProducerExpectation, Proof } from '../plans.ts';
import { conductFindings } from './conduct.ts';
import { type PlayedStep, payloadOf, type RunRecord, type SeenAttempt } from './record.ts';
import { byStep, check, type Findings, foundTexts, listed, measured } from './verdict.ts';

const isOn = ({ outcome }: SeenAttempt): boolean => outcome !== 'refused';

const isRefusedForGood = ({ outcome, injected, rules }: SeenAttempt): boolean =>
  outcome === 'refused' && injected === undefined && !rules.some(isPassingRule);

const about = (attempts: readonly SeenAttempt[]): Pick<Findings, 'messageIds' | 'rules'> => ({
  messageIds: attempts.flatMap(({ messageId }) => messageId ?? []),
  rules: attempts.flatMap(({ rules }) => rules),
});

const unless = (isProven: boolean, unproven: string): Pick<Findings, 'unproven'> =>
  isProven ? {} : { unproven };

const sent = (
  { attempts }: RunRecord,
  { messageType, isWanted }: Extract<ProducerExpectation, { look: 'sent' }>,
): Findings => {
  const own = attempts.filter(one => one.messageType === messageType);
  const on = own.filter(isOn);
  const refused = own.filter(isRefusedForGood);
  return {
    checks: [
      measured('accepted', on.length > 0 || (own.length === 0 && !isWanted), [
        'at least one message',
        `${new Set(on.map(({ messageId }) => messageId)).size}`,
      ]),
      check('refused', 'none', foundTexts(refused.flatMap(({ rules }) => rules))),
    ],
    ...about(refused.length > 0 ? refused : on.slice(-1)),
    ...unless(
      own.length > 0 || isWanted,
      `It sent no ${messageType}: bring one about during the run.`,
    ),
  };
};

const storiesIn = ({ attempts }: RunRecord): ReadonlyMap<string, readonly SeenAttempt[]> => {
  const stories = new Map<string, SeenAttempt[]>();
  for (const one of attempts) {
    if (one.messageType !== 'story.context' || one.outcome !== 'accepted' || !one.message) continue;
    const id = textOf(payloadOf(one), 'story_id');
    stories.set(id, [...(stories.get(id) ?? []), one]);
  }
  return stories;
};

const isEnded = (attempt: SeenAttempt): boolean =>
  ['KILLED', 'SPIKED', 'ARCHIVED'].includes(textOf(payloadOf(attempt), 'story_type'));

const missingProof: Readonly<Record<Proof, string>> = {
  'a message': 'It published nothing: use the product during the run.',
  'a second message': 'It published fewer than two messages: keep using the product.',
  'a second snapshot': 'No story had a second snapshot: change a story during the run.',
  'an ended story': 'No story was killed, spiked or archived: end one, and keep using the product.',
};

const isProven = (record: RunRecord, proof: Proof): boolean => {
  const ids = new Set(record.attempts.filter(isOn).map(({ messageId }) => messageId));
  if (proof === 'a message') return ids.size > 0;
  if (proof === 'a second message') return ids.size > 1;
  const stories = [...storiesIn(record).values()];
  if (proof === 'a second snapshot') return stories.some(snapshots => snapshots.length > 1);
  return stories.some(snapshots => snapshots.some(isEnded));
};

const byRules = (record: RunRecord, rules: readonly string[], proof: Proof): Findings => {
  const broken = (one: SeenAttempt) => one.rules.filter(rule => rules.includes(rule));
  const refused = record.attempts.filter(
    one => one.injected === undefined && broken(one).length > 0,
  );
  return {
    checks: [check('refused', 'none', foundTexts(refused.flatMap(broken)))],
    ...about(refused),
    ...unless(isProven(record, proof), missingProof[proof]),
  };
};

const oneCorrelation = (record: RunRecord): Findings => {
  const torn = [...storiesIn(record)].filter(
    ([, snapshots]) => new Set(snapshots.map(({ correlationId }) => correlationId)).size > 1,
  );
  const stories = foundTexts(
    torn.map(([id]) => id),
    'several for ',
  );
  return {
    checks: [check('correlation', 'one correlation_id for each story', stories)],
    ...about(torn.flatMap(([, snapshots]) => snapshots)),
    ...unless(isProven(record, 'a second snapshot'), missingProof['a second snapshot']),
  };
};

const noBlindRepeat = ({ attempts }: RunRecord): Findings => {
  const refused = attempts.filter(isRefusedForGood);
  const repeated = refused.filter((one, at) =>
    refused.slice(0, at).some(({ bodyHash }) => bodyHash === one.bodyHash),
  );
  return {
    checks: [check('repeats', 'none', repeated.length > 0 ? `${repeated.length}` : undefined)],
    ...about(repeated.length > 0 ? repeated : refused),
    ...unless(
      refused.length > 0,
      'None of its messages was refused: let it send one that is not valid, such as one with an empty topic.',
    ),
  };
};

/**
 * So many attempts with one message in so short a time are a storm, however they are spread by
 * chance.
 */
const storm = { attempts: 8, milliseconds: 2_000 };

/** How many times there are at most within a while. */
const mostWithin = (milliseconds: number, times: readonly number[]): number =>
  Math.max(
    0,
    ...times.map(from => times.filter(at => at >= from && at < from + milliseconds).length),
  );

const stormCheck = (times: readonly number[]): CheckReport => {
  const most = mostWithin(storm.milliseconds, times);
  const expected = `fewer than ${storm.attempts} attempts in ${storm.milliseconds / 1000} s`;
  return measured('storm', most < storm.attempts, [expected, `${most}`]);
};

const contentOf = ({ message }: SeenAttempt): string => {
  const { message_id: _, timestamp: __, ...content } = message ?? {};
  return JSON.stringify(content);
};

/** A message with the same content is no twin any more after this time. */
const twinMilliseconds = 60_000;

/** What a message that is made anew has anew. */
const renewed: ReadonlySet<string> = new Set([
  'message_id',
  'timestamp',
  'correlation_id',
  'causation_id',
  'sequence_number',
  'updated_at',
  'audit_id',
  'delivery_id',
  'warning_id',
]);

const meaningOf = ({ message }: SeenAttempt): string =>
  JSON.stringify(message, (name, value: unknown) => (renewed.has(name) ? undefined : value));

/** The messages that say what another says, each made anew. */
const madeAnew = (met: SeenAttempt, others: readonly SeenAttempt[]): readonly SeenAttempt[] => {
  if (met.message === undefined) return [];
  const meaning = meaningOf(met);
  return others.filter(one => one.messageId !== met.messageId && meaningOf(one) === meaning);
};

const withoutRepeat = (met: SeenAttempt, anew: readonly SeenAttempt[]): string => {
  if (anew.length === 0) return 'nothing';
  const ids = [...new Set([met, ...anew].map(({ messageId }) => messageId))];
  return `the same content under ${ids.length} ids: ${listed(ids)}`;
};

/** That no other message has the same content. */
const twinCheck = (one: SeenAttempt, attempts: readonly SeenAttempt[]): CheckReport => {
  const twins = attempts.filter(
    other =>
      one.message !== undefined &&
      other.messageId !== one.messageId &&
      Math.abs(other.at - one.at) < twinMilliseconds &&
      contentOf(other) === contentOf(one),
  );
  const ids = twins.map(({ messageId }) => messageId);
  return check('identity', 'the same message_id', foundTexts(ids, 'the same content as '));
};

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;

/**
 * Other messages may have been on their way when one was refused: they have to pause after this
 * time.
 */
const graceMilliseconds = 1_000;

const pauseCheck = (met: SeenAttempt, later: readonly SeenAttempt[]): readonly CheckReport[] => {
  const { retryAfterSeconds } = met;
  if (retryAfterSeconds === undefined) return [];
  const first = later.find(({ at, messageId }) => {
    const grace = messageId === met.messageId ? 0 : graceMilliseconds;
    return at > met.at + grace;
  });
  const paused = (first?.at ?? Number.POSITIVE_INFINITY) - met.at;
  const isLong = paused + toleranceMilliseconds >= retryAfterSeconds * 1000;
  const expected = `at least ${retryAfterSeconds} s, as Retry-After says`;
  const pause = first === undefined ? 'no attempt' : `${(paused / 1000).toFixed(1)} s`;
  return [measured('pause', isLong, [expected, pause])];
};

const nothingSent: Findings = {
  checks: [],
  unproven: 'It sent nothing while this case waited for it: use the product during the run.',
};

const within = ({ attempts }: RunRecord, { at, settledAt }: PlayedStep): readonly SeenAttempt[] =>
  attempts.filter(one => one.at >= at && one.at <= (settledAt ?? Number.POSITIVE_INFINITY));

const retry = (record: RunRecord, step: PlayedStep, kind: Met): Findings => {
  const wanted = kind === 'lost' ? 'lost' : 'refused';
  const met = within(record, step).find(({ injected }) => injected === wanted);
  if (!met) return nothingSent;

  // Its pauses may be longer than the step.
  const later = record.attempts.filter(one => one !== met && one.at >= met.at);
  const again = later.filter(({ messageId }) => messageId === met.messageId);
  const other = again.filter(({ bodyHash }) => bodyHash !== met.bodyHash);
  const during = within(record, step).filter(one => later.includes(one));
  const anew = again.length > 0 ? [] : madeAnew(met, during);
  const isDone = again.some(one => isOn(one) && one.injected === undefined);
  const givenUp = anew.some(isOn) ? 'only under another message_id' : 'given up';
  return {
    checks: [
      check(
        'again',
        'the same message again',
        again.length > 0 ? undefined : withoutRepeat(met, anew),
      ),
      check('bytes', 'the same bytes', other.length > 0 ? 'other bytes' : undefined),
      twinCheck(met, later),
      ...pauseCheck(met, kind === 429 ? later : again),
      stormCheck([met, ...again, ...anew].map(({ at }) => at)),
      check('accepted', 'accepted in the end', isDone ? undefined : givenUp),
    ],
    ...about([met, ...again, ...anew]),
  };
};

const patience = (record: RunRecord, step: PlayedStep): Findings => {
  // The bus notes it when it answers: what was sent meanwhile stands before it, and the step may be
  // over.
  const around = record.attempts.filter(({ at }) => at >= step.at);
  const slow = around.find(({ injected }) => injected === 'slow');
  if (!slow) return nothingSent;
  const again = around.filter(({ messageId }) => messageId === slow.messageId);
  const hashes = new Set(again.map(({ bodyHash }) => bodyHash));
  return {
    checks: [
      twinCheck(slow, around),
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

const newToken = (record: RunRecord, step: PlayedStep): Findings => {
  const met = within(record, step).find(({ injected }) => injected === 'refused');
  if (!met) return nothingSent;
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
      check(
        'accepted',
        'the same message with it, the same bytes',
        again.some(isOn) ? undefined : others,
      ),
      tokenCheck(tokens.map(token => token.at)),
    ],
    ...about([...new Set([...attempts, ...again])]),
  };
};

const newSecret = ({ tokens }: RunRecord): Findings => {
  const refused = tokens.filter(token => token.refused);
  return {
    checks: [tokenCheck(refused.map(({ at }) => at))],
    ...unless(
      refused.length > 0,
      'No secret was refused: rotate its secret without an overlap during the run, and give it the new one.',
    ),
  };
};

const judgeStep = (record: RunRecord, step: PlayedStep, expects: ProducerExpectation): Findings => {
  switch (expects.look) {
    case 'sent':
      return sent(record, expects);
    case 'rules':
      return byRules(record, expects.rules, expects.proof);
    case 'correlation':
      return oneCorrelation(record);
    case 'conduct':
      return conductFindings(record, expects.of);
    case 'noBlindRepeat':
      return noBlindRepeat(record);
    case 'retry':
      return retry(record, step, expects.met);
    case 'patience':
      return patience(record, step);
    case 'newToken':
      return newToken(record, step);
    case 'newSecret':
      return newSecret(record);
  }
};

export const producerJudge = byStep(judgeStep);
