import type { CheckAnswer } from '../contract/checks.ts';
import type { Attempt } from './record.ts';
import type { Findings } from './verdict.ts';

export const isOn = ({ outcome }: Attempt): boolean => outcome !== 'refused';

export const passes = (
  name: string,
  passed: boolean,
  [expected, found]: readonly [string, string],
): CheckAnswer => ({
  name,
  passed,
  expected,
  found,
});

export const listed = (texts: readonly (string | undefined)[]): string => [...new Set(texts)].join(', ');

/** Which messages an attempt is about, in the findings of a case. */
export const about = (attempts: readonly Attempt[]): Pick<Findings, 'answers' | 'rules'> => ({
  answers: attempts.flatMap(({ messageId }) => messageId ?? []),
  rules: attempts.flatMap(({ rules }) => rules),
});
