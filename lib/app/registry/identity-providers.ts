import { isRegistered } from '../../domain/registry/connection.ts';
import {
  type ClientBinding,
  type IdentityProvider,
  problemWithProvider,
} from '../../domain/registry/identity-provider.ts';
import { operatorScope, type Scope } from '../../domain/registry/principal.ts';
import { type Declined, declined } from './declined.ts';
import { type RegistryPorts, timestamp } from './registry-ports.ts';

type ProviderPorts = Pick<RegistryPorts, 'clock' | 'directory' | 'connections' | 'identityProviders'>;

const unknownWorkspace = async (
  { directory }: ProviderPorts,
  scope: Scope,
): Promise<Declined | undefined> => {
  const workspace = scope === operatorScope ? undefined : await directory.find('workspace', scope);
  return scope === operatorScope || workspace?.status === 'active'
    ? undefined
    : declined(`There is no active workspace ${scope}.`);
};

/** Registers an issuer whose clients may act for connections once they are bound. */
export const addIdentityProvider = async (
  ports: ProviderPorts,
  wanted: Omit<IdentityProvider, 'createdAt'>,
  busIssuer: string,
): Promise<{ readonly kind: 'added'; readonly provider: IdentityProvider } | Declined> => {
  const problem = problemWithProvider(wanted, busIssuer);
  if (problem) return declined(problem);
  const unknown = await unknownWorkspace(ports, wanted.scope);
  if (unknown) return unknown;
  const provider = { ...wanted, createdAt: timestamp(ports) };
  return (await ports.identityProviders.add(provider))
    ? { kind: 'added', provider }
    : declined(`The issuer ${wanted.issuer} is registered already: remove it first to change it.`);
};

/** Lets a client of a registered issuer act for a connection; a client acts for one connection at a time. */
export const bindClient = async (
  ports: ProviderPorts,
  wanted: Omit<ClientBinding, 'createdAt'>,
): Promise<{ readonly kind: 'bound'; readonly binding: ClientBinding } | Declined> => {
  const { scope, issuer, client, connection: id } = wanted;
  const providers = await ports.identityProviders.list(scope);
  if (!providers.some(provider => provider.issuer === issuer))
    return declined(`The issuer ${issuer} is not registered there: add it first.`);
  if (client === '') return declined('A client needs a name.');
  const { connection } = (await ports.connections.find(id)) ?? {};
  if (!isRegistered(connection) || connection.kind !== 'producer')
    return declined(`There is no producer ${id}, or it is revoked.`);
  if (scope !== operatorScope && connection.workspace !== scope)
    return declined(`The connection ${id} is not in the workspace ${scope}.`);
  const binding = { ...wanted, createdAt: timestamp(ports) };
  await ports.identityProviders.bind(binding);
  return { kind: 'bound', binding };
};
