import { matches } from '../../access/registry/patterns.ts';
import { defined, iso } from '../../contract/outside.ts';
import type { CaseReport, CaseVerdict, CheckReport } from '../../contract/portal/checks.ts';
import { shorten } from '../../platform/json/value.ts';
import type { Case } from '../plan.ts';
import { type CaseRecord, caseRecord, type PlayedStep, type RunRecord } from './record.ts';

/** Passes if what was found is what was expected, as it is unless it is given. */
export const check = (name: string, expected: string, found: string = expected): CheckReport => ({
  name,
  passed: expected === found,
  expected,
  found,
});

/** A check of which is also told what was found when it passes. */
export const measured = (
  name: string,
  passed: boolean,
  [expected, found]: readonly [string, string],
): CheckReport => ({ name, passed, expected, found });

export const listed = (texts: readonly (string | undefined)[]): string =>
  [...new Set(texts)].join(', ');

/** Texts as what was found; undefined if there are none. */
export const foundTexts = (
  texts: readonly (string | undefined)[],
  before = '',
): string | undefined => (texts.length === 0 ? undefined : `${before}${listed(texts)}`);

export interface Findings {
  readonly checks: readonly CheckReport[];
  readonly instance?: string;
  readonly messageIds?: readonly string[];
  readonly rules?: readonly string[];
  readonly advice?: string;
  /** Set if the record proves nothing, although no check failed: why. */
  readonly unproven?: string;
}

/**
 * Judges one case by what the bus recorded. Pure: the same record always gives the same findings.
 */
export type Judge<Expectation> = (one: Case<Expectation>, record: RunRecord) => Findings;

/** Judges each step by itself that expects something. */
export const byStep =
  <E>(judgeStep: (record: RunRecord, step: PlayedStep, expects: E) => Findings): Judge<E> =>
  (one, record) => {
    const steps = caseRecord(record, one.id)?.steps ?? [];
    const findings = steps.flatMap((step, at) => {
      const expects = one.steps[at]?.expects;
      return expects === undefined ? [] : [judgeStep(record, step, expects)];
    });

    const areSeveral = findings.filter(({ checks }) => checks.length > 0).length > 1;
    const checksOf = ({ checks }: Findings, at: number): readonly CheckReport[] => {
      if (!areSeveral) return checks;
      return checks.map(check => ({ ...check, name: `s${at + 1} ${check.name}` }));
    };
    const [unproven] = findings.flatMap(one => one.unproven ?? []);
    return {
      checks: findings.flatMap(checksOf),
      messageIds: findings.flatMap(({ messageIds = [] }) => messageIds),
      rules: findings.flatMap(({ rules = [] }) => rules),
      ...defined({ unproven }),
    };
  };

/** Longer texts of a check are cut: a flood fills thousands of pages. */
const maxCharacters = 600;
const maxIds = 50;

const shortened = (text: string): string => {
  if (text.length <= maxCharacters) return text;
  const parts = text.split(', ');
  const kept: string[] = [];
  let length = 0;
  for (const part of parts) {
    length += part.length + 2;
    if (length > maxCharacters) break;
    kept.push(part);
  }
  if (kept.length === 0) return shorten(text, maxCharacters);
  return `${kept.join(', ')}, and ${parts.length - kept.length} more`;
};

const readable = ({ expected, found, ...rest }: CheckReport): CheckReport => ({
  ...rest,
  expected: shortened(expected),
  found: shortened(found),
});

const times = (record: CaseRecord | undefined): Pick<CaseReport, 'started_at' | 'ended_at'> => {
  const first = record?.steps.at(0)?.at;
  const last = record?.steps.at(-1)?.settledAt;
  return defined({
    started_at: first === undefined ? first : iso(first),
    ended_at: last === undefined ? last : iso(last),
  });
};

/** Why a case of a run that is over has no result. */
const notReached = (endedAt: number | undefined, reason: string | undefined): string => {
  if (endedAt === undefined || reason === undefined) return 'The run ended before this case did.';
  const clock = iso(endedAt).slice(11, 19);
  return `Not reached: the run was stopped at ${clock} UTC. ${reason}`;
};

/** Stands for the reason of a case that goes on, or has yet to begin. */
const undecided = Symbol('undecided');

const whyNotRun = (
  { steps, ofWholeRun }: Case<unknown>,
  record: CaseRecord | undefined,
  { endedAt, reason }: RunRecord,
): string | typeof undecided | undefined => {
  if (record?.notRun !== undefined) return record.notRun;
  if (ofWholeRun && endedAt === undefined) return undecided;

  if (ofWholeRun && reason !== undefined) return notReached(endedAt, reason);

  const played = record?.steps.flatMap(step => step.played) ?? [];
  const refused = played.find(({ rules }) => rules.length > 0);
  if (refused)
    return (
      `The bus refused its own message ${refused.messageId} (${refused.rules.join(', ')}): ` +
      "report it to the bus's operator."
    );

  const settled = record?.steps.filter(({ settledAt }) => settledAt !== undefined).length ?? 0;
  if (settled >= steps.length || record?.stopped !== undefined) return undefined;
  if (endedAt === undefined) return undecided;
  return notReached(endedAt, reason);
};

