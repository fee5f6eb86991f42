import type { SkillErrorCode } from '../contract/rules.ts';

/** An error of a catalogue route; its answer is `{code, message}`. */
export interface SkillRefusal {
  readonly kind: 'refused';
  readonly code: SkillErrorCode;
  readonly message: string;
}
