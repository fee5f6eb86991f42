import { type CheckReport, checkedLibrary } from '../contract/checks.ts';
import { type JsonObject, shorten, textOf } from '../json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';
import { type ExecutorCase, type ExpectedWarning, skillIdOf, slotsOf } from './executor-plan.ts';
import { fillText } from './fixture.ts';
import { type Attempt, type CaseRecord, type PlayedStep, payloadOf, type RunRecord } from './record.ts';
import { check, measured } from './verdict.ts';

export interface ExecutorContext {
  readonly instances: ReadonlyMap<string, ConfiguredInstance>;
  /** The labels of all instances of the connection: those of the run, and the house's own. */
  readonly labels: Pick<ReadonlySet<string>, 'has'>;
  readonly limitSeconds: number;
}

export const warningType = 'skill.warning.raised';

export interface CaseInPlay {
  readonly one: ExecutorCase;
  readonly record: CaseRecord;
  readonly context: ExecutorContext;
}

export const isAbout = ({ storyId, correlationId }: CaseRecord, attempt: Attempt): boolean =>
  textOf(payloadOf(attempt), 'story_id') === storyId || attempt.correlationId === correlationId;

const labelsOf = ({ one, context }: Omit<CaseInPlay, 'record'>): readonly string[] =>
  slotsOf(one).flatMap(slot => context.instances.get(slot)?.instance_label ?? []);

export const isReaction = (inPlay: CaseInPlay, attempt: Attempt): boolean =>
  isAbout(inPlay.record, attempt) && labelsOf(inPlay).includes(textOf(payloadOf(attempt), 'rule_id'));

const causeOf = ({ message }: Attempt): string => textOf(message, 'causation_id');

