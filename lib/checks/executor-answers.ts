import { isJsonObject, type JsonObject, textOf } from '../json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';
import { type ExecutorCase, type ExpectedWarning, slotsOf } from './executor-case.ts';
import { fillText } from './fixture.ts';
import type { Attempt, CaseRecord, PlayedStep } from './record.ts';

/** What the bus knows of the executor under test. */
export interface ExecutorContext {
  /** By slot. */
  readonly instances: ReadonlyMap<string, ConfiguredInstance>;
  /** The labels of all instances of the connection: those of the run, and the house's own. */
  readonly labels: ReadonlySet<string>;
  readonly limitSeconds: number;
}

export const warningType = 'skill.warning.raised';

/** A case, what was recorded of it, and the instances that it is about. */
export interface CaseInPlay {
  readonly one: ExecutorCase;
  readonly record: CaseRecord;
  readonly context: ExecutorContext;
}

export const payloadOf = ({ message }: Attempt): JsonObject => {
  const payload = message?.['payload'];
  return isJsonObject(payload) ? payload : {};
};

/** Whether an attempt is about the story of a case. */
export const isAbout = ({ storyId, correlationId }: CaseRecord, attempt: Attempt): boolean =>
  textOf(payloadOf(attempt), 'story_id') === storyId || attempt.correlationId === correlationId;

const labelsOf = ({ one, context }: Omit<CaseInPlay, 'record'>): readonly string[] =>
  slotsOf(one).flatMap(slot => context.instances.get(slot)?.instance_label ?? []);

/** Whether an attempt is an answer to a case: a warning of one of its instances about its story. */
export const isAnswer = (inPlay: CaseInPlay, attempt: Attempt): boolean =>
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

/** A text of an expectation, with what its names in braces stand for. */
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

/** An expected warning, and the answer that is taken for it. */
export interface Pair {
  readonly expected: ExpectedWarning;
  readonly answer: Attempt;
}

/** Finds an answer for each expected warning: first by instance and scope, then by the instance alone. */
export const pairs = (
  inPlay: CaseInPlay,
  expected: readonly ExpectedWarning[],
  answers: readonly Attempt[],
): readonly Pair[] => {
  const left = [...answers];
  const take = (fits: (payload: JsonObject) => boolean): Attempt | undefined => {
    const at = left.findIndex(answer => fits(payloadOf(answer)));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const isOf = (one: ExpectedWarning) => (payload: JsonObject) =>
    textOf(payload, 'rule_id') === labelOf(inPlay, one);
  const exact = expected.map(one =>
    take(payload => isOf(one)(payload) && textOf(payload, 'scope') === scopeOf(inPlay, one)),
  );
  return expected.flatMap((one, at) => {
    const answer = exact[at] ?? take(isOf(one));
    return answer ? [{ expected: one, answer }] : [];
  });
};
