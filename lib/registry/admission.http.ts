import { limits } from '../contract/limits.ts';
import { type Refusal, refuse } from '../contract/refusals.ts';
import { type HttpRequest, tooLong } from '../http/request.ts';
import { type HttpResponse, type LogFacts, refusalResponse } from '../http/response.ts';
import type { Connection } from './connection.ts';
import { operatorScope, workspaceScope } from './principals.ts';
import { admit, admitRole, type CallerRegistry, type RoleRegistry } from './registry.ts';

export type Admission<R> = (
  registry: R,
) => (request: HttpRequest) => Promise<{ kind: 'admitted'; connection: Connection } | Refusal>;

export const workspaceBearer: Admission<CallerRegistry> = registry =>
  async function admitWorkspaceBearer({ caller, pathParameters }) {
    return caller
      ? admit(registry, caller, { workspace: pathParameters['t'] ?? '', kind: 'producer' })
      : refuse('producer.unauthenticated');
  };

export const ownWorkspaceBearer: Admission<CallerRegistry> = registry =>
  async function admitOwnWorkspaceBearer({ caller }) {
    return caller
      ? admit(registry, caller, { workspace: caller.workspace, kind: 'producer' })
      : refuse('producer.unauthenticated');
  };

export const workspaceSigner: Admission<RoleRegistry> = registry =>
  async function admitWorkspaceSigner({ signer, pathParameters }) {
    return signer === undefined
      ? refuse('producer.unauthenticated')
      : admitRole(registry, signer, workspaceScope(pathParameters['t'] ?? ''));
  };

export const operatorSigner: Admission<RoleRegistry> = registry =>
  async function admitOperatorSigner({ signer }) {
    return signer === undefined
      ? refuse('producer.unauthenticated')
      : admitRole(registry, signer, operatorScope);
  };

export interface AdmittedConnection {
  readonly connection: Connection;
  readonly log: LogFacts;
}

const longParameter = ({ pathParameters, query }: HttpRequest): Refusal | undefined => {
  const given = Object.entries({ ...pathParameters, after: query['after'] ?? '' });
  const words = tooLong(given, limits.idCharacters);
  return words === undefined ? undefined : refuse('pull.invalid_parameter', words);
};

export const asMember = (
  registry: CallerRegistry,
  serve: (member: AdmittedConnection, request: HttpRequest) => Promise<HttpResponse>,
) =>
  async function serveMember(request: HttpRequest): Promise<HttpResponse> {
    const { caller, pathParameters } = request;
    if (!caller) return refusalResponse(refuse('producer.unauthenticated'));
    const admission = await admit(registry, caller, { workspace: pathParameters['t'] ?? '' });
    if (admission.kind === 'refused') return refusalResponse(admission, caller);
    const long = longParameter(request);
    if (long) return refusalResponse(long, caller);
    return serve({ connection: admission.connection, log: caller }, request);
  };

/**
 * Serves a consumer that calls with its own token, in its own workspace and at its own address. A revocation deletes the queue
 * of a connection that is still remembered here: so every error is compared with a fresh read.
 */
export const asConsumer = (
  registry: CallerRegistry,
  serve: (consumer: AdmittedConnection, request: HttpRequest) => Promise<HttpResponse>,
) =>
  async function serveConsumer(request: HttpRequest): Promise<HttpResponse> {
    const { caller, pathParameters } = request;
    if (!caller) return refusalResponse(refuse('producer.unauthenticated'));
    const { t = '', c = '' } = pathParameters;
    const admission = await admit(registry, caller, { workspace: t, kind: 'consumer', consumer: c });
    if (admission.kind === 'refused') return refusalResponse(admission, caller);
    const long = longParameter(request);
    if (long) return refusalResponse(long, caller);
    const { connection } = admission;
    try {
      return await serve({ connection, log: caller }, request);
    } catch (error) {
      const isRegistered = await registry.isRegistered(connection.id).catch(() => true);
      if (isRegistered) throw error;
      return refusalResponse(refuse('producer.not_registered'), caller);
    }
  };
