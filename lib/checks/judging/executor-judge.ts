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
  type PlayedStep,
  payloadOf,
  type RunRecord,
  type SeenAttempt,
  stepIndexOf,
  warningType,
} from './record.ts';
import { check, type Findings, foundTexts, type Judge, measured } from './verdict.ts';

export interface ExecutorContext {
  readonly instances: ReadonlyMap<string, ConfiguredInstance>;
  /** The labels of all instances of the connection: those of the run, and the house's own. */
  readonly labels: Pick<ReadonlySet<string>, 'has'>;
  readonly limitSeconds: number;
}

interface CaseInPlay {
  readonly one: ExecutorCase;
  readonly record: CaseRecord;
  readonly context: ExecutorContext;
}

interface StepInPlay extends CaseInPlay {
  readonly all: RunRecord;
  readonly step: PlayedStep;
  readonly expects: ExecutorExpectation;
  /** Accepted warnings, each with bytes of its own. */
  readonly reactions: readonly SeenAttempt[];
  readonly refused: readonly SeenAttempt[];
}

interface Pair {
  readonly expected: ExpectedWarning;
  readonly reaction: SeenAttempt;
}

const ruleOf = (attempt: SeenAttempt): string => textOf(payloadOf(attempt), 'rule_id');

const labelOf = ({ context }: CaseInPlay, slot: string): string =>
  context.instances.get(slot)?.instance_label ?? '';

const labelsOf = (inPlay: CaseInPlay): readonly string[] =>
  slotsOf(inPlay.one).map(slot => labelOf(inPlay, slot));

export const isReaction = (inPlay: CaseInPlay, attempt: SeenAttempt): boolean => {
  const rule = ruleOf(attempt);
  return isAbout(inPlay.record, attempt) && rule !== '' && labelsOf(inPlay).includes(rule);
};

