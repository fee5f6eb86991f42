import { matches } from '../../access/registry/patterns.ts';
import { defined, iso } from '../../contract/outside.ts';
import type { CaseReport, CaseVerdict, CheckReport } from '../../contract/portal/checks.ts';
import { shorten } from '../../platform/json/value.ts';
import type { Case } from '../plan.ts';
import {
  type CaseRecord,
  caseRecord,
  type PlayedStep,
  playedIn,
  type RunRecord,
  type SeenAttempt,
} from './record.ts';

/** Passes if what was found is what was expected, as it is unless it is given. */
export const check = (name: string, expected: string, found: string = expected): CheckReport => ({
  name,
  passed: expected === found,
  expected,
  found,
});

/** A check that also says what was found when it passes. */
export const measured = (
  name: string,
  passed: boolean,
  [expected, found]: readonly [string, string],
): CheckReport => ({ name, passed, expected, found });

export const listed = (texts: readonly (string | undefined)[]): string =>
  [...new Set(texts)].join(', ');

/** What was found, as a check wants it; undefined, as it is expected, if that is nothing. */
export const foundTexts = (
  texts: readonly (string | undefined)[],
  prefix = '',
): string | undefined => (texts.length === 0 ? undefined : `${prefix}${listed(texts)}`);

export interface Findings {
  readonly checks: readonly CheckReport[];
  readonly instance?: string;
  readonly messageIds?: readonly string[];
  readonly rules?: readonly string[];
  readonly advice?: string;
  /** Set if the record proves nothing, although no check failed: why. */
  readonly unproven?: string;
}

/** The attempts that a case is about, for whoever reads its report. */
export const idsAndRules = (
  attempts: readonly SeenAttempt[],
): Pick<Findings, 'messageIds' | 'rules'> => ({
  messageIds: attempts.flatMap(({ messageId }) => messageId ?? []),
  rules: attempts.flatMap(({ rules }) => rules),
});

/**
 * Judges one case by what the bus recorded. Pure: the same record always gives the same findings.
 */
export type Judge<Expectation> = (testCase: Case<Expectation>, record: RunRecord) => Findings;

/** Judges each step by itself that expects something. */
export const byStep =
  <E>(judgeStep: (record: RunRecord, step: PlayedStep, expects: E) => Findings): Judge<E> =>
  ({ id, steps }, record) => {
    const playedSteps = caseRecord(record, id)?.steps ?? [];
    const findings = playedSteps.flatMap((step, index) => {
      const expects = steps[index]?.expects;
      return expects === undefined ? [] : [judgeStep(record, step, expects)];
    });

    const areSeveral = findings.filter(({ checks }) => checks.length > 0).length > 1;
    const namedChecks = ({ checks }: Findings, index: number): readonly CheckReport[] => {
      if (!areSeveral) return checks;
      return checks.map(check => ({ ...check, name: `s${index + 1} ${check.name}` }));
    };
    const [unproven] = findings.flatMap(finding => finding.unproven ?? []);
    return {
      checks: findings.flatMap(namedChecks),
      messageIds: findings.flatMap(({ messageIds = [] }) => messageIds),
      rules: findings.flatMap(({ rules = [] }) => rules),
      ...defined({ unproven }),
    };
  };

/** Longer texts of a check are cut: a flood fills thousands of pages. */
const maxCharacters = 600;
const maxIds = 50;

/** Cuts a list at one of its commas. */
const shortened = (text: string): string => {
  if (text.length <= maxCharacters) return text;
  const items = text.split(', ');
  const kept: string[] = [];
  let length = 0;
  for (const item of items) {
    length += item.length + ', '.length;
    if (length > maxCharacters) break;
    kept.push(item);
  }
  if (kept.length === 0) return shorten(text, maxCharacters);
  return `${kept.join(', ')}, and ${items.length - kept.length} more`;
};

