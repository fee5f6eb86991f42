import type { SkillRefusal } from '../app/skill-refusal.ts';
import { answer, type HttpAnswer } from './http-answer.ts';

/** Any web page may read the catalogue: it needs no credentials and tells everybody the same. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;

const statuses: Readonly<Record<SkillRefusal['code'], number>> = {
  'skills.version_unknown': 404,
  'skills.unreadable': 400,
};

/** An error of a catalogue route: `{code, message}`. */
export const skillRefusalAnswer = ({ code, message }: SkillRefusal): HttpAnswer =>
  answer(statuses[code], { code, message }, { headers: crossOrigin, log: { rule: code } });
