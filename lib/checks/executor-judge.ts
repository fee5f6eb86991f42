import type { CheckReport } from '../contract/checks.ts';
import { textOf } from '../json/value.ts';
import { type ExecutorCase, type ExecutorExpectation, slotsOf } from './executor-plan.ts';
import {
  type CaseInPlay,
  type ExecutorContext,
  isAbout,
  isReaction,
  labelOf,
  pairChecks,
  pairs,
  type StepInPlay,
  stepIndexOf,
  warningType,
} from './executor-warning.ts';
import { type Attempt, caseRecord, type PlayedStep, payloadOf, type RunRecord } from './record.ts';
import { check, type Findings, type Judge } from './verdict.ts';

const named = (name: string, checks: readonly CheckReport[]): readonly CheckReport[] =>
  checks.map(one => ({ ...one, name: `${name} ${one.name}` }));

/** After a trigger that came before, nothing may come but the same bytes. */
const idempotentCheck = ({ reactions, others }: StepInPlay): CheckReport => {
  const refused = others.filter(({ outcome }) => outcome === 'refused');
  const found = [
    ...reactions.map(({ messageId }) => `the new message ${messageId}`),
    ...refused.map(({ messageId, rules }) => `${messageId ?? 'a message'} (${rules.join(', ')})`),
  ];
  return check('idempotent', 'nothing, or the same bytes', found.length > 0 ? found.join('; ') : undefined);
};

const stepChecks = (
  inPlay: StepInPlay,
  { warnings, repeats }: ExecutorExpectation,
  all: RunRecord,
): readonly CheckReport[] => {
  if (repeats) return named(inPlay.name, [idempotentCheck(inPlay)]);
  const found = pairs(inPlay, warnings, inPlay.reactions);
  const several = found.length > 1;
  return [
    ...named(inPlay.name, [check('count', `${warnings.length}`, `${inPlay.reactions.length}`)]),
    ...found.flatMap((pair, at) =>
      named(several ? `${inPlay.name}.${at + 1}` : inPlay.name, pairChecks(inPlay, pair, all)),
    ),
  ];
};

const schemaCheck = (refused: readonly Attempt[]): CheckReport => {
  const found = refused.map(one => `${one.messageId ?? 'a message'} refused by ${one.rules.join(', ')}`);
  return check('schema', 'accepted by the bus', found.length > 0 ? found.join('; ') : undefined);
};

const unchangedCheck = ({ record, context }: CaseInPlay, attempts: readonly Attempt[]): CheckReport => {
  const odd = attempts.filter(
    attempt =>
      attempt.outcome === 'accepted' &&
      isAbout(record, attempt) &&
      (attempt.messageType !== warningType || !context.labels.has(textOf(payloadOf(attempt), 'rule_id'))),
  );
  const of = (attempt: Attempt) =>
    attempt.messageType === warningType
      ? `${attempt.messageId} with the rule_id ${textOf(payloadOf(attempt), 'rule_id')}`
      : `${attempt.messageId}, a ${attempt.messageType}`;
  return check('unchanged', 'nothing else', odd.length > 0 ? odd.map(of).join('; ') : undefined);
};

const adviceByCheck: Readonly<Record<string, string>> = {
  count: 'Compare the case with the skill file: when it opens, when it changes, and when it stays quiet.',
  time: 'Answer within the limit: evaluate each message when it comes, or start the run with a longer limit.',
  schema:
    'Send the message to the dry run (POST /v1/tenants/{t}/validate): it tells every error with its place.',
  causation: "Copy the trigger's message_id into causation_id.",
  correlation: "Copy the trigger's correlation_id.",
  identity:
    'Take skill_id, skill_version and rule_id from the instance, and story_id and scope from the story.',
  severity: "Take the severity from the instance, within the skill's range; only two skills hold.",
  override: 'Set non_overridable to true exactly when the severity is hold.',
  blocks: 'Say in blocks what is withheld, exactly when the severity is hold.',
  fields: 'Name the story paths that the skill looked at.',
  detail: 'Say in detail what a person needs to act, with the values that were found.',
  ref: 'Give each warning a warning_id, and each opening of a declaration a skill_warning_ref, of its own.',
  idempotent:
    'Keep each warning with the message_id of its trigger, and send the same bytes again or nothing.',
  unchanged: 'Send nothing but warnings of configured instances: an executor changes no story.',
};

const adviceFor = (checks: readonly CheckReport[]): Pick<Findings, 'advice'> => {
  const failed = checks
    .find(({ passed }) => !passed)
    ?.name.split(' ')
    .at(-1);
  const advice = failed === undefined ? undefined : adviceByCheck[failed];
  return advice === undefined ? {} : { advice };
};

const livesIn = (
  { attempts, receives }: RunRecord,
  steps: readonly PlayedStep[],
  labels: ExecutorContext['labels'],
): boolean => {
  const triggers = new Set(steps.flatMap(({ played }) => played.map(({ messageId }) => messageId)));
  return (
    receives.some(
      ({ messageId, acknowledgedAt }) => triggers.has(messageId) && acknowledgedAt !== undefined,
    ) || attempts.some(one => one.outcome === 'accepted' && labels.has(textOf(payloadOf(one), 'rule_id')))
  );
};

export const executorJudge =
  (context: ExecutorContext): Judge<ExecutorExpectation> =>
  (one: ExecutorCase, all: RunRecord): Findings => {
    const record = caseRecord(all, one.id);
    if (!record) return { checks: [] };
    const inPlay: CaseInPlay = { one, record, context };
    const attempts = all.attempts.filter(attempt => isAbout(record, attempt));
    const ofStep = (at: number) => attempts.filter(attempt => stepIndexOf(record.steps, attempt) === at);
    const stepsInPlay = record.steps.map((step, at): StepInPlay => {
      const came = ofStep(at);
      const reactions = came.filter(attempt => attempt.outcome === 'accepted' && isReaction(inPlay, attempt));
      const others = came.filter(({ outcome }) => outcome !== 'accepted');
      return { ...inPlay, name: `s${at + 1}`, step, reactions, others };
    });
    const isRepeat = (at: number): boolean => one.steps[at]?.expects.repeats === true;
    const refused = stepsInPlay.flatMap(({ others }, at) =>
      isRepeat(at) ? [] : others.filter(({ outcome }) => outcome === 'refused'),
    );
    const checks = [
      ...stepsInPlay.flatMap((step, at) => stepChecks(step, one.steps[at]?.expects ?? { warnings: [] }, all)),
      schemaCheck(refused),
      unchangedCheck(inPlay, attempts),
    ];
    const isSilent = one.steps.every(({ expects }) => expects.warnings.length === 0);
    const isProven = !isSilent || livesIn(all, record.steps, context.labels);
    return {
      checks,
      instance: slotsOf(one)
        .map(slot => labelOf(inPlay, { slot }))
        .join(', '),
      messageIds: attempts.flatMap(({ messageId }) => messageId ?? []),
      rules: attempts.flatMap(({ rules }) => rules),
      ...adviceFor(checks),
      ...(isProven
        ? {}
        : { unproven: 'No sign of life: silence was expected, and the trigger was not acknowledged.' }),
    };
  };