const verdictOf = ({ checks, unproven }: Findings): CaseVerdict => {
  if (checks.some(({ passed }) => !passed)) return 'failed';
  return checks.length === 0 || unproven !== undefined ? 'not run' : 'passed';
};

/** What a case is about that the producer under test never sent, and need not. */
const unsentType = ({ needs }: Case<unknown>, { attempts }: RunRecord): string | undefined =>
  needs
    .flatMap(need => (need.kind === 'sends' && !need.isWanted ? need.messageType : []))
    .find(type => !attempts.some(({ messageType = '' }) => matches(type, messageType)));

/** What the step that goes on asks for. */
const askedNow = (
  { steps }: Case<unknown>,
  own: CaseRecord | undefined,
): Pick<CaseReport, 'ask'> => {
  const last = own?.steps.at(-1);
  const ask = own && steps[own.steps.length - 1]?.ask;
  if (!ask || !last || last.isPlanned || last.settledAt !== undefined) return {};
  return { ask };
};

const withFlood = (findings: Findings, flood: string | undefined): Findings => {
  if (flood === undefined) return findings;
  const failed = check('flood', 'no flood of messages', flood);
  return { ...findings, checks: [...findings.checks, failed] };
};

const firstIds = (ids: readonly string[]): readonly string[] => [...new Set(ids)].slice(0, maxIds);

/** Whether a case is about a whole run that was stopped when something had been seen. */
const isStopped = (
  { ofWholeRun }: Case<unknown>,
  { reason, attempts, receives }: RunRecord,
): boolean => ofWholeRun === true && reason !== undefined && attempts.length + receives.length > 0;

/** What a case found in a part of the run: it may have passed or failed by the end. */
const seenUntilThen = (
  reason: string,
  { checks, messageIds = [], rules = [] }: Findings,
): Pick<CaseReport, 'reason' | 'checks' | 'message_ids' | 'rules'> => ({
  reason: checks.length === 0 ? reason : `${reason} What was seen until then proves nothing.`,
  checks: checks.map(readable),
  message_ids: firstIds(messageIds),
  rules: firstIds(rules),
});

const judgeCase = <E>(one: Case<E>, judge: Judge<E>, record: RunRecord): CaseReport => {
  const own = caseRecord(record, one.id);
  const named = { case_id: one.id, title: one.title, ...(one.basis && { basis: one.basis }) };
  const untold = { ...named, checks: [], message_ids: [], rules: [] };
  if (one.pending !== undefined) return { ...untold, verdict: 'pending spec', reason: one.pending };
  if (own?.notApplicable !== undefined)
    return { ...untold, verdict: 'not applicable', reason: own.notApplicable };

  const reason = whyNotRun(one, own, record);
  if (reason === undecided)
    return { ...untold, ...times(own), ...askedNow(one, own), verdict: 'undecided' };
  const played = own?.steps.flatMap(step => step.played.map(({ messageId }) => messageId)) ?? [];
  if (reason !== undefined && own?.notRun === undefined && isStopped(one, record))
    return {
      ...named,
      ...times(own),
      verdict: 'not run',
      ...seenUntilThen(reason, judge(one, record)),
    };
  if (reason !== undefined)
    return {
      ...untold,
      ...times(own),
      verdict: 'not run',
      reason,
      message_ids: firstIds(played),
    };

  const findings = withFlood(judge(one, record), own?.stopped);
  const verdict = verdictOf(findings);
  const unsent = unsentType(one, record);
  if (verdict === 'not run' && unsent !== undefined)
    return { ...untold, ...times(own), verdict: 'not applicable', reason: `It sent no ${unsent}.` };

  const { unproven = 'There was nothing to look at.', advice = one.advice } = findings;
  const { checks, instance, messageIds = [], rules = [] } = findings;
  return defined({
    ...named,
    ...times(own),
    instance,
    verdict,
    reason: verdict === 'not run' ? unproven : undefined,
    advice: verdict === 'failed' ? advice : undefined,
    checks: checks.map(readable),
    message_ids: firstIds([...played, ...messageIds]),
    rules: firstIds(rules),
  });
};

export const judgeCases = <E>(
  cases: readonly Case<E>[],
  judge: Judge<E>,
  record: RunRecord,
): readonly CaseReport[] => cases.map(one => judgeCase(one, judge, record));
