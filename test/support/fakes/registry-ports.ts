import type { RegistryPorts } from '../../../lib/wiring/operator.ts';
import { countingIds, frozenClock } from '../identity-fakes.ts';
import { connectionsInMemory } from './connections.ts';
import { directoryInMemory } from './directory.ts';
import { identityProvidersInMemory } from './identity-providers.ts';
import { principalsInMemory } from './principals.ts';
import { queueAdminInMemory } from './queue-admin.ts';
import { usagePlansInMemory } from './usage-plans.ts';

/** The ports of the registry's commands, all in memory, but for those that a test puts in their place. */
export const registryPortsWith = (own: Partial<RegistryPorts> = {}): RegistryPorts => ({
  clock: frozenClock(),
  ids: countingIds(),
  directory: directoryInMemory().port,
  connections: connectionsInMemory().port,
  queueAdmin: queueAdminInMemory().port,
  usagePlans: usagePlansInMemory().port,
  principals: principalsInMemory().port,
  identityProviders: identityProvidersInMemory().port,
  busIssuer: 'https://bus.example/v1/oauth',
  ...own,
});