const expectedText = ({ record, context }: CaseInPlay, slot: string, text: string): string => {
  const startedAt = record.steps[0]?.at ?? 0;
  const values = context.instances.get(slot)?.values ?? {};
  const withValues = text.replaceAll(/\{values\.(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  });
  return fillText(withValues, { storyId: record.storyId, startedAt, now: startedAt });
};

const scopeOf = (inPlay: CaseInPlay, { slot, link }: ExpectedWarning): string => {
  if (link === undefined) return `story:${inPlay.record.storyId}`;
  return `link:${expectedText(inPlay, slot, link)}`;
};

const isOf = (inPlay: CaseInPlay, expected: ExpectedWarning, reaction: SeenAttempt): boolean =>
  ruleOf(reaction) === labelOf(inPlay, expected.slot) &&
  textOf(payloadOf(reaction), 'scope') === scopeOf(inPlay, expected);

/**
 * Finds a reaction for each expected warning: first by instance and scope, then by the instance
 * alone.
 */
const pairsOf = (inPlay: StepInPlay): readonly Pair[] => {
  const left = new Set(inPlay.reactions);
  const take = (fits: (reaction: SeenAttempt) => boolean): SeenAttempt | undefined => {
    const taken = [...left].find(fits);
    if (taken) left.delete(taken);
    return taken;
  };
  const { warnings } = inPlay.expects;
  const exact = warnings.map(one => take(reaction => isOf(inPlay, one, reaction)));
  return warnings.flatMap((expected, at) => {
    const reaction = exact[at] ?? take(other => ruleOf(other) === labelOf(inPlay, expected.slot));
    return reaction ? [{ expected, reaction }] : [];
  });
};

const listed = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : texts.join(', ');

const textsAt = (payload: JsonObject, name: string): readonly string[] => {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
};

const anyIndex = (text: string): string => text.replaceAll(/\[\d+\]/g, '[]');

/**
 * Whether a text says another as a whole: `a` is not said by `a.b` or `a-1`, nor 0.8 by 0.85; but
 * it is by 0.80.
 */
const says = (detail: string, text: string): boolean => {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const zeros = /^\d+\.\d+$/.test(text) ? '0*' : '';
  return new RegExp(`(?<!\\w)${literal}${zeros}(?![\\w-]|\\.\\w)`).test(detail);
};

const severityOf = ({ context }: CaseInPlay, { slot, severity }: ExpectedWarning): string => {
  if (severity !== 'configured') return severity;
  const values = context.instances.get(slot)?.values;
  return textOf(values, 'severity') || textOf(values, 'declared_severity') || 'flag';
};

const missingDetail = (inPlay: CaseInPlay, { expected, reaction }: Pair): readonly string[] => {
  const payload = payloadOf(reaction);
  const given = textOf(payload, 'detail');
  const detail = anyIndex(given);
  const { slot, unreadable, element } = expected;
  const wanted = unreadable === undefined ? expected.detail : [...expected.detail, unreadable];
  const missing = wanted
    .map(text => anyIndex(expectedText(inPlay, slot, text)))
    .filter(text => !says(detail, text));
  if (unreadable !== undefined && !/not be read|unreadable/i.test(detail))
    missing.push('"not be read"');
  if (element === undefined) return missing;

  const id = expectedText(inPlay, slot, element.id);
  const places = [given, ...textsAt(payload, 'affected_fields')];
  const isNamed = given.includes(id) || places.some(place => place.includes(element.path));
  return isNamed ? missing : [...missing, `${id} or ${element.path}`];
};

const detailCheck = (inPlay: CaseInPlay, pair: Pair): CheckReport => {
  const detail = textOf(payloadOf(pair.reaction), 'detail');
  const unwanted = (pair.expected.lacks ?? []).filter(text => says(detail, text));
  const wishes = [foundTexts(missingDetail(inPlay, pair), 'also: '), foundTexts(unwanted, 'not: ')]
    .filter(wish => wish !== undefined)
    .join('; ');
  const expected = wishes || 'what a person needs to act';
  return measured('detail', wishes === '', [expected, shorten(detail, 300) || 'nothing']);
};

const fieldsCheck = (inPlay: CaseInPlay, { expected, reaction }: Pair): CheckReport => {
  const fields = textsAt(payloadOf(reaction), 'affected_fields').map(anyIndex);
  const { fields: wanted, slot } = expected;
  if (wanted === 'none') return check('fields', 'nothing', listed(fields));
  if (wanted === 'some')
    return measured('fields', fields.length > 0, ['at least one path', listed(fields)]);
  const paths = wanted.map(path => anyIndex(expectedText(inPlay, slot, path)));
  const isWhole = paths.every(path => fields.includes(path));
  return measured('fields', isWhole, [listed(paths), listed(fields)]);
};

const blocksCheck = (inPlay: CaseInPlay, { expected, reaction }: Pair): CheckReport => {
  const blocks = textsAt(payloadOf(reaction), 'blocks');
  if (expected.blocks === undefined) return check('blocks', 'nothing', listed(blocks));
  const texts = expected.blocks.map(text => expectedText(inPlay, expected.slot, text));
  const isSaid = blocks.some(block => texts.every(text => block.includes(text)));
  return measured('blocks', isSaid, [`an entry with ${texts.join(' and ')}`, listed(blocks)]);
};

const refCheck = (inPlay: StepInPlay, { expected, reaction }: Pair): CheckReport => {
  const textIn = (one: SeenAttempt, name: string) => textOf(payloadOf(one), name);
  const ref = textIn(reaction, 'skill_warning_ref');
  const warnings = inPlay.all.attempts.filter(({ outcome }) => outcome === 'accepted');
  const isOtherOpening = (one: SeenAttempt): boolean => {
    if (one === reaction || one.at > reaction.at || !isReaction(inPlay, one)) return false;
    return !expected.changes || !isOf(inPlay, expected, one);
  };
  const others = warnings.filter(one => textIn(one, 'skill_warning_ref') === ref);
  const isNew = !others.some(isOtherOpening);

  const id = textIn(reaction, 'warning_id');
  const isOwnId = warnings.filter(one => textIn(one, 'warning_id') === id).length <= 1;

  const shownRef = isNew ? ref || 'nothing' : `${ref}, which another opening has as well`;
  return measured('ref', ref !== '' && isNew && isOwnId, [
    'a skill_warning_ref that no other opening has, and a warning_id of its own',
    isOwnId ? shownRef : 'a warning_id that another warning has as well',
  ]);
};

const pairChecks = (inPlay: StepInPlay, pair: Pair): readonly CheckReport[] => {
  const { one, record, step, context } = inPlay;
  const { expected, reaction } = pair;
  const payload = payloadOf(reaction);
  const seconds = Math.max(0, reaction.at - (step.deliveredAt ?? step.at)) / 1000;
  const severity = severityOf(inPlay, expected);
  const skill = skillIdOf(one.id.split('/')[0] ?? '');
  const label = labelOf(inPlay, expected.slot);
  const identity = [skill, checkedLibrary, label, record.storyId, scopeOf(inPlay, expected)];
  const facts = ['skill_id', 'skill_version', 'rule_id', 'story_id', 'scope'];
  const limit = context.limitSeconds;
  const time = measured('time', seconds <= limit, [`within ${limit} s`, `${seconds.toFixed(1)} s`]);
  // A restart takes as long as it takes.
  const isRestarted = one.needs.some(({ kind }) => kind === 'restart');
  return [
    ...(isRestarted ? [] : [time]),
    check(
      'causation',
      listed(step.played.map(({ messageId }) => messageId)),
      textOf(reaction.message, 'causation_id') || 'nothing',
    ),
    check('correlation', record.correlationId, reaction.correlationId ?? 'nothing'),
    check('identity', listed(identity), listed(facts.map(name => textOf(payload, name)))),
    check('severity', severity, textOf(payload, 'severity')),
    check('override', `${severity === 'hold'}`, `${payload['non_overridable']}`),
    blocksCheck(inPlay, pair),
    fieldsCheck(inPlay, pair),
    detailCheck(inPlay, pair),
    refCheck(inPlay, pair),
  ];
};

const named = (name: string, checks: readonly CheckReport[]): readonly CheckReport[] =>
  checks.map(one => ({ ...one, name: `${name} ${one.name}` }));

const anyOf = (texts: readonly string[]): string | undefined =>
  texts.length > 0 ? texts.join('; ') : undefined;

const stepChecks = (inPlay: StepInPlay, at: number): readonly CheckReport[] => {
  const { expects, reactions, refused } = inPlay;
  const name = `s${at + 1}`;
  if (expects.repeats) {
    // After a trigger that came before, nothing may come but the same bytes.
    const news = anyOf([
      ...reactions.map(({ messageId }) => `the new message ${messageId}`),
      ...refused.map(({ messageId, rules }) => `${messageId ?? 'a message'} (${rules.join(', ')})`),
    ]);
    return named(name, [check('idempotent', 'nothing, or the same bytes', news)]);
  }
  const pairs = pairsOf(inPlay);
  return [
    ...named(name, [check('count', `${expects.warnings.length}`, `${reactions.length}`)]),
    ...pairs.flatMap((pair, index) =>
      named(pairs.length > 1 ? `${name}.${index + 1}` : name, pairChecks(inPlay, pair)),
    ),
  ];
};

const schemaCheck = (steps: readonly StepInPlay[]): CheckReport => {
  const refused = steps.flatMap(step => (step.expects.repeats ? [] : step.refused));
  const all = refused.map(
    one => `${one.messageId ?? 'a message'} refused by ${one.rules.join(', ')}`,
  );
  return check('schema', 'accepted by the bus', anyOf(all));
};

const unchangedCheck = ({ context }: CaseInPlay, attempts: readonly SeenAttempt[]): CheckReport => {
  const oddities = attempts.flatMap(one => {
    if (one.outcome !== 'accepted') return [];
    if (one.messageType !== warningType) return [`${one.messageId}, a ${one.messageType}`];
    if (context.labels.has(ruleOf(one))) return [];
    return [`${one.messageId} with the rule_id ${ruleOf(one)}`];
  });
  return check('unchanged', 'nothing else', anyOf(oddities));
};

const noSignOfLife = 'No sign of life: silence was expected, and the trigger was not acknowledged.';

/** Silence proves something if the trigger was acknowledged, or another case got its warning. */
const livesIn = ({ record, context }: CaseInPlay, { attempts, receives }: RunRecord): boolean => {
  const played = record.steps.flatMap(step => step.played);
  const triggers = new Set(played.map(({ messageId }) => messageId));
  const acknowledged = receives.filter(one => one.acknowledgedAt !== undefined);
  if (acknowledged.some(({ messageId }) => triggers.has(messageId))) return true;
  return attempts.some(one => one.outcome === 'accepted' && context.labels.has(ruleOf(one)));
};

const stepsOf = (
  inPlay: CaseInPlay,
  all: RunRecord,
  attempts: readonly SeenAttempt[],
): readonly StepInPlay[] => {
  const { one, record } = inPlay;
  return record.steps.map((step, at) => {
    const came = attempts.filter(attempt => stepIndexOf(record.steps, attempt) === at);
    const reactions = came.filter(({ outcome }) => outcome === 'accepted');
    return {
      ...{ ...inPlay, all, step },
      expects: one.steps[at]?.expects ?? { warnings: [] },
      reactions: reactions.filter(attempt => isReaction(inPlay, attempt)),
      // What the run itself refused says nothing of the message.
      refused: came.filter(one => one.outcome === 'refused' && one.injected === undefined),
    };
  });
};

export const executorJudge =
  (context: ExecutorContext): Judge<ExecutorExpectation> =>
  (one, all): Findings => {
    const conduct = one.steps[0]?.expects?.conduct;
    if (conduct !== undefined) return executorConduct(conduct, all);
    const record = caseRecord(all, one.id);
    if (!record) return { checks: [] };

    const inPlay: CaseInPlay = { one, record, context };
    const attempts = all.attempts.filter(attempt => isAbout(record, attempt));
    const steps = stepsOf(inPlay, all, attempts);
    const checks = [
      ...steps.flatMap(stepChecks),
      schemaCheck(steps),
      unchangedCheck(inPlay, attempts),
    ];

    const failed = checks.find(({ passed }) => !passed)?.name.replace(/^\S+ /, '');
    const advice = executorFile.advice[failed ?? ''];
    const isSilent = one.steps.every(({ expects }) => expects?.warnings.length === 0);
    const unproven = isSilent && !livesIn(inPlay, all) ? noSignOfLife : undefined;
    return {
      checks,
      instance: labelsOf(inPlay).join(', '),
      messageIds: attempts.flatMap(({ messageId }) => messageId ?? []),
      rules: attempts.flatMap(({ rules }) => rules),
      ...defined({ advice, unproven }),
    };
  };
