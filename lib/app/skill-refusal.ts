/** An error of a catalogue route; its answer is `{code, message}`. */
export interface SkillRefusal {
  readonly kind: 'refused';
  readonly code: 'skills.version_unknown' | 'skills.unreadable';
  readonly message: string;
}
