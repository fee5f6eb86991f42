import type { ClientBinding, IdentityProviders } from '../../../lib/registry/identity-providers.ts';
import type { IdentityProvider } from '../../../lib/registry/registry.ts';

const providerKey = ({ scope, issuer }: Pick<IdentityProvider, 'scope' | 'issuer'>): string =>
  JSON.stringify([scope, issuer]);
const bindingKey = ({ scope, issuer, client }: Omit<ClientBinding, 'connection' | 'createdAt'>): string =>
  JSON.stringify([scope, issuer, client]);

/** Identity providers and their bound clients in memory. */
export const identityProvidersInMemory = (...first: readonly IdentityProvider[]) => {
  const providers = new Map(first.map(one => [providerKey(one), one]));
  const bindings = new Map<string, ClientBinding>();
  const port: IdentityProviders = {
    list: async scope => [...providers.values()].filter(one => one.scope === scope),
    bindings: async scope => [...bindings.values()].filter(one => one.scope === scope),
    async add(provider) {
      const known = providers.has(providerKey(provider));
      if (!known) providers.set(providerKey(provider), provider);
      return !known;
    },
    async remove(scope, issuer) {
      for (const [key, one] of bindings)
        if (one.scope === scope && one.issuer === issuer) bindings.delete(key);
      return providers.delete(providerKey({ scope, issuer }));
    },
    async bind(binding, how) {
      const known = bindings.get(bindingKey(binding));
      if (how === 'if free' && known && known.connection !== binding.connection) return false;
      bindings.set(bindingKey(binding), binding);
      return true;
    },
    unbind: async (scope, issuer, client) => bindings.delete(bindingKey({ scope, issuer, client })),
  };
  return { port, providers: () => [...providers.values()], bindings: () => [...bindings.values()] };
};
