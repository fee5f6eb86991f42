import type { PartyKind } from '../../domain/registry/organisation.ts';
import { revokeConnection } from './connections.ts';
import type { RegistryPorts } from './registry-ports.ts';

/** What falls with a party: its workspaces and apps, and the connections of those. */
const revokeBelow = async (ports: RegistryPorts, kind: PartyKind, id: string): Promise<void> => {
  if (kind === 'organisation') {
    for (const child of ['workspace', 'app'] as const) {
      for (const party of await ports.directory.list(child, id)) await revokeParty(ports, child, party.id);
    }
    return;
  }
  const { connections } = ports;
  const all = await (kind === 'app' ? connections.ofApp(id) : connections.ofWorkspace(id));
  for (const connection of all) await revokeConnection(ports, connection.id);
};

/**
 * Revokes a party and everything below it. The party goes first, so that nothing new joins it meanwhile; a repeated
 * call finishes what an interrupted one left.
 *
 * @returns false when there is no such party
 */
export const revokeParty = async (ports: RegistryPorts, kind: PartyKind, id: string): Promise<boolean> => {
  const known = await ports.directory.revoke(kind, id);
  if (known) await revokeBelow(ports, kind, id);
  return known;
};
