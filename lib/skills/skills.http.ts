import { limits } from '../contract/limits.ts';
import { skillErrors } from '../contract/rules.ts';
import { answer, crossOrigin, type HttpAnswer } from '../http/answer.ts';
import { matchesEtag, mediaType } from '../http/request.ts';
import type { Edge } from '../http/respond.ts';
import { type SkillRefusal, skillLibrary, skillRulebook } from './catalogue.ts';
import { validateSkills } from './read-submission.ts';

/** An error of a catalogue route: `{code, message}`. */
const skillRefusalAnswer = ({ code, message }: SkillRefusal): HttpAnswer =>
  answer(skillErrors[code], { code, message }, { headers: crossOrigin, log: { rule: code } });

const cached = { ...crossOrigin, 'cache-control': `public, max-age=${limits.skillCacheSeconds}` };

/** `GET /api/skills/library`, and `HEAD`. */
export const skillLibraryEdge: Edge<object> = () => {
  const read = skillLibrary(skillRulebook.catalogue);
  return async ({ query, headers }) => {
    const library = read(query['version']);
    if (library.kind === 'refused') return skillRefusalAnswer(library);
    const tagged = { headers: { ...cached, etag: library.etag } };
    return matchesEtag(headers['if-none-match'], library.etag)
      ? answer(304, undefined, tagged)
      : answer(200, library.description, tagged);
  };
};

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
