import { problemWithPermissions } from '../../domain/registry/check-permissions.ts';
import { type Connection, isRegistered } from '../../domain/registry/connection.ts';
import type { PermissionChange } from '../../ports/operator/connections.ts';
import { type Declined, declined, noConnection } from './declined.ts';
import { ownedByAnother } from './owned-by-another.ts';
import type { RegistryPorts } from './registry-ports.ts';

/**
 * Gives a connection other permissions: each list that is given replaces the one it had, the others stay. It counts for messages
 * that are published from then on, within `limits.registryCacheSeconds`; what is in a consumer's queue stays there.
 */
export const changePermissions = async (
  { connections }: Pick<RegistryPorts, 'connections'>,
  id: string,
  change: PermissionChange,
): Promise<Connection | Declined> => {
  const found = await connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const wanted: Connection = { ...found.connection, ...change };
  const problem = problemWithPermissions(wanted);
  if (problem) return declined(problem);
  const result = await connections.setPermissions(wanted, change);
  if (result === 'gone') return noConnection(id);
  return result === 'set' ? wanted : ownedByAnother(result.owned);
};
