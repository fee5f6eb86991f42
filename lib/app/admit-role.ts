import type { Connection } from '../domain/registry/connection.ts';
import { operatorScope, type Scope } from '../domain/registry/principal.ts';
import { roleOfCaller } from '../domain/registry/role.ts';
import type { Registry } from '../ports/registry.ts';
import { type Refusal, refuse } from './refusal.ts';

/**
 * The one active producer connection on which the signer's role is registered and verified.
 *
 * @param callerArn the ARN that the platform verified the signature for
 */
export const admitRole = async (
  registry: Registry,
  callerArn: string,
  scope: Scope | undefined,
): Promise<{ kind: 'admitted'; connection: Connection } | Refusal> => {
  const role = roleOfCaller(callerArn);
  const principals = role && scope !== undefined ? await registry.principalsOf(scope, role) : [];
  const ids = new Set(
    principals.filter(({ status }) => status === 'verified').map(({ connection }) => connection),
  );
  const found = await Promise.all([...ids].map(id => registry.connection(id)));
  const [connection, ...others] = found.filter(
    candidate =>
      candidate?.status === 'active' &&
      candidate.kind === 'producer' &&
      (scope === operatorScope || candidate.workspace === scope),
  );
  return connection && others.length === 0
    ? { kind: 'admitted', connection }
    : refuse('producer.not_registered');
};
