import { type Refusal, refuse } from '../contract/refusals.ts';
import { type HttpRequest, unreadableJson } from '../http/request.ts';
import type { Edge } from '../http/respond.ts';
import { refusalResponse, response } from '../http/response.ts';
import { parseJson } from '../json/parse.ts';
import { workspaceScope } from './principals.ts';
import { type VerifyPorts, verifyPrincipal } from './verify-principal.ts';

interface Body {
  readonly connection: string;
  readonly challenge: string;
}

const bodyOf = (request: HttpRequest): Body | Refusal => {
  const unreadable = unreadableJson(request);
  if (unreadable) return unreadable;
  const parsed = parseJson(request.body);
  const { connection_id: connection, challenge } = parsed.ok ? parsed.value : {};
  return typeof connection === 'string' && typeof challenge === 'string'
    ? { connection, challenge }
    : refuse(
        'message.not_json',
        'The body must be a JSON object with the texts connection_id and challenge.',
      );
};

export const verifyPrincipalEdge: Edge<VerifyPorts> = ports =>
  async function verifyPrincipalRoute(request) {
    const { signer, pathParameters } = request;
    if (signer === undefined) return refusalResponse(refuse('producer.unauthenticated'));
    const body = bodyOf(request);
    if ('kind' in body) return refusalResponse(body);
    const workspace = workspaceScope(pathParameters['t'] ?? '');
    const result = await verifyPrincipal(ports)({ callerArn: signer, workspace, ...body });
    if (result.kind === 'refused') return refusalResponse(result);
    const { principal, verifiedAt } = result;
    return response(
      200,
      {
        verified: true,
        connection_id: principal.connection,
        role_arn: principal.roleArn,
        verified_at: verifiedAt,
      },
      { log: { connection: principal.connection, workspace: principal.scope } },
    );
  };
