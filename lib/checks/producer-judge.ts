import { isPassing } from '../contract/rules.ts';
import { textOf } from '../json/value.ts';
import type { ProducerCase, ProducerExpectation, Proof } from './producer-plan.ts';
import { newSecret, newToken, patience, retry } from './producer-retries.ts';
import { type Attempt, caseRecord, type PlayedStep, payloadOf, type RunRecord } from './record.ts';
import { about, anyOf, check, type Findings, isOn, type Judge, listed, measured } from './verdict.ts';

const isRefusedForGood = ({ outcome, injected, rules }: Attempt): boolean =>
  outcome === 'refused' && injected === undefined && !rules.some(isPassing);

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
      check('refused', 'none', anyOf(refused.flatMap(({ rules }) => rules))),
    ],
    ...about(refused.length > 0 ? refused : on.slice(-1)),
    ...(own.length > 0 || isWanted
      ? {}
      : { unproven: `It sent no ${messageType}: bring one about during the run.` }),
  };
};

const storiesIn = ({ attempts }: RunRecord): ReadonlyMap<string, readonly Attempt[]> => {
  const stories = new Map<string, Attempt[]>();
  for (const one of attempts) {
    if (one.messageType !== 'story.context' || one.outcome !== 'accepted' || !one.message) continue;
    const id = textOf(payloadOf(one), 'story_id');
    stories.set(id, [...(stories.get(id) ?? []), one]);
  }
  return stories;
};

const isEnded = (attempt: Attempt): boolean =>
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
  const refused = record.attempts.filter(
    one => one.injected === undefined && one.rules.some(rule => rules.includes(rule)),
  );
  const found = refused.flatMap(one => one.rules.filter(rule => rules.includes(rule)));
  return {
    checks: [check('refused', 'none', anyOf(found))],
    ...about(refused),
    ...(isProven(record, proof) ? {} : { unproven: missingProof[proof] }),
  };
};

const oneCorrelation = (record: RunRecord): Findings => {
  const stories = [...storiesIn(record)];
  const torn = stories.filter(
    ([, snapshots]) => new Set(snapshots.map(({ correlationId }) => correlationId)).size > 1,
  );
  const several = stories.filter(([, snapshots]) => snapshots.length > 1);
  return {
    checks: [
      check(
        'correlation',
        'one correlation_id for each story',
        torn.length > 0 ? `several for ${listed(torn.map(([id]) => id))}` : undefined,
      ),
    ],
    ...about(torn.flatMap(([, snapshots]) => snapshots)),
    ...(several.length > 0 ? {} : { unproven: missingProof['a second snapshot'] }),
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
    ...(refused.length > 0
      ? {}
      : {
          unproven:
            'None of its messages was refused: let it send one that is not valid, such as one with an empty topic.',
        }),
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
    case 'nothing':
      return { checks: [] };
  }
};

export const producerJudge: Judge<ProducerExpectation> = (one: ProducerCase, record: RunRecord): Findings => {
  const steps = caseRecord(record, one.id)?.steps ?? [];
  const [first] = steps;
  const expects = one.steps[0]?.expects;
  return first && expects ? judgeStep(record, first, expects) : { checks: [] };
};
