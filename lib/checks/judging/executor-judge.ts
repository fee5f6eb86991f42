import { defined } from '../../contract/outside.ts';
import { type CheckReport, checkedLibrary } from '../../contract/portal/checks.ts';
import { executorFile } from '../../generated/check-cases.generated.ts';
import { type JsonObject, shorten, textOf } from '../../platform/json/value.ts';
import type { ConfiguredInstance } from '../../skills/registrations.ts';
import { fillText } from '../fixture.ts';
import {
  type ExecutorCase,
  type ExecutorExpectation,
  type ExpectedWarning,
  skillIdOf,
  slotsOf,
} from '../plans.ts';
import { executorConduct } from './executor-conduct.ts';
import {
  type CaseRecord,
  caseRecord,
  isAbout,
  isAccepted,
  type PlayedStep,
  payloadOf,
  playedIn,
  type RunRecord,
  type SeenAttempt,
  stepIndexOf,
  warningType,
} from './record.ts';
import { check, type Findings, foundTexts, idsAndRules, type Judge, measured } from './verdict.ts';

export interface ExecutorContext {
  readonly instances: ReadonlyMap<string, ConfiguredInstance>;
  /** The labels of all instances of the connection: those of the run, and the house's own. */
  readonly labels: Pick<ReadonlySet<string>, 'has'>;
  readonly limitSeconds: number;
}

interface JudgedCase {
  readonly testCase: ExecutorCase;
  readonly record: CaseRecord;
  readonly context: ExecutorContext;
}

interface JudgedStep extends JudgedCase {
  readonly run: RunRecord;
  readonly step: PlayedStep;
  readonly expects: ExecutorExpectation;
  /** Accepted warnings, each with bytes of its own. */
  readonly reactions: readonly SeenAttempt[];
  readonly refused: readonly SeenAttempt[];
}

/** A warning that was expected, and the one that came. */
interface Pair {
  readonly expected: ExpectedWarning;
  readonly reaction: SeenAttempt;
}

const memberOf = (attempt: SeenAttempt, name: string): string => textOf(payloadOf(attempt), name);

/** The label of the instance that a warning comes from. */
const ruleOf = (attempt: SeenAttempt): string => memberOf(attempt, 'rule_id');

const labelOf = ({ context }: JudgedCase, slot: string): string =>
  context.instances.get(slot)?.instance_label ?? '';

const labelsOf = (judged: JudgedCase): readonly string[] =>
  slotsOf(judged.testCase).map(slot => labelOf(judged, slot));

export const isReaction = (judged: JudgedCase, attempt: SeenAttempt): boolean => {
  const rule = ruleOf(attempt);
  return isAbout(judged.record, attempt) && rule !== '' && labelsOf(judged).includes(rule);
};

