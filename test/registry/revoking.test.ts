import { revokeConnection } from '../../lib/registry/revoking.ts';
import type { RegistryPorts } from '../../lib/wiring/operator.ts';
import { connectionOf } from '../corpus/connections.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { queueAdminInMemory } from '../support/fakes/queue-admin.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';
import { usagePlansInMemory } from '../support/fakes/usage-plans.ts';

const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
const unreachable = new Error('The service does not answer.');
const failing = () => Promise.reject(unreachable);

/** Revokes a consumer, whose ports are as usual but for some. */
const revoked = (own: Partial<RegistryPorts>) => {
  const connections = connectionsInMemory({ connection: consumer, credential: { version: 1 } });
  const ports = registryPortsWith({ connections: connections.port, ...own });
  const statusOf = () => connections.entries.get(consumer.id)?.connection.status;
  return { revoking: revokeConnection(ports, consumer.id), statusOf };
};

const queueAdmin = queueAdminInMemory().port;

describe('revoking a connection fails, so that the operator repeats it,', () => {
  test.each<[string, Partial<RegistryPorts>]>([
    ['its queue cannot be closed to its readers', { queueAdmin: { ...queueAdmin, letRead: failing } }],
    ['its queue cannot be deleted', { queueAdmin: { ...queueAdmin, remove: failing } }],
    ['its usage plan cannot be removed', { usagePlans: { ...usagePlansInMemory().port, remove: failing } }],
  ])('if %s, and its tokens stop working nevertheless', async (_what, own) => {
    const { revoking, statusOf } = revoked(own);
    await expect(revoking).rejects.toBe(unreachable);
    expect(statusOf()).toBe('revoked');
  });
});

test('an unknown connection cannot be revoked', async () => {
  expect(await revokeConnection(registryPortsWith(), 'cccccccccccccc')).toBe(false);
});
