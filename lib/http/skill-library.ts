import { skillLibrary } from '../app/skill-library.ts';
import { skillRulebook } from '../app/skill-rulebook.ts';
import { limits } from '../contract/limits.ts';
import { crossOrigin } from './cross-origin.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';
import { matchesEtag } from './matches-etag.ts';
import { skillRefusalAnswer } from './skill-refusal.ts';

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
