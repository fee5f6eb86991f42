import { examineDelivery } from '../../../lib/cli/deployment/doctor-aws.ts';
import { serviceHere } from '../../support/one-service.ts';
import { runningRegistry } from '../../support/running-registry.ts';

describe('after a deployment', () => {
  const bus = serviceHere();

  test('a message goes end to end, and leaves no active connection behind', async () => {
    const ports = runningRegistry(bus.data, bus.ready);
    expect(await examineDelivery(ports)).toMatchObject({
      check: 'message',
      state: 'ok',
      words: expect.stringMatching(/^published, pulled and acknowledged in \d+ ms$/),
    });
    const organisations = await ports.directory.list('organisation');
    const own = organisations.filter(
      one => one.kind === 'organisation' && one.name === 'sombus-doctor',
    );
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['revoked']));
  });
});
