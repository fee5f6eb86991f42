import type { PartyKind } from '../people/organisations.ts';
import type { Connection } from './connection.ts';
import type { RegistryPorts } from './ports.ts';

export const dismantle = async (
  { queueAdmin, usagePlans }: RegistryPorts,
  { id, queue }: Connection,
): Promise<void> => {
  if (queue) await queueAdmin.remove(queue);
  await usagePlans.remove(id);
};

export const revokeConnection = async (ports: RegistryPorts, id: string): Promise<boolean> => {
  const found = await ports.connections.find(id);
  if (!found) return false;
  const { queue } = found.connection;
  try {
    // Roles that read the queue directly lose access first: nothing else would stop them if this
    // call ended halfway.
    if (queue) await ports.queueAdmin.letRead(queue, []);
  } finally {
    await ports.connections.revoke(id);
  }
  await dismantle(ports, found.connection);
  return true;
};

const revokeBelow = async (ports: RegistryPorts, kind: PartyKind, id: string): Promise<void> => {
  const { directory, connections } = ports;
  if (kind === 'organisation') {
    for (const child of ['workspace', 'app'] as const) {
      const parties = await directory.list(child, id);
      for (const party of parties) await revokeParty(ports, child, party.id);
    }
    return;
  }

  const isApp = kind === 'app';
  const all = isApp ? await connections.ofApp(id) : await connections.ofWorkspace(id);
  for (const connection of all) await revokeConnection(ports, connection.id);
};

/**
 * The party comes first, so that nothing new can join it. Repeat an interrupted call to finish it.
 *
 * @returns false if there is none
 */
export const revokeParty = async (
  ports: RegistryPorts,
  kind: PartyKind,
  id: string,
): Promise<boolean> => {
  const known = await ports.directory.revoke(kind, id);
  if (known) await revokeBelow(ports, kind, id);
  return known;
};
