import { limits } from '../../contract/limits.ts';
import { timestamp } from '../../contract/outside.ts';
import { activeWorkspace, notActive } from '../people/organisations.ts';
import { isRegistered } from '../registry/connection.ts';
import { type Declined, declined, isDeclined } from '../registry/declined.ts';
import type { ClientBinding, RegistryPorts } from '../registry/ports.ts';
import type { IdentityProvider } from '../registry/registry.ts';
import { operatorScope, type Scope } from './principals.ts';
import { problemWithChosenUrl, publicUrl } from './public-addresses.ts';

const longest = 512;

const problemWithProvider = (
  { issuer, jwksUri, audience, insecureLocal }: Omit<IdentityProvider, 'scope' | 'createdAt'>,
  busIssuer: string,
): string | undefined => {
  if ([issuer, jwksUri, audience].some(text => text === '' || text.length > longest))
    return `Issuer, key set address and audience must have 1 to ${longest} characters.`;
  if (!publicUrl(issuer, insecureLocal)) return `The issuer "${issuer}" is not an https address.`;
  const problem = problemWithChosenUrl('The key set address', jwksUri, insecureLocal);
  if (problem) return problem;
  if (issuer.replace(/\/+$/, '') === busIssuer)
    return 'The bus itself is the issuer of that name: it cannot be registered.';
  return undefined;
};

const organisationOf = async (
  ports: RegistryPorts,
  scope: Scope,
): Promise<string | Declined | undefined> => {
  if (scope === operatorScope) return undefined;
  const workspace = await activeWorkspace(ports, scope);
  if (isDeclined(workspace)) return workspace;
  return (await notActive(ports, workspace.organisation)) ?? workspace.organisation;
};

export const addIdentityProvider = async (
  ports: RegistryPorts,
  wanted: Omit<IdentityProvider, 'createdAt'>,
  busIssuer: string,
): Promise<{ kind: 'added'; provider: IdentityProvider } | Declined> => {
  const problem = problemWithProvider(wanted, busIssuer);
  if (problem) return declined(problem);
  const organisation = await organisationOf(ports, wanted.scope);
  if (isDeclined(organisation)) return organisation;
  const provider = { ...wanted, createdAt: timestamp(ports) };
  const added = await ports.identityProviders.add(provider, organisation);
  if (isDeclined(added)) return added;
  if (added) return { kind: 'added', provider };
  return declined(
    `The issuer ${wanted.issuer} is registered already: remove it first to change it.`,
  );
};

/** @param how `if free`: a client that acts for another connection is left to it */
export const bindClient = async (
  ports: RegistryPorts,
  wanted: Omit<ClientBinding, 'createdAt'>,
  how?: 'if free',
): Promise<{ kind: 'bound'; binding: ClientBinding } | Declined> => {
  const { scope, issuer, client, connection: id } = wanted;
  const providers = await ports.identityProviders.list(scope);
  if (!providers.some(provider => provider.issuer === issuer))
    return declined(`The issuer ${issuer} is not registered there: add it first.`);
  if (client === '' || client.length > limits.nameCharacters)
    return declined(`The name of a client has 1 to ${limits.nameCharacters} characters.`);
  const { connection } = (await ports.connections.find(id)) ?? {};
  if (!isRegistered(connection) || connection.kind !== 'producer')
    return declined(`There is no producer ${id}, or it is revoked or suspended.`);
  if (scope !== operatorScope && connection.workspace !== scope)
    return declined(`The connection ${id} is not in the workspace ${scope}.`);
  const binding = { ...wanted, createdAt: timestamp(ports) };
  const bound = await ports.identityProviders.bind(binding, how);
  if (isDeclined(bound)) return bound;
  if (bound) return { kind: 'bound', binding };
  return declined(
    `The client ${client} acts for another connection already: unbind it there first.`,
  );
};

/** Its clients go with it. */
export const removeIdentityProvider = async (
  { identityProviders }: Pick<RegistryPorts, 'identityProviders'>,
  scope: Scope,
  issuer: string,
): Promise<{ kind: 'removed' } | Declined> => {
  if (await identityProviders.remove(scope, issuer)) return { kind: 'removed' };
  return declined(`The issuer ${issuer} is not registered there.`);
};

/** @param connection the only connection for which the client may have acted until now */
export const unbindClient = async (
  { identityProviders }: Pick<RegistryPorts, 'identityProviders'>,
  { scope, issuer, client }: Pick<ClientBinding, 'scope' | 'issuer' | 'client'>,
  connection?: string,
): Promise<{ kind: 'unbound'; binding: ClientBinding } | Declined> => {
  const bindings = await identityProviders.bindings(scope);
  const binding = bindings.find(one => one.issuer === issuer && one.client === client);
  const isMeant = binding && (connection === undefined || binding.connection === connection);
  if (isMeant && (await identityProviders.unbind(scope, issuer, client)))
    return { kind: 'unbound', binding };
  if (connection === undefined)
    return declined(`The client ${client} of ${issuer} is not bound there.`);
  return declined(`The client ${client} of ${issuer} does not act for ${connection}.`);
};