/** A text of a case, with the values of the instance and of this run in it. */
const expectedText = ({ record, context }: JudgedCase, slot: string, text: string): string => {
  const startedAt = record.steps[0]?.at ?? 0;
  const values = context.instances.get(slot)?.values ?? {};
  const withValues = text.replaceAll(/\{values\.(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  });
  return fillText(withValues, { storyId: record.storyId, startedAt, now: startedAt });
};

const scopeOf = (judged: JudgedCase, { slot, link }: ExpectedWarning): string => {
  if (link === undefined) return `story:${judged.record.storyId}`;
  return `link:${expectedText(judged, slot, link)}`;
};

const isExpected = (
  judged: JudgedCase,
  expected: ExpectedWarning,
  reaction: SeenAttempt,
): boolean =>
  ruleOf(reaction) === labelOf(judged, expected.slot) &&
  memberOf(reaction, 'scope') === scopeOf(judged, expected);

/**
 * Finds a reaction for each expected warning: first by instance and scope, then by the instance
 * alone.
 */
const pairsOf = (judged: JudgedStep): readonly Pair[] => {
  const left = new Set(judged.reactions);
  const take = (fits: (reaction: SeenAttempt) => boolean): SeenAttempt | undefined => {
    const taken = [...left].find(fits);
    if (taken) left.delete(taken);
    return taken;
  };
  const { warnings } = judged.expects;
  const exact = warnings.map(expected => take(reaction => isExpected(judged, expected, reaction)));
  return warnings.flatMap((expected, index) => {
    const label = labelOf(judged, expected.slot);
    const reaction = exact[index] ?? take(other => ruleOf(other) === label);
    return reaction ? [{ expected, reaction }] : [];
  });
};

const textsOrNothing = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : texts.join(', ');

const textsAt = (payload: JsonObject, name: string): readonly string[] => {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
};

const withoutIndices = (text: string): string => text.replaceAll(/\[\d+\]/g, '[]');

/**
 * Whether a text says another as a whole: `a` is not said by `a.b` or `a-1`, nor 0.8 by 0.85; but
 * it is by 0.80.
 */
const says = (detail: string, text: string): boolean => {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const zeros = /^\d+\.\d+$/.test(text) ? '0*' : '';
  return new RegExp(`(?<!\\w)${literal}${zeros}(?![\\w-]|\\.\\w)`).test(detail);
};

const severityOf = ({ context }: JudgedCase, { slot, severity }: ExpectedWarning): string => {
  if (severity !== 'configured') return severity;
  const values = context.instances.get(slot)?.values;
  return textOf(values, 'severity') || textOf(values, 'declared_severity') || 'flag';
};

const missingDetail = (judged: JudgedCase, { expected, reaction }: Pair): readonly string[] => {
  const payload = payloadOf(reaction);
  const detail = textOf(payload, 'detail');
  const plainDetail = withoutIndices(detail);
  const { slot, unreadable, element } = expected;
  const wanted = unreadable === undefined ? expected.detail : [...expected.detail, unreadable];
  const missing = wanted
    .map(text => withoutIndices(expectedText(judged, slot, text)))
    .filter(text => !says(plainDetail, text));
  if (unreadable !== undefined && !/not be read|unreadable/i.test(detail))
    missing.push('"not be read"');
  if (element === undefined) return missing;

  const id = expectedText(judged, slot, element.id);
  const places = [detail, ...textsAt(payload, 'affected_fields')];
  const isNamed = detail.includes(id) || places.some(place => place.includes(element.path));
  return isNamed ? missing : [...missing, `${id} or ${element.path}`];
};

const detailCheck = (judged: JudgedCase, pair: Pair): CheckReport => {
  const detail = memberOf(pair.reaction, 'detail');
  const unwanted = (pair.expected.lacks ?? []).filter(text => says(detail, text));
  const missing = missingDetail(judged, pair);
  const demands = [foundTexts(missing, 'also: '), foundTexts(unwanted, 'not: ')]
    .filter(demand => demand !== undefined)
    .join('; ');
  const expected = demands || 'what a person needs to act';
  return measured('detail', demands === '', [expected, shorten(detail, 300) || 'nothing']);
};

const fieldsCheck = (judged: JudgedCase, { expected, reaction }: Pair): CheckReport => {
  const fields = textsAt(payloadOf(reaction), 'affected_fields').map(withoutIndices);
  const { fields: wanted, slot } = expected;
  if (wanted === 'none') return check('fields', 'nothing', textsOrNothing(fields));
  if (wanted === 'some')
    return measured('fields', fields.length > 0, ['at least one path', textsOrNothing(fields)]);
  const paths = wanted.map(path => withoutIndices(expectedText(judged, slot, path)));
  const areAllThere = paths.every(path => fields.includes(path));
  return measured('fields', areAllThere, [textsOrNothing(paths), textsOrNothing(fields)]);
};

const blocksCheck = (judged: JudgedCase, { expected, reaction }: Pair): CheckReport => {
  const blocks = textsAt(payloadOf(reaction), 'blocks');
  if (expected.blocks === undefined) return check('blocks', 'nothing', textsOrNothing(blocks));
  const texts = expected.blocks.map(text => expectedText(judged, expected.slot, text));
  const isThere = blocks.some(block => texts.every(text => block.includes(text)));
  return measured('blocks', isThere, [
    `an entry with ${texts.join(' and ')}`,
    textsOrNothing(blocks),
  ]);
};

const refCheck = (judged: JudgedStep, { expected, reaction }: Pair): CheckReport => {
  const accepted = judged.run.attempts.filter(isAccepted);
  const withSame = (name: string): readonly SeenAttempt[] =>
    accepted.filter(attempt => memberOf(attempt, name) === memberOf(reaction, name));

  const isOtherOpening = (attempt: SeenAttempt): boolean => {
    if (attempt === reaction || attempt.at > reaction.at) return false;
    if (!isReaction(judged, attempt)) return false;
    return !expected.changes || !isExpected(judged, expected, attempt);
  };
  const ref = memberOf(reaction, 'skill_warning_ref');
  const isNewRef = !withSame('skill_warning_ref').some(isOtherOpening);
  const isOwnId = withSame('warning_id').length <= 1;

  const refText = isNewRef ? ref || 'nothing' : `${ref}, which another opening has as well`;
  return measured('ref', ref !== '' && isNewRef && isOwnId, [
    'a skill_warning_ref that no other opening has, and a warning_id of its own',
    isOwnId ? refText : 'a warning_id that another warning has as well',
  ]);
};

const timeChecks = (judged: JudgedStep, reaction: SeenAttempt): readonly CheckReport[] => {
  const { testCase, step, context } = judged;
  // A restart takes as long as it takes.
  if (testCase.needs.some(({ kind }) => kind === 'restart')) return [];
  const seconds = Math.max(0, reaction.at - (step.deliveredAt ?? step.at)) / 1000;
  const limit = context.limitSeconds;
  return [measured('time', seconds <= limit, [`within ${limit} s`, `${seconds.toFixed(1)} s`])];
};

const identityCheck = (judged: JudgedStep, { expected, reaction }: Pair): CheckReport => {
  const skill = skillIdOf(judged.testCase.id.split('/')[0] ?? '');
  const label = labelOf(judged, expected.slot);
  const scope = scopeOf(judged, expected);
  const identity = [skill, checkedLibrary, label, judged.record.storyId, scope];
  const members = ['skill_id', 'skill_version', 'rule_id', 'story_id', 'scope'];
  const found = members.map(name => memberOf(reaction, name));
  return check('identity', textsOrNothing(identity), textsOrNothing(found));
};

const pairChecks = (judged: JudgedStep, pair: Pair): readonly CheckReport[] => {
  const { record, step } = judged;
  const { expected, reaction } = pair;
  const triggerIds = textsOrNothing(step.played.map(({ messageId }) => messageId));
  const causation = textOf(reaction.message, 'causation_id') || 'nothing';
  const severity = severityOf(judged, expected);
  const nonOverridable = payloadOf(reaction)['non_overridable'];
  return [
    ...timeChecks(judged, reaction),
    check('causation', triggerIds, causation),
    check('correlation', record.correlationId, reaction.correlationId ?? 'nothing'),
    identityCheck(judged, pair),
    check('severity', severity, memberOf(reaction, 'severity')),
    check('override', `${severity === 'hold'}`, `${nonOverridable}`),
    blocksCheck(judged, pair),
    fieldsCheck(judged, pair),
    detailCheck(judged, pair),
    refCheck(judged, pair),
  ];
};

const prefixed = (prefix: string, checks: readonly CheckReport[]): readonly CheckReport[] =>
  checks.map(check => ({ ...check, name: `${prefix} ${check.name}` }));

const anyOf = (texts: readonly string[]): string | undefined =>
  texts.length > 0 ? texts.join('; ') : undefined;

/** After a trigger that came before, nothing may come but the same bytes. */
const repeatCheck = ({ reactions, refused }: JudgedStep): CheckReport => {
  const others = [
    ...reactions.map(({ messageId }) => `the new message ${messageId}`),
    ...refused.map(({ messageId, rules }) => `${messageId ?? 'a message'} (${rules.join(', ')})`),
  ];
  return check('idempotent', 'nothing, or the same bytes', anyOf(others));
};

const stepChecks = (judged: JudgedStep, index: number): readonly CheckReport[] => {
  const { expects, reactions } = judged;
  const stepName = `s${index + 1}`;
  if (expects.repeats) return prefixed(stepName, [repeatCheck(judged)]);

  const count = check('count', `${expects.warnings.length}`, `${reactions.length}`);
  const pairs = pairsOf(judged);
  const checksOfPairs = pairs.flatMap((pair, pairIndex) => {
    const pairName = pairs.length > 1 ? `${stepName}.${pairIndex + 1}` : stepName;
    return prefixed(pairName, pairChecks(judged, pair));
  });
  return [...prefixed(stepName, [count]), ...checksOfPairs];
};

const schemaCheck = (steps: readonly JudgedStep[]): CheckReport => {
  const refused = steps.filter(({ expects }) => !expects.repeats).flatMap(step => step.refused);
  const texts = refused.map(
    ({ messageId, rules }) => `${messageId ?? 'a message'} refused by ${rules.join(', ')}`,
  );
  return check('schema', 'accepted by the bus', anyOf(texts));
};

const unchangedCheck = ({ context }: JudgedCase, attempts: readonly SeenAttempt[]): CheckReport => {
  const others = attempts.filter(isAccepted).flatMap(attempt => {
    const { messageType, messageId } = attempt;
    if (messageType !== warningType) return [`${messageId}, a ${messageType}`];
    const rule = ruleOf(attempt);
    return context.labels.has(rule) ? [] : [`${messageId} with the rule_id ${rule}`];
  });
  return check('unchanged', 'nothing else', anyOf(others));
};

const noSignOfLife = 'No sign of life: silence was expected, and the trigger was not acknowledged.';

/** Silence proves something if the trigger was acknowledged, or another case got its warning. */
const showsLife = ({ record, context }: JudgedCase, { attempts, receives }: RunRecord): boolean => {
  const triggerIds = new Set(playedIn(record).map(({ messageId }) => messageId));
  const acknowledged = receives.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
  if (acknowledged.some(({ messageId }) => triggerIds.has(messageId))) return true;
  const accepted = attempts.filter(isAccepted);
  return accepted.some(attempt => context.labels.has(ruleOf(attempt)));
};

const stepsOf = (
  judged: JudgedCase,
  run: RunRecord,
  attempts: readonly SeenAttempt[],
): readonly JudgedStep[] => {
  const { testCase, record } = judged;
  return record.steps.map((step, index) => {
    const own = attempts.filter(attempt => stepIndexOf(record.steps, attempt) === index);
    const reactions = own.filter(isAccepted).filter(attempt => isReaction(judged, attempt));
    // What the run itself refused says nothing of the message.
    const refused = own.filter(
      ({ outcome, injected }) => outcome === 'refused' && injected === undefined,
    );
    const expects = testCase.steps[index]?.expects ?? { warnings: [] };
    return { ...judged, run, step, expects, reactions, refused };
  });
};

export const executorJudge =
  (context: ExecutorContext): Judge<ExecutorExpectation> =>
  (testCase, run): Findings => {
    const conduct = testCase.steps[0]?.expects?.conduct;
    if (conduct !== undefined) return executorConduct(conduct, run);
    const record = caseRecord(run, testCase.id);
    if (!record) return { checks: [] };

    const judged: JudgedCase = { testCase, record, context };
    const attempts = run.attempts.filter(attempt => isAbout(record, attempt));
    const steps = stepsOf(judged, run, attempts);
    const checks = [
      ...steps.flatMap(stepChecks),
      schemaCheck(steps),
      unchangedCheck(judged, attempts),
    ];

    const { name = '' } = checks.find(({ passed }) => !passed) ?? {};
    const nameWithoutStep = name.replace(/^\S+ /, '');
    const advice = executorFile.advice[nameWithoutStep];
    const isSilent = testCase.steps.every(({ expects }) => expects?.warnings.length === 0);
    const unproven = isSilent && !showsLife(judged, run) ? noSignOfLife : undefined;
    return {
      checks,
      instance: labelsOf(judged).join(', '),
      ...idsAndRules(attempts),
      ...defined({ advice, unproven }),
    };
  };
