import type { CheckReport } from '../../contract/portal/checks.ts';
import { isPassingRule } from '../../contract/rules.ts';
import { textOf } from '../../platform/json/value.ts';
import type { ProducerExpectation, Proof, RetriedFault } from '../plans.ts';
import { conductFindings } from './conduct.ts';
import { type PlayedStep, payloadOf, type RunRecord, type SeenAttempt } from './record.ts';
import {
  byStep,
  check,
  type Findings,
  foundTexts,
  idsAndRules,
  listed,
  measured,
} from './verdict.ts';

/** A duplicate is on the bus, too. */
const isOnBus = ({ outcome }: SeenAttempt): boolean => outcome !== 'refused';

/** Not by the run itself, and by a rule that will refuse it again. */
const isRefusedForGood = ({ outcome, injected, rules }: SeenAttempt): boolean =>
  outcome === 'refused' && injected === undefined && !rules.some(isPassingRule);

const unprovenUnless = (isProven: boolean, unproven: string): Pick<Findings, 'unproven'> =>
  isProven ? {} : { unproven };

const differentIds = (attempts: readonly SeenAttempt[]): readonly (string | undefined)[] => [
  ...new Set(attempts.map(({ messageId }) => messageId)),
];

const sent = (
  { attempts }: RunRecord,
  { messageType, isWanted }: Extract<ProducerExpectation, { look: 'sent' }>,
): Findings => {
  const sentOfType = attempts.filter(attempt => attempt.messageType === messageType);
  const onBus = sentOfType.filter(isOnBus);
  const refused = sentOfType.filter(isRefusedForGood);
  const isMissingAllowed = sentOfType.length === 0 && !isWanted;
  const count = `${differentIds(onBus).length}`;
  return {
    checks: [
      measured('accepted', onBus.length > 0 || isMissingAllowed, ['at least one message', count]),
      check('refused', 'none', foundTexts(refused.flatMap(({ rules }) => rules))),
    ],
    ...idsAndRules(refused.length > 0 ? refused : onBus.slice(-1)),
    ...unprovenUnless(
      !isMissingAllowed,
      `It sent no ${messageType}: bring one about during the run.`,
    ),
  };
};

/** The accepted snapshots of each story, by its story_id, which may be empty. */
const storiesIn = ({ attempts }: RunRecord): readonly (readonly [string, SeenAttempt[]])[] => {
  const stories = new Map<string, SeenAttempt[]>();
  for (const attempt of attempts) {
    const { messageType, outcome, message } = attempt;
    if (messageType !== 'story.context' || outcome !== 'accepted' || !message) continue;
    const id = textOf(payloadOf(attempt), 'story_id');
    stories.set(id, [...(stories.get(id) ?? []), attempt]);
  }
  return [...stories];
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
  const ids = differentIds(record.attempts.filter(isOnBus));
  if (proof === 'a message') return ids.length > 0;
  if (proof === 'a second message') return ids.length > 1;
  const stories = storiesIn(record);
  if (proof === 'a second snapshot') return stories.some(([, snapshots]) => snapshots.length > 1);
  return stories.some(([, snapshots]) => snapshots.some(isEnded));
};

const unprovenWithout = (proof: Proof, record: RunRecord): Pick<Findings, 'unproven'> =>
  unprovenUnless(isProven(record, proof), missingProof[proof]);

const byRules = (record: RunRecord, rules: readonly string[], proof: Proof): Findings => {
  const brokenBy = (attempt: SeenAttempt) => attempt.rules.filter(rule => rules.includes(rule));
  const refused = record.attempts.filter(
    attempt => attempt.injected === undefined && brokenBy(attempt).length > 0,
  );
  return {
    checks: [check('refused', 'none', foundTexts(refused.flatMap(brokenBy)))],
    ...idsAndRules(refused),
    ...unprovenWithout(proof, record),
  };
};

