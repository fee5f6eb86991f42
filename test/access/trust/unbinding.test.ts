import type { ClientBinding, RegistryPorts } from '../../../lib/access/registry/ports.ts';
import {
  removeIdentityProvider,
  unbindClient,
} from '../../../lib/access/trust/identity-providers.ts';
import { operatorScope } from '../../../lib/access/trust/principals.ts';

const [scope, issuer] = [operatorScope, 'https://login.example.com'];
const bindingOf = (client: string, more: Partial<ClientBinding> = {}) =>
  ({ scope, issuer, client, connection: 'c1', createdAt: 'then', ...more }) as ClientBinding;

/** A registry with these bindings, and what was removed from it. */
const scene = (bindings: readonly ClientBinding[], isThere = true) => {
  const removed: unknown[] = [];
  const identityProviders = {
    bindings: async () => bindings,
    unbind: async (...names: readonly unknown[]) => {
      removed.push(names);
      return isThere;
    },
    remove: async (...names: readonly unknown[]) => {
      removed.push(names);
      return isThere;
    },
  } as unknown as RegistryPorts['identityProviders'];
  return { ports: { identityProviders }, removed };
};

const bindings = [
  bindingOf('app', { issuer: 'https://other.example' }),
  bindingOf('other'),
  bindingOf('app', { connection: 'c2' }),
];
const app = { scope, issuer, client: 'app' } as const;
const unbound = { kind: 'unbound', binding: bindings[2] };

test.each([undefined, 'c2'])('a client is unbound: of %s', async connection => {
  const { ports, removed } = scene(bindings);
  expect(await unbindClient(ports, app, connection)).toEqual(unbound);
  expect(removed).toEqual([[scope, issuer, 'app']]);
});

test('a client that acts for another connection stays bound', async () => {
  const { ports, removed } = scene(bindings);
  expect(await unbindClient(ports, app, 'c1')).toMatchObject({
    kind: 'declined',
    reason: 'The client app of https://login.example.com does not act for c1.',
  });
  expect(removed).toEqual([]);
});

test('a client that is not bound, or no more, is not unbound', async () => {
  const reason = 'The client app of https://login.example.com is not bound there.';
  for (const { ports } of [scene([]), scene(bindings.slice(0, 2)), scene(bindings, false)])
    expect(await unbindClient(ports, app)).toMatchObject({ kind: 'declined', reason });
});

test('a provider is removed if it is there', async () => {
  const { ports, removed } = scene([]);
  expect(await removeIdentityProvider(ports, scope, issuer)).toEqual({ kind: 'removed' });
  expect(removed).toEqual([[scope, issuer]]);
  expect(await removeIdentityProvider(scene([], false).ports, scope, issuer)).toMatchObject({
    kind: 'declined',
    reason: 'The issuer https://login.example.com is not registered there.',
  });
});
