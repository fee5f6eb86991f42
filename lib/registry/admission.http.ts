import { type Refusal, refuse } from '../contract/refusals.ts';
import { type HttpAnswer, type LogFacts, refusalAnswer } from '../http/answer.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Connection } from './connection.ts';
import { operatorScope, workspaceScope } from './principals.ts';
import { admit, admitRole, type Registry } from './registry.ts';

/** From an authenticated request to the producer it may publish as. */
export type Admission = (
  registry: Registry,
) => (request: HttpRequest) => Promise<{ kind: 'admitted'; connection: Connection } | Refusal>;

/** The bearer of a token, in the workspace of the address. */
export const workspaceBearer: Admission =
  registry =>
  async ({ caller, pathParameters }) =>
    caller
      ? admit(registry, caller, { workspace: pathParameters['t'] ?? '', kind: 'producer' })
      : refuse('producer.unauthenticated');

/** The bearer of a token, in the workspace that the token is for. */
export const ownWorkspaceBearer: Admission =
  registry =>
  async ({ caller }) =>
    caller
      ? admit(registry, caller, { workspace: caller.workspace, kind: 'producer' })
      : refuse('producer.unauthenticated');

/** The role that signed the request, registered in the workspace of the address. */
export const workspaceSigner: Admission =
  registry =>
  async ({ signer, pathParameters }) =>
    signer === undefined
      ? refuse('producer.unauthenticated')
      : admitRole(registry, signer, workspaceScope(pathParameters['t'] ?? ''));

/** The role that signed the request, registered by the operator. */
export const operatorSigner: Admission =
  registry =>
  async ({ signer }) =>
    signer === undefined ? refuse('producer.unauthenticated') : admitRole(registry, signer, operatorScope);

export interface Consumer {
  readonly connection: Connection;
  readonly log: LogFacts;
}

/** Serves the consumer whose own token this is, in its own workspace and at its own address. */
export const asConsumer =
  (registry: Registry, serve: (consumer: Consumer, request: HttpRequest) => Promise<HttpAnswer>) =>
  async (request: HttpRequest): Promise<HttpAnswer> => {
    const { caller, pathParameters } = request;
    if (!caller) return refusalAnswer(refuse('producer.unauthenticated'));
    const { t = '', c = '' } = pathParameters;
    const admission = await admit(registry, caller, { workspace: t, kind: 'consumer', consumer: c });
    if (admission.kind === 'refused') return refusalAnswer(admission, caller);
    return serve({ connection: admission.connection, log: caller }, request);
  };
