import { limits, type Tier } from '../../contract/limits.ts';
import type { App, Organisation, Workspace } from '../../domain/registry/organisation.ts';
import { isSystemId } from '../../domain/registry/system-id.ts';
import { type Declined, declined } from './declined.ts';
import { newId, type RegistryPorts, timestamp } from './registry-ports.ts';

export const createOrganisation = async (
  ports: RegistryPorts,
  wanted: { readonly name: string; readonly tier: Tier },
): Promise<Organisation> => {
  const organisation: Organisation = {
    kind: 'organisation',
    id: newId(ports, 'o'),
    status: 'active',
    createdAt: timestamp(ports),
    ...wanted,
  };
  await ports.directory.add(organisation);
  return organisation;
};

const activeOrganisation = async (ports: RegistryPorts, id: string): Promise<Declined | undefined> => {
  const organisation = await ports.directory.find('organisation', id);
  return organisation?.status === 'active' ? undefined : declined(`There is no active organisation ${id}.`);
};

export const createWorkspace = async (
  ports: RegistryPorts,
  wanted: { readonly name: string; readonly organisation: string },
): Promise<Workspace | Declined> => {
  const refusal = await activeOrganisation(ports, wanted.organisation);
  if (refusal) return refusal;
  const workspace: Workspace = {
    kind: 'workspace',
    id: newId(ports, 'w'),
    status: 'active',
    createdAt: timestamp(ports),
    ...wanted,
  };
  await ports.directory.add(workspace);
  return workspace;
};

/** An app, under a name that it may send as. */
export const createApp = async (
  ports: RegistryPorts,
  wanted: { readonly name: string; readonly organisation: string },
): Promise<App | Declined> => {
  if (!isSystemId(wanted.name))
    return declined(
      `An app's name must have 1 to ${limits.nameCharacters} characters, all of them printable.`,
    );
  const refusal = await activeOrganisation(ports, wanted.organisation);
  if (refusal) return refusal;
  const apps = await ports.directory.list('app', wanted.organisation);
  if (apps.some(({ name, status }) => name === wanted.name && status === 'active')) {
    return declined(`The organisation has an active app named "${wanted.name}" already.`);
  }
  const app: App = {
    kind: 'app',
    id: newId(ports, 'a'),
    status: 'active',
    createdAt: timestamp(ports),
    ...wanted,
  };
  await ports.directory.add(app);
  return app;
};
