import type { SkillRefusal } from '../app/skill-refusal.ts';
import { skillErrors } from '../contract/rules.ts';
import { crossOrigin } from './cross-origin.ts';
import { answer, type HttpAnswer } from './http-answer.ts';

/** An error of a catalogue route: `{code, message}`. */
export const skillRefusalAnswer = ({ code, message }: SkillRefusal): HttpAnswer =>
  answer(skillErrors[code], { code, message }, { headers: crossOrigin, log: { rule: code } });
