import { type BoundName, guestIn, maxOf, type Slot } from '../../contract/bounds.ts';
import { notActive } from '../people/organisations.ts';
import { type Allotment, type Connection, isRegistered, quotaOf } from './connection.ts';
import { type Declined, declined, isDeclined, noConnection } from './declined.ts';
import type { RegistryPorts } from './ports.ts';

export const quotaFact = (allotment: Allotment) => {
  const { perSecond, burst, perDay } = quotaOf(allotment);
  return { quota: `${perSecond}/s, bursts of ${burst}, ${perDay} a day` };
};

/** Takes effect within seconds, with the same credentials. */
export const setConnectionQuota = async (
  ports: RegistryPorts,
  id: string,
  allotment: Allotment,
): Promise<Connection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  await ports.usagePlans.assign(id, allotment.quota ?? allotment.tier);
  await ports.connections.setQuota(id, allotment);
  const { quota: _, ...connection } = found.connection;
  return { ...connection, ...allotment };
};

interface LimitChoice {
  readonly bound: BoundName;
  readonly organisation: string;
  readonly workspace?: string;
}

const slotToRaise = async (
  { directory }: RegistryPorts,
  { bound, organisation, workspace }: LimitChoice,
): Promise<Slot | Declined> => {
  const party = await directory.find('organisation', organisation);
  if (party?.kind !== 'organisation') return declined(`There is no organisation ${organisation}.`);
  if (workspace === undefined) return { bound, scope: 'organisation', of: organisation };

  const place = await directory.find('workspace', workspace);
  if (place?.kind !== 'workspace') return declined(`There is no workspace ${workspace}.`);

  if (place.organisation !== organisation)
    return { bound, scope: 'guest', of: guestIn(workspace, organisation) };
  // Some things are bounded for all guests of a workspace together, others for the whole of it.
  const scope = maxOf(bound, 'guests') === undefined ? 'workspace' : 'guests';
  return { bound, scope, of: workspace };
};

/** Lets a count go as far as `max`, but never less far than the table of bounds does. */
export const raiseLimit = async (
  ports: RegistryPorts,
  choice: LimitChoice,
  max: number,
): Promise<{ kind: 'raised'; slot: Slot; max: number } | Declined> => {
  const slot = await slotToRaise(ports, choice);
  if (isDeclined(slot)) return slot;

  const { bound, scope } = slot;
  const usual = maxOf(bound, scope);
  if (usual === undefined) {
    const article = scope === 'organisation' ? 'an' : 'a';
    return declined(`There is no limit on ${bound} of ${article} ${scope}.`);
  }
  await ports.bounds.raise(slot, max);
  return { kind: 'raised', slot, max: Math.max(max, usual) };
};

interface QuotaChanges {
  readonly kind: 'changed';
  readonly changed: readonly Connection[];
  /** Connections that still have their old quota: repeating the change finishes it. */
  readonly failed: readonly { readonly id: string; readonly error: unknown }[];
}

/** Future ones too. One after the other: API Gateway changes one usage plan at a time. */
export const setOrganisationQuota = async (
  ports: RegistryPorts,
  id: string,
  allotment: Allotment,
): Promise<QuotaChanges | Declined> => {
  const inactive = await notActive(ports, id);
  if (inactive) return inactive;
  await ports.directory.setQuota(id, allotment);

  const apps = await ports.directory.list('app', id);
  const byApp = await Promise.all(apps.map(app => ports.connections.ofApp(app.id)));
  const changed: Connection[] = [];
  const failed: { id: string; error: unknown }[] = [];
  for (const connection of byApp.flat().filter(isRegistered)) {
    try {
      const result = await setConnectionQuota(ports, connection.id, allotment);
      if (result.kind !== 'declined') changed.push(result);
    } catch (error) {
      failed.push({ id: connection.id, error });
    }
  }
  return { kind: 'changed', changed, failed };
};