const readable = ({ expected, found, ...rest }: CheckReport): CheckReport => ({
  ...rest,
  expected: shortened(expected),
  found: shortened(found),
});

const isoIfKnown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : iso(time);

const timesOf = (record: CaseRecord | undefined): Pick<CaseReport, 'started_at' | 'ended_at'> =>
  defined({
    started_at: isoIfKnown(record?.steps.at(0)?.at),
    ended_at: isoIfKnown(record?.steps.at(-1)?.settledAt),
  });

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

  const refused = playedIn(record).find(({ rules }) => rules.length > 0);
  if (refused)
    return (
      `The bus refused its own message ${refused.messageId} (${refused.rules.join(', ')}): ` +
      "report it to the bus's operator."
    );

  const settled = record?.steps.filter(({ settledAt }) => settledAt !== undefined) ?? [];
  if (settled.length >= steps.length || record?.stopped !== undefined) return undefined;
  if (endedAt === undefined) return undecided;
  return notReached(endedAt, reason);
};

const verdictOf = ({ checks, unproven }: Findings): CaseVerdict => {
  if (checks.some(({ passed }) => !passed)) return 'failed';
  return checks.length === 0 || unproven !== undefined ? 'not run' : 'passed';
};

/** What a case is about that the producer under test never sent, and need not. */
const unsentType = ({ needs }: Case<unknown>, { attempts }: RunRecord): string | undefined => {
  const isSent = (pattern: string): boolean =>
    attempts.some(({ messageType = '' }) => matches(pattern, messageType));
  return needs
    .flatMap(need => (need.kind === 'sends' && !need.isWanted ? need.messageType : []))
    .find(pattern => !isSent(pattern));
};

/** What the step that goes on asks for. */
const askedNow = (
  { steps }: Case<unknown>,
  playedSteps: readonly PlayedStep[] = [],
): Pick<CaseReport, 'ask'> => {
  const current = playedSteps.at(-1);
  if (!current || current.isPlanned || current.settledAt !== undefined) return {};
  return defined({ ask: steps[playedSteps.length - 1]?.ask });
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

const judgeCase = <E>(testCase: Case<E>, judge: Judge<E>, record: RunRecord): CaseReport => {
  const { id: case_id, title, basis, pending } = testCase;
  const head = defined({ case_id, title, basis });
  const nothingSeen = { checks: [], message_ids: [], rules: [] };
  if (pending !== undefined)
    return { ...head, ...nothingSeen, verdict: 'pending spec', reason: pending };
  const own = caseRecord(record, case_id);
  if (own?.notApplicable !== undefined)
    return { ...head, ...nothingSeen, verdict: 'not applicable', reason: own.notApplicable };

  const begun = { ...head, ...nothingSeen, ...timesOf(own) };
  const reason = whyNotRun(testCase, own, record);
  if (reason === undecided)
    return { ...begun, ...askedNow(testCase, own?.steps), verdict: 'undecided' };

  const played = playedIn(own).map(({ messageId }) => messageId);
  if (reason !== undefined) {
    const isPartlySeen = own?.notRun === undefined && isStopped(testCase, record);
    if (!isPartlySeen)
      return { ...begun, verdict: 'not run', reason, message_ids: firstIds(played) };
    return { ...begun, verdict: 'not run', ...seenUntilThen(reason, judge(testCase, record)) };
  }

  const findings = withFlood(judge(testCase, record), own?.stopped);
  const verdict = verdictOf(findings);
  const unsent = unsentType(testCase, record);
  if (verdict === 'not run' && unsent !== undefined)
    return { ...begun, verdict: 'not applicable', reason: `It sent no ${unsent}.` };

  const { unproven = 'There was nothing to look at.', advice = testCase.advice } = findings;
  const { checks, instance, messageIds = [], rules = [] } = findings;
  return defined({
    ...head,
    ...timesOf(own),
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
): readonly CaseReport[] => cases.map(testCase => judgeCase(testCase, judge, record));
