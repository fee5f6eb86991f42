import { admit } from '../app/admit.ts';
import { admitRole } from '../app/admit-role.ts';
import { type Refusal, refuse } from '../app/refusal.ts';
import type { Connection } from '../domain/registry/connection.ts';
import { operatorScope, workspaceScope } from '../domain/registry/principal.ts';
import type { Registry } from '../ports/registry.ts';
import type { HttpRequest } from './http-request.ts';

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
