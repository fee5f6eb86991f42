import { limits } from '../../contract/limits.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import { type HttpRequest, tooLong } from '../../platform/http/request.ts';
import { type HttpResponse, type LogFacts, refusalResponse } from '../../platform/http/response.ts';
import type { Connection } from '../registry/connection.ts';
import {
  type Admitted,
  admit,
  admitRole,
  type CallerRegistry,
  type Destination,
  type RoleRegistry,
} from '../registry/registry.ts';
import { operatorScope, type Scope, workspaceScope } from './principals.ts';

export type Admission<R> = (registry: R) => (request: HttpRequest) => Promise<Admitted | Refusal>;

const bearer = (
  registry: CallerRegistry,
  workspaceOf: (request: HttpRequest) => string | undefined,
) =>
  async function admitBearer(request: HttpRequest) {
    const { caller } = request;
    if (caller)
      return admit(registry, caller, { workspace: workspaceOf(request) ?? '', kind: 'producer' });
    return refuse('producer.unauthenticated');
  };

const signer = (registry: RoleRegistry, scopeOf: (request: HttpRequest) => Scope | undefined) =>
  async function admitSigner(request: HttpRequest) {
    if (request.signer === undefined) return refuse('producer.unauthenticated');
    return admitRole(registry, request.signer, scopeOf(request));
  };

export const workspaceBearer: Admission<CallerRegistry> = registry =>
  bearer(registry, ({ pathParameters }) => pathParameters['t']);

export const ownWorkspaceBearer: Admission<CallerRegistry> = registry =>
  bearer(registry, ({ caller }) => caller?.workspace);

export const workspaceSigner: Admission<RoleRegistry> = registry =>
  signer(registry, ({ pathParameters }) => workspaceScope(pathParameters['t'] ?? ''));

export const operatorSigner: Admission<RoleRegistry> = registry =>
  signer(registry, () => operatorScope);

export interface AdmittedConnection {
  readonly connection: Connection;
  readonly log: LogFacts;
}

const longParameter = ({ pathParameters, query }: HttpRequest): Refusal | undefined => {
  const words =
    tooLong(Object.entries(pathParameters), limits.idCharacters) ??
    tooLong([['after', query['after'] ?? '']], limits.queryBytes);
  if (words === undefined) return undefined;
  return refuse('pull.invalid_parameter', words);
};

type Serve = (admitted: AdmittedConnection, request: HttpRequest) => Promise<HttpResponse>;

const admitted = (
  registry: CallerRegistry,
  destinationOf: (pathParameters: HttpRequest['pathParameters']) => Omit<Destination, 'workspace'>,
  serve: Serve,
) =>
  async function serveAdmitted(request: HttpRequest): Promise<HttpResponse> {
    const { caller, pathParameters } = request;
    if (!caller) return refusalResponse(refuse('producer.unauthenticated'));
    const destination = { workspace: pathParameters['t'] ?? '', ...destinationOf(pathParameters) };
    const admission = await admit(registry, caller, destination);
    if (admission.kind === 'refused') return refusalResponse(admission, caller);
    const long = longParameter(request);
    if (long) return refusalResponse(long, caller);
    return serve({ connection: admission.connection, log: caller }, request);
  };

export const asMember = (registry: CallerRegistry, serve: Serve) =>
  admitted(registry, () => ({}), serve);

/**
 * Serves a consumer that calls with its own token, in its own workspace and at its own address. A
 * revocation deletes the queue of a connection that is still remembered here: so every error is
 * compared with a fresh read.
 */
export const asConsumer = (registry: CallerRegistry, serve: Serve) =>
  admitted(
    registry,
    ({ c = '' }) => ({ kind: 'consumer', consumer: c }),
    async function serveConsumer(consumer, request) {
      try {
        return await serve(consumer, request);
      } catch (error) {
        const isRegistered = await registry.isRegistered(consumer.connection.id).catch(() => true);
        if (isRegistered) throw error;
        return refusalResponse(refuse('producer.not_registered'), consumer.log);
      }
    },
  );
