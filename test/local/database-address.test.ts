import {
  checkDatabaseAddress,
  isLoopbackAddress,
  type Network,
  remoteDatabaseFault,
} from '../../lib/local/database-address.ts';

test.each(['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'])(
  'only this machine can reach %s',
  address => {
    expect(isLoopbackAddress(address)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.7',
  '126.255.255.255',
  '128.0.0.1',
  '::2',
  '::ffff:10.0.0.7',
  'localhost',
  '',
])('"%s" is no loopback address', address => {
  expect(isLoopbackAddress(address)).toBe(false);
});

describe('a database of one’s own', () => {
  const endpoint = 'http://db.test:8000';

  test('is used when its name stands for loopback addresses only, and nothing else answers', () => {
    const reach = { resolved: ['127.0.0.1', '::1'], exposed: [] };
    expect(remoteDatabaseFault(endpoint, reach)).toBeUndefined();
  });

  test('is refused when one of its addresses is not a loopback address', () => {
    const reach = { resolved: ['127.0.0.1', '192.0.2.7'], exposed: [] };
    expect(remoteDatabaseFault(endpoint, reach)).toBe(
      'The database at http://db.test:8000 is not on this machine (its address is 192.0.2.7)',
    );
  });

  test('is refused when it listens on all interfaces', () => {
    const reach = { resolved: ['127.0.0.1'], exposed: ['192.0.2.7'] };
    expect(remoteDatabaseFault(endpoint, reach)).toBe(
      'The database at http://db.test:8000 also answers at 192.0.2.7, where other machines can reach it',
    );
  });
});

describe('the check of SOMBUS_DYNAMODB_ENDPOINT', () => {
  /** A machine with one outside address; `open` lists the `address:port` pairs that answer. */
  const network = (
    open: readonly string[],
    names: Readonly<Record<string, readonly string[]>> = {},
  ): Network => ({
    own: ['127.0.0.1', '::1', '192.0.2.7'],
    answers: async (address, port) => open.includes(`${address}:${port}`),
    async lookup(host) {
      const addresses = names[host];
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses;
    },
  });

  test.each(['http://127.0.0.1:8000', 'http://[::1]:8000', 'http://localhost:8000/', 'https://127.1.2.3'])(
    'accepts %s',
    async endpoint => {
      const local = network(['127.0.0.1:8000', '192.0.2.7:9000'], { localhost: ['127.0.0.1', '::1'] });
      await expect(checkDatabaseAddress(endpoint, local)).resolves.toBeUndefined();
    },
  );

  test.each([
    ['http://192.0.2.9:8000', /is not on this machine \(its address is 192\.0\.2\.9\)/],
    ['http://0.0.0.0:8000', /is not on this machine/],
    ['http://db.test:8000', /its address is 198\.51\.100\.4/],
    ['http://127.0.0.1:8000', /also answers at 192\.0\.2\.7/],
    ['http://127.0.0.1', /also answers at 192\.0\.2\.7/],
    ['https://[::1]', /also answers at 192\.0\.2\.7/],
  ])('refuses %s and names the option that allows it', async (endpoint, reason) => {
    const open = network(['192.0.2.7:8000', '192.0.2.7:80', '192.0.2.7:443'], {
      'db.test': ['198.51.100.4'],
    });
    const refusal = checkDatabaseAddress(endpoint, open);
    await expect(refusal).rejects.toThrow(reason);
    await expect(refusal).rejects.toThrow(/start with --allow-remote-database\.$/);
  });

  test('says so when the host name stands for no address', async () => {
    const refusal = checkDatabaseAddress('http://nowhere.test:8000', network([]));
    await expect(refusal).rejects.toThrow('The host name of http://nowhere.test:8000 has no address');
  });
});
