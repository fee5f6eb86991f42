import { type Connection, isRegistered } from '../../../lib/access/registry/connection.ts';
import type { ClientBinding } from '../../../lib/access/registry/ports.ts';
import type { IdentityProvider, Registry } from '../../../lib/access/registry/registry.ts';
import { type Principal, roleKey, roleOfArn } from '../../../lib/access/trust/principals.ts';

/** What is registered, as a test keeps it. */
export interface Registered {
  connections(): readonly Connection[];
  readonly principals?: () => readonly Principal[];
  readonly providers?: () => readonly IdentityProvider[];
  readonly bindings?: () => readonly ClientBinding[];
}

const none = () => [];

/** The registry as functions read it, over what is kept in memory; every read is fresh. */
export const registryOver = ({
  connections,
  principals = none,
  providers = none,
  bindings = none,
}: Registered): Registry => ({
  connection: async id => connections().find(one => one.id === id),
  principalsOf: async (scope, role) =>
    principals().filter(one => {
      const own = roleOfArn(one.roleArn);
      return one.scope === scope && own !== undefined && roleKey(own) === roleKey(role);
    }),
  provider: async (scope, issuer) =>
    providers().find(one => one.scope === scope && one.issuer === issuer),
  boundConnection: async ({ scope, issuer }, client) =>
    bindings().find(one => one.scope === scope && one.issuer === issuer && one.client === client)
      ?.connection,
  consumersOf: async workspace =>
    connections().filter(
      one => one.workspace === workspace && one.kind === 'consumer' && isRegistered(one),
    ),
  isRegistered: async id => isRegistered(connections().find(one => one.id === id)),
});

/** The same with nobody in it, except what a test puts in place of a read. */
export const registryWith = (own: Partial<Registry> = {}): Registry => ({
  ...registryOver({ connections: none }),
  ...own,
});
