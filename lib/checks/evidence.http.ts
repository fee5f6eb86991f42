import { refuse } from '../contract/refusals.ts';
import type { Edge } from '../platform/http/respond.ts';
import { refusalResponse, response } from '../platform/http/response.ts';
import type { CheckRuns } from './run.ts';

/**
 * `GET /v1/reports/{e}`: what the bus knows of a report, for whoever has it. The address cannot be
 * guessed, and tells no connection, workspace or case.
 */
export const evidenceEdge: Edge<{ readonly checkRuns: Pick<CheckRuns, 'evidence'> }> = ({
  checkRuns,
}) =>
  async function evidenceRoute({ pathParameters }) {
    const evidence = await checkRuns.evidence(pathParameters['e'] ?? '');
    if (!evidence) return refusalResponse(refuse('check.unknown'));
    return response(200, evidence, { headers: { 'cache-control': 'no-store' } });
  };