const oneCorrelation = (record: RunRecord): Findings => {
  const split = storiesIn(record).filter(
    ([, snapshots]) => new Set(snapshots.map(({ correlationId }) => correlationId)).size > 1,
  );
  const storyIds = split.map(([id]) => id);
  const found = foundTexts(storyIds, 'several for ');
  return {
    checks: [check('correlation', 'one correlation_id for each story', found)],
    ...idsAndRules(split.flatMap(([, snapshots]) => snapshots)),
    ...unprovenWithout('a second snapshot', record),
  };
};

const noBlindRepeat = ({ attempts }: RunRecord): Findings => {
  const refused = attempts.filter(isRefusedForGood);
  const repeated = refused.filter((attempt, index) =>
    refused.slice(0, index).some(({ bodyHash }) => bodyHash === attempt.bodyHash),
  );
  const hasRepeated = repeated.length > 0;
  return {
    checks: [check('repeats', 'none', hasRepeated ? `${repeated.length}` : undefined)],
    ...idsAndRules(hasRepeated ? repeated : refused),
    ...unprovenUnless(
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

/** The most times within a span of so many milliseconds. */
const mostWithin = (milliseconds: number, times: readonly number[]): number => {
  const counts = times.map(
    from => times.filter(time => time >= from && time < from + milliseconds).length,
  );
  return Math.max(0, ...counts);
};

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

/** The members that are new in a message that says the same again. */
const renewedMembers: ReadonlySet<string> = new Set([
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
  JSON.stringify(message, (name, value: unknown) => (renewedMembers.has(name) ? undefined : value));

/** Those that say what an attempt says, under another id. */
const madeAnew = (
  original: SeenAttempt,
  attempts: readonly SeenAttempt[],
): readonly SeenAttempt[] => {
  if (original.message === undefined) return [];
  const meaning = meaningOf(original);
  return attempts.filter(
    attempt => attempt.messageId !== original.messageId && meaningOf(attempt) === meaning,
  );
};

const withoutRepeat = (original: SeenAttempt, anew: readonly SeenAttempt[]): string => {
  if (anew.length === 0) return 'nothing';
  const ids = differentIds([original, ...anew]);
  return `the same content under ${ids.length} ids: ${listed(ids)}`;
};

/** That no other message has the same content. */
const twinCheck = (original: SeenAttempt, attempts: readonly SeenAttempt[]): CheckReport => {
  const isTwin = (attempt: SeenAttempt): boolean =>
    original.message !== undefined &&
    attempt.messageId !== original.messageId &&
    Math.abs(attempt.at - original.at) < twinMilliseconds &&
    contentOf(attempt) === contentOf(original);
  const ids = attempts.filter(isTwin).map(({ messageId }) => messageId);
  return check('identity', 'the same message_id', foundTexts(ids, 'the same content as '));
};

/** The clocks of the bus may differ by this much. */
const toleranceMilliseconds = 50;

/**
 * Other messages may have been on their way when one was refused: they have to pause after this
 * time.
 */
const graceMilliseconds = 1_000;

const pauseCheck = (
  refused: SeenAttempt,
  later: readonly SeenAttempt[],
): readonly CheckReport[] => {
  const { retryAfterSeconds } = refused;
  if (retryAfterSeconds === undefined) return [];
  const next = later.find(({ at, messageId }) => {
    const grace = messageId === refused.messageId ? 0 : graceMilliseconds;
    return at > refused.at + grace;
  });
  const expected = `at least ${retryAfterSeconds} s, as Retry-After says`;
  if (!next) return [measured('pause', true, [expected, 'no attempt'])];

  const pause = next.at - refused.at;
  const isLongEnough = pause + toleranceMilliseconds >= retryAfterSeconds * 1000;
  return [measured('pause', isLongEnough, [expected, `${(pause / 1000).toFixed(1)} s`])];
};

const nothingSent: Findings = {
  checks: [],
  unproven: 'It sent nothing while this case waited for it: use the product during the run.',
};

const attemptsDuring = ({ attempts }: RunRecord, step: PlayedStep): readonly SeenAttempt[] => {
  const { settledAt = Number.POSITIVE_INFINITY } = step;
  return attempts.filter(({ at }) => at >= step.at && at <= settledAt);
};

/** That all attempts with one message have the same bytes. */
const bytesCheck = (attempts: readonly SeenAttempt[]): CheckReport => {
  const hashes = new Set(attempts.map(({ bodyHash }) => bodyHash));
  return check('bytes', 'the same bytes', hashes.size > 1 ? 'other bytes' : undefined);
};

const retry = (record: RunRecord, step: PlayedStep, fault: RetriedFault): Findings => {
  const injection = fault === 'lost' ? 'lost' : 'refused';
  const during = attemptsDuring(record, step);
  const failed = during.find(({ injected }) => injected === injection);
  if (!failed) return nothingSent;

  // Its pauses may be longer than the step.
  const later = record.attempts.filter(attempt => attempt !== failed && attempt.at >= failed.at);
  const retries = later.filter(({ messageId }) => messageId === failed.messageId);
  const hasRetried = retries.length > 0;
  const laterInStep = during.filter(attempt => later.includes(attempt));
  const anew = hasRetried ? [] : madeAnew(failed, laterInStep);
  const related = [failed, ...retries, ...anew];

  const isAccepted = retries.some(retry => isOnBus(retry) && retry.injected === undefined);
  const failure = anew.some(isOnBus) ? 'only under another message_id' : 'given up';
  const missing = hasRetried ? undefined : withoutRepeat(failed, anew);
  return {
    checks: [
      check('again', 'the same message again', missing),
      bytesCheck([failed, ...retries]),
      twinCheck(failed, later),
      ...pauseCheck(failed, fault === 429 ? later : retries),
      stormCheck(related.map(({ at }) => at)),
      check('accepted', 'accepted in the end', isAccepted ? undefined : failure),
    ],
    ...idsAndRules(related),
  };
};

const patience = (record: RunRecord, step: PlayedStep): Findings => {
  // The bus records the slow attempt when it responds: what was sent meanwhile stands before it,
  // and the step may be over.
  const attempts = record.attempts.filter(({ at }) => at >= step.at);
  const slow = attempts.find(({ injected }) => injected === 'slow');
  if (!slow) return nothingSent;
  const same = attempts.filter(({ messageId }) => messageId === slow.messageId);
  return {
    checks: [twinCheck(slow, attempts), bytesCheck(same), stormCheck(same.map(({ at }) => at))],
    ...idsAndRules(same),
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
  const during = attemptsDuring(record, step);
  const refused = during.find(({ injected }) => injected === 'refused');
  if (!refused) return nothingSent;

  const { settledAt = Number.POSITIVE_INFINITY } = step;
  // A token that it was given before belongs to its start.
  const requests = record.tokens.filter(({ at }) => at >= refused.at && at <= settledAt);
  const isNew = requests.some(request => !request.refused);

  const attempts = during.filter(({ at }) => at >= refused.at);
  // What was on its way before it may come first, and the step be over.
  const retries = record.attempts.filter(
    ({ at, bodyHash }) => at >= refused.at && bodyHash === refused.bodyHash,
  );
  const other = `not ${refused.messageId ?? 'the message'}, but another one`;
  const failure = attempts.some(isOnBus) ? other : 'no message';
  const missing = retries.some(isOnBus) ? undefined : failure;
  return {
    checks: [
      check('token', 'a new token', isNew ? undefined : 'no request for one'),
      check('accepted', 'the same message with it, the same bytes', missing),
      tokenCheck(requests.map(({ at }) => at)),
    ],
    ...idsAndRules([...new Set([...attempts, ...retries])]),
  };
};

const newSecret = ({ tokens }: RunRecord): Findings => {
  const refused = tokens.filter(token => token.refused);
  return {
    checks: [tokenCheck(refused.map(({ at }) => at))],
    ...unprovenUnless(
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
