import { skillRulebook } from '../app/skill-rulebook.ts';
import { validateSkills } from '../app/skill-validate.ts';
import { crossOrigin } from './cross-origin.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';
import { mediaType } from './media-type.ts';
import { skillRefusalAnswer } from './skill-refusal.ts';

const uncached = { ...crossOrigin, 'cache-control': 'no-store' };

/** `POST /api/skills/validate`. */
export const skillValidateEdge: Edge<object> = () => {
  const validate = validateSkills(skillRulebook);
  return async ({ body, headers }) => {
    const result = validate(body, mediaType(headers['content-type']));
    return result.kind === 'refused'
      ? skillRefusalAnswer(result)
      : answer(200, result.report, { headers: uncached });
  };
};
