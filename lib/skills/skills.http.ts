import { crossOriginHeaders } from '../contract/cross-origin.ts';
import { limits } from '../contract/limits.ts';
import { answer, catalogueError } from '../http/answer.ts';
import { matchesEtag, mediaType } from '../http/request.ts';
import type { Edge } from '../http/respond.ts';
import { skillLibrary, skillRulebook } from './catalogue.ts';
import { validateSkills } from './read-submission.ts';

const cached = { ...crossOriginHeaders, 'cache-control': `public, max-age=${limits.skillCacheSeconds}` };

/** `GET /api/skills/library`, and `HEAD`. */
export const skillLibraryEdge: Edge<object> = () => {
  const read = skillLibrary(skillRulebook.catalogue);
  return async ({ query, headers }) => {
    const library = read(query['version']);
    if (library.kind === 'refused') return catalogueError(library.code, library.message);
    const tagged = { headers: { ...cached, etag: library.etag } };
    return matchesEtag(headers['if-none-match'], library.etag)
      ? answer(304, undefined, tagged)
      : answer(200, library.description, tagged);
  };
};

const uncached = { ...crossOriginHeaders, 'cache-control': 'no-store' };

/** `POST /api/skills/validate`. */
export const skillValidateEdge: Edge<object> = () => {
  const validate = validateSkills(skillRulebook);
  return async ({ body, headers }) => {
    const result = validate(body, mediaType(headers['content-type']));
    return result.kind === 'refused'
      ? catalogueError(result.code, result.message)
      : answer(200, result.report, { headers: uncached });
  };
};
