import type { CallerRegistry } from '../access/registry/registry.ts';
import type { TestRuns } from '../access/registry/test-runs.ts';
import { noPosition, openPart, positionsOf, sealedNext } from '../access/seals/positions.ts';
import type { Seals } from '../access/seals/seal.ts';
import { asConsumer } from '../access/trust/admission.http.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { crossOriginHeaders } from '../contract/paths.ts';
import { refuse } from '../contract/refusals.ts';
import { matchesEtag, mediaType } from '../platform/http/request.ts';
import type { Edge } from '../platform/http/respond.ts';
import { catalogueError, refusalResponse, response } from '../platform/http/response.ts';
import { textAsWritten } from '../platform/json/as-written.ts';
import { skillLibrary, skillRulebook } from './describe-library.ts';
import { validateSkills } from './read-submission.ts';
import {
  configuredInstance,
  type SkillRegistration,
  type SkillRegistrations,
} from './registrations.ts';

const cached = {
  ...crossOriginHeaders,
  'cache-control': `public, max-age=${limits.skillCacheSeconds}`,
};

export const skillLibraryEdge: Edge<object> = () => {
  const read = skillLibrary(skillRulebook.catalogue);
  return async function skillLibraryRoute({ query, headers }) {
    const library = read(query['version']);
    if (library.kind === 'refused') return catalogueError(library.code, library.message);
    const tagged = { headers: { ...cached, etag: library.etag } };
    if (matchesEtag(headers['if-none-match'], library.etag))
      return response(304, undefined, tagged);
    return response(200, library.description, tagged);
  };
};

const uncached = { ...crossOriginHeaders, 'cache-control': 'no-store' };

export const skillValidateEdge: Edge<object> = () => {
  const validate = validateSkills(skillRulebook);
  return async function skillValidateRoute({ body, headers }) {
    const result = validate(body, mediaType(headers['content-type']));
    if (result.kind === 'refused') return catalogueError(result.code, result.message);
    return response(200, result.report, { headers: uncached });
  };
};

const record = (registration: SkillRegistration) => ({
  registration_id: registration.id,
  ...configuredInstance(registration),
  paused: registration.paused,
});

export const registrationsEdge: Edge<{
  readonly clock: Clock;
  readonly registry: CallerRegistry;
  readonly seals: Seals;
  readonly skills: Pick<SkillRegistrations, 'page'>;
  readonly testRuns: Pick<TestRuns, 'note'>;
}> = ({ clock, registry, seals, skills, testRuns }) =>
  asConsumer(registry, async function registrationsRoute({ connection, log }, { query }) {
    if (connection.underTest !== undefined)
      await testRuns.note(connection.underTest, { kind: 'registrations', at: clock.now() });
    const positions = positionsOf(await seals.sealer(), ['registrations', connection.id]);
    const part = openPart(positions, { after: query['after'], max: limits.skillInstances });
    if (!part) return refusalResponse(refuse('pull.invalid_parameter', noPosition), log);
    const { entries, next } = await skills.page(connection.id, part);
    const body = { registrations: entries.map(record), ...sealedNext(positions, next) };
    return response(200, Buffer.from(textAsWritten(body)), { log });
  });