/** The step that an attempt belongs to: the last one before it that played its cause, else the last one before it. */
export const stepIndexOf = (steps: readonly PlayedStep[], attempt: Attempt): number => {
  const cause = causeOf(attempt);
  const ofCause = steps.findLastIndex(
    ({ at, played }) => at <= attempt.at && played.some(({ messageId }) => messageId === cause),
  );
  if (ofCause >= 0) return ofCause;
  return Math.max(
    0,
    steps.findLastIndex(({ at }) => at <= attempt.at),
  );
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export const expectedText = ({ record, context }: CaseInPlay, slot: string, text: string): string => {
  const startedAt = record.steps[0]?.at ?? 0;
  const values = context.instances.get(slot)?.values ?? {};
  const withValues = text.replaceAll(/\{values\.(\w+)\}/g, (_, name: string) => shown(values[name]));
  return fillText(withValues, { storyId: record.storyId, startedAt, now: startedAt });
};

export const scopeOf = (inPlay: CaseInPlay, { slot, link }: ExpectedWarning): string =>
  link === undefined ? `story:${inPlay.record.storyId}` : `link:${expectedText(inPlay, slot, link)}`;

export const labelOf = ({ context }: CaseInPlay, { slot }: Pick<ExpectedWarning, 'slot'>): string =>
  context.instances.get(slot)?.instance_label ?? '';

export interface Pair {
  readonly expected: ExpectedWarning;
  readonly reaction: Attempt;
}

/** Finds a reaction for each expected warning: first by instance and scope, then by the instance alone. */
export const pairs = (
  inPlay: CaseInPlay,
  expected: readonly ExpectedWarning[],
  reactions: readonly Attempt[],
): readonly Pair[] => {
  const left = [...reactions];
  const take = (fits: (payload: JsonObject) => boolean): Attempt | undefined => {
    const at = left.findIndex(reaction => fits(payloadOf(reaction)));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const isOf = (one: ExpectedWarning) => (payload: JsonObject) =>
    textOf(payload, 'rule_id') === labelOf(inPlay, one);
  const exact = expected.map(one =>
    take(payload => isOf(one)(payload) && textOf(payload, 'scope') === scopeOf(inPlay, one)),
  );
  return expected.flatMap((one, at) => {
    const reaction = exact[at] ?? take(isOf(one));
    return reaction ? [{ expected: one, reaction }] : [];
  });
};

export interface StepInPlay extends CaseInPlay {
  readonly name: string;
  readonly step: PlayedStep;
  /** Accepted warnings, each with bytes of its own. */
  readonly reactions: readonly Attempt[];
  /** The same bytes again, and refused attempts. */
  readonly others: readonly Attempt[];
}

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'nothing' : texts.join(', '));

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

const anyIndex = (text: string): string => text.replaceAll(/\[\d+\]/g, '[]');

/** Whether a text says another as a whole: `a` is not said by `a.b` or `a-1`, nor 0.8 by 0.85; but it is by 0.80. */
const says = (detail: string, text: string): boolean => {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const zeros = /^\d+\.\d+$/.test(text) ? '0*' : '';
  return new RegExp(`(?<!\\w)${literal}${zeros}(?![\\w-]|\\.\\w)`).test(detail);
};

const severityOf = ({ context }: CaseInPlay, { expected }: Pair): string => {
  if (expected.severity !== 'configured') return expected.severity;
  const values = context.instances.get(expected.slot)?.values;
  return textOf(values, 'severity') || textOf(values, 'declared_severity') || 'flag';
};

const missingDetail = (inPlay: CaseInPlay, { expected, reaction }: Pair): readonly string[] => {
  const payload = payloadOf(reaction);
  const detail = anyIndex(textOf(payload, 'detail'));
  const { slot, unreadable, element } = expected;
  const fill = (text: string): string => anyIndex(expectedText(inPlay, slot, text));
  const wanted = [...expected.detail, ...(unreadable === undefined ? [] : [unreadable])].map(fill);
  const missing = wanted.filter(text => !says(detail, text));
  if (unreadable !== undefined && !/not be read|unreadable/i.test(detail)) missing.push('"not be read"');
  if (element === undefined) return missing;
  const id = expectedText(inPlay, slot, element.id);
  const places = [textOf(payload, 'detail'), ...textsOf(payload['affected_fields'])];
  const isNamed = places[0]?.includes(id) || places.some(place => place.includes(element.path));
  return isNamed ? missing : [...missing, `${id} or ${element.path}`];
};

const detailCheck = (inPlay: CaseInPlay, pair: Pair): CheckReport => {
  const detail = textOf(payloadOf(pair.reaction), 'detail');
  const missing = missingDetail(inPlay, pair);
  const unwanted = (pair.expected.lacks ?? []).filter(text => says(detail, text));
  const wishes = [
    ...(missing.length === 0 ? [] : [`also: ${missing.join(', ')}`]),
    ...(unwanted.length === 0 ? [] : [`not: ${unwanted.join(', ')}`]),
  ];
  const expected = wishes.join('; ') || 'what a person needs to act';
  return measured('detail', wishes.length === 0, [expected, shorten(detail, 300) || 'nothing']);
};

const fieldsCheck = (inPlay: CaseInPlay, { expected, reaction }: Pair): CheckReport => {
  const fields = textsOf(payloadOf(reaction)['affected_fields']).map(anyIndex);
  const { fields: wanted, slot } = expected;
  const found = listed(fields);
  if (wanted === 'none') return check('fields', 'nothing', found);
  if (wanted === 'some') return measured('fields', fields.length > 0, ['at least one path', found]);
  const paths = wanted.map(path => anyIndex(expectedText(inPlay, slot, path)));
  const isWhole = paths.every(path => fields.includes(path));
  return measured('fields', isWhole, [listed(paths), found]);
};

const blocksCheck = (inPlay: CaseInPlay, { expected, reaction }: Pair): CheckReport => {
  const blocks = textsOf(payloadOf(reaction)['blocks']);
  if (expected.blocks === undefined) return check('blocks', 'nothing', listed(blocks));
  const texts = expected.blocks.map(text => expectedText(inPlay, expected.slot, text));
  const isSaid = blocks.some(block => texts.every(text => block.includes(text)));
  return measured('blocks', isSaid, [`an entry with ${texts.join(' and ')}`, listed(blocks)]);
};

const identityOf = (inPlay: CaseInPlay, pair: Pair): string => {
  const skill = inPlay.one.id.split('/')[0] ?? '';
  const { record } = inPlay;
  const label = labelOf(inPlay, pair.expected);
  return listed([skillIdOf(skill), checkedLibrary, label, record.storyId, scopeOf(inPlay, pair.expected)]);
};

const otherRefs = (inPlay: CaseInPlay, { expected, reaction }: Pair, all: RunRecord): readonly string[] => {
  const scope = scopeOf(inPlay, expected);
  const isSame = (payload: JsonObject): boolean =>
    textOf(payload, 'rule_id') === labelOf(inPlay, expected) && textOf(payload, 'scope') === scope;
  return all.attempts
    .filter(one => one !== reaction && one.outcome === 'accepted' && one.at <= reaction.at)
    .filter(one => isReaction(inPlay, one) && !(expected.changes && isSame(payloadOf(one))))
    .map(one => textOf(payloadOf(one), 'skill_warning_ref'));
};

const refCheck = (inPlay: CaseInPlay, pair: Pair, all: RunRecord): CheckReport => {
  const payload = payloadOf(pair.reaction);
  const ref = textOf(payload, 'skill_warning_ref');
  const isNew = !otherRefs(inPlay, pair, all).includes(ref);
  const isOwnId =
    all.attempts.filter(
      one =>
        one.outcome === 'accepted' && textOf(payloadOf(one), 'warning_id') === textOf(payload, 'warning_id'),
    ).length <= 1;
  const shownRef = isNew ? ref || 'nothing' : `${ref}, which another opening has as well`;
  return measured('ref', ref !== '' && isNew && isOwnId, [
    'a skill_warning_ref that no other opening has, and a warning_id of its own',
    isOwnId ? shownRef : 'a warning_id that another warning has as well',
  ]);
};

export const pairChecks = (inPlay: StepInPlay, pair: Pair, all: RunRecord): readonly CheckReport[] => {
  const { reaction } = pair;
  const payload = payloadOf(reaction);
  const { at, deliveredAt = at } = inPlay.step;
  const seconds = Math.max(0, reaction.at - deliveredAt) / 1000;
  const severity = severityOf(inPlay, pair);
  const { limitSeconds } = inPlay.context;
  const triggers = inPlay.step.played.map(({ messageId }) => messageId);
  const facts = ['skill_id', 'skill_version', 'rule_id', 'story_id', 'scope'];
  return [
    measured('time', seconds <= limitSeconds, [`within ${limitSeconds} s`, `${seconds.toFixed(1)} s`]),
    check('causation', listed(triggers), textOf(reaction.message, 'causation_id') || 'nothing'),
    check('correlation', inPlay.record.correlationId, reaction.correlationId ?? 'nothing'),
    check('identity', identityOf(inPlay, pair), listed(facts.map(name => textOf(payload, name)))),
    check('severity', severity, textOf(payload, 'severity')),
    check('override', `${severity === 'hold'}`, `${payload['non_overridable']}`),
    blocksCheck(inPlay, pair),
    fieldsCheck(inPlay, pair),
    detailCheck(inPlay, pair),
    refCheck(inPlay, pair, all),
  ];
};
