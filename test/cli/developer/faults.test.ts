import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsKey, faultsPath } from '../../../lib/local/faults.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { sombus } from '../../support/commands.ts';
import { oneService } from '../../support/one-service.ts';
import { startService, temporaryFolder } from '../../support/service-process.ts';

const bus = oneService();

const faults = (...args: readonly string[]) => bus.run('faults', ...args);
const run = (...args: readonly string[]) => sombus(...args, '--data', bus.data);

/** Publishes a message of a new story. */
const publish = async () => {
  const file = join(bus.data, 'fault.json');
  writeFileSync(file, (await sombus('example')).stdout);
  return run('publish', file);
};

const pulled = async (): Promise<readonly string[]> => {
  const { stdout } = await run('tail', '--ack', '--once', '--wait', '0');
  return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line).message_id]));
};

afterEach(() => faults('clear'));

test('a consumer gets each message twice, until that is cleared', async () => {
  const { consumer } = bus.ready;
  const set = await faults('set', 'consumer', '--duplicate');
  expect(set.record).toEqual([{ connection_id: consumer.client_id, faults: { duplicate: true } }]);
  await publish();
  const twice = [...(await pulled()), ...(await pulled())];
  expect([twice.length, new Set(twice).size]).toEqual([2, 1]);
  expect((await faults('clear', consumer.client_id)).record).toEqual([]);
  await publish();
  expect([...(await pulled()), ...(await pulled())]).toHaveLength(1);
});

test('messages that are held back come when the fault ends', async () => {
  await faults('set', 'consumer', '--hold');
  await publish();
  expect(await pulled()).toEqual([]);
  await faults('clear');
  expect(await pulled()).toHaveLength(1);
});

test('refusals are used up, and the list says how many are left', async () => {
  const { producer } = bus.ready;
  await faults('set', 'producer', '--refuse', '503', '--times', '2', '--retry-after', '7');
  const { code, stderr } = await publish();
  expect([code, stderr]).toEqual([1, expect.stringContaining('registry.unavailable')]);
  expect((await faults('list')).record).toEqual([
    {
      connection_id: producer.client_id,
      faults: { refuse: { status: 503, times: 1, retryAfter: 7 } },
    },
  ]);
  await publish();
  expect((await faults('list')).record).toEqual([]);
  expect((await publish()).code).toBe(0);
  await pulled();
});

test('a response is lost after the bus has accepted the message', async () => {
  await faults('set', 'producer', '--lose-responses', '1');
  expect((await publish()).code).toBe(2);
  expect(await pulled()).toHaveLength(1);
});

test('wrong faults are refused', async () => {
  expect(await faults('set', 'producer', '--hold')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is a producer. The fault "hold" is for consumers.'),
  });
  expect(await faults('set', 'caaaaaaaaaaaa', '--slow', '1s')).toMatchObject({ code: 1 });
  for (const args of [
    ['set', 'consumer'],
    ['set', 'consumer', '--delay', 'soon'],
    ['list', '--environment', 'sandbox'],
  ])
    expect((await faults(...args)).code).toBe(2);
});

describe('the address that the commands use', () => {
  const address = () => `${new URL(bus.base).origin}${faultsPath}`;
  const key = (now = Date.now()) => `Bearer ${faultsKey(operatorKeyIn(bus.data), now)}`;

  test('is not there for anybody without a fresh key of the operator', async () => {
    for (const authorization of ['', 'Bearer x', key(Date.now() - 3_600_000), key().slice(0, -2)]) {
      const response = await fetch(address(), { headers: { authorization } });
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { violations: [{ rule: 'route.not_found' }] },
      ]);
    }
    expect((await fetch(address(), { headers: { authorization: key() } })).status).toBe(200);
  });

  test.each([{ delay: -5 }, { other: true }, null])('takes no %j', async faults => {
    const body = JSON.stringify({ connection: 'caaaaaaaaaaaa', faults });
    const response = await fetch(address(), {
      method: 'PUT',
      headers: { authorization: key() },
      body,
    });
    expect(response.status).toBe(400);
  });
});

test('a service that stops sends what a fault held back or delayed', async () => {
  const folder = temporaryFolder();
  const first = await startService(folder.path);
  const here = (...args: readonly string[]) => sombus(...args, '--data', folder.path);
  const file = join(folder.path, 'held.json');
  for (const fault of [['--hold'], ['--delay', '1d']]) {
    await here('faults', 'set', 'consumer', ...fault);
    writeFileSync(file, (await sombus('example')).stdout);
    expect((await here('publish', file)).code).toBe(0);
  }
  expect(await first.stop()).toBe(0);
  const second = await startService(folder.path);
  const { stdout } = await here('tail', '--count', '2', '--wait', '5');
  expect(stdout.trim().split('\n')).toHaveLength(2);
  await second.stop();
  folder.remove();
});
