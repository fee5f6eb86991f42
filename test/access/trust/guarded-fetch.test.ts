import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  fetchGuard,
  type Resolve,
  resolveOutside,
} from '../../../lib/access/trust/guarded.fetch.ts';
import { isPublicAddress } from '../../../lib/access/trust/public-addresses.ts';
import { guardedFetch } from '../../../lib/bus/tokens/key-sets.fetch.ts';

const servers: Server[] = [];
const serve = async (response: RequestListener): Promise<string> => {
  const server = createServer(response);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
};
const serveCounted = async () => {
  let requests = 0;
  const address = await serve((_, response) => {
    requests += 1;
    response.end('{}');
  });
  return { address, requests: () => requests };
};
const fetchLocal = (address: string) => guardedFetch(address, fetchGuard(true));
const fetchGuarded = (address: string, resolve = fetchGuard(false).resolve) =>
  guardedFetch(address, { ...fetchGuard(false), resolve });
/** One loopback address stands for the public ones. */
const pretended = (publicAddress: string, resolve: Resolve) => ({
  allowHttp: true,
  allows: (address: string) => address === publicAddress,
  resolve,
});
const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('an address is public', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])('%s', address => expect(isPublicAddress(address)).toBe(true));
});

describe('an address is not public', () => {
  test.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd12:3456::1',
      'ff02::1',
      '2001:db8::1',
    ],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1'],
    ...['2002:7f00:1::', '2001::1', 'localhost', '127.1', '0x7f000001', '2130706433', ''],
  ])('%s', address => expect(isPublicAddress(address)).toBe(false));
});

describe('a key set is not fetched', () => {
  const refusal = /^The key set was not fetched: /;

  test('over http', async () => {
    await expect(fetchGuarded('http://idp.example/jwks', resolvesTo('8.8.8.8'))).rejects.toThrow(
      /its address is not https/,
    );
  });

  test.each(['file:///etc/passwd', 'ftp://idp.example/jwks', 'data:application/json,{}'])(
    'from %s',
    async address => {
      await expect(fetchLocal(address)).rejects.toThrow(refusal);
    },
  );

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'from the address %s, in whatever spelling',
    async host => {
      await expect(fetchGuarded(`https://${host}/jwks`)).rejects.toThrow(
        /at an address that is not public/,
      );
    },
  );

  test.each([
    ['the metadata service', ['169.254.169.254']],
    ['a public and a private address', ['8.8.8.8', '192.168.0.1']],
    ['a mapped private address', ['::ffff:10.0.0.1']],
  ])('from a name that resolves to %s', async (_, addresses) => {
    await expect(
      fetchGuarded('https://idp.example/jwks', resolvesTo(...addresses)),
    ).rejects.toThrow(/idp\.example is at an address that is not public/);
  });

  test('from a name without an address', async () => {
    await expect(fetchGuarded('https://idp.example/jwks', resolvesTo())).rejects.toThrow(
      /has no address/,
    );
  });

  test('from the second address of a name that rebinds: it is resolved once, and connected to as it was checked', async () => {
    const { address, requests } = await serveCounted();
    let asked = 0;
    const rebinding: Resolve = host => {
      asked += 1;
      return resolvesTo(asked === 1 ? '127.0.0.1' : '127.0.0.2')(host);
    };
    const url = address.replace('127.0.0.1', 'rebind.example');
    await guardedFetch(url, pretended('127.0.0.1', rebinding));
    expect([asked, requests()]).toEqual([1, 1]);
    await expect(guardedFetch(url, pretended('127.0.0.1', rebinding))).rejects.toThrow(refusal);
    expect([asked, requests()]).toEqual([2, 1]);
  });

  test('when the connection leads to a private address after all', async () => {
    const { address, requests } = await serveCounted();
    // An address that says something else when it is read again stands for a resolver inside the
    // connection.
    let reads = 0;
    const twoFaced = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? '127.0.0.2' : '127.0.0.1';
      },
    };
    const url = address.replace('127.0.0.1', 'two.example');
    const guard = pretended('127.0.0.2', async () => [twoFaced]);
    await expect(guardedFetch(url, guard)).rejects.toThrow(
      /the connection led to a private address/,
    );
    expect(requests()).toBe(0);
  });

  test.each([204, 301, 302, 307, 308, 500])(
    'from a response of %i, nor through its redirect',
    async status => {
      const { address: location, requests } = await serveCounted();
      const address = await serve((_, response) => response.writeHead(status, { location }).end());
      await expect(fetchLocal(address)).rejects.toThrow(`the response was ${status}`);
      expect(requests()).toBe(0);
    },
  );

  test('of more than 64 KiB, however it is announced', async () => {
    const address = await serve((_, response) => {
      for (let chunk = 0; chunk < 65; chunk += 1) response.write('x'.repeat(1024));
      response.end();
    });
    await expect(fetchLocal(address)).rejects.toThrow(/larger than 64 KiB/);
  });

  test('when it takes longer than two seconds in all, though something keeps coming', async () => {
    const time = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const address = await serve(async (_, response) => {
      // The headers and ten pieces reach the other side, and more would; then the time is over.
      for (let piece = 0; piece < 10; piece += 1)
        await new Promise<unknown>(written => response.write(' ', written));
      time.abort();
    });
    await expect(fetchLocal(address)).rejects.toThrow(/took longer than 2 seconds/);
    expect(timeout.mock.calls).toEqual([[2_000]]);
    timeout.mockRestore();
  });
});

describe('names of the public internet', () => {
  const a = { type: 1, data: Buffer.of(8, 8, 8, 8) };
  const aaaa = { type: 28, data: Buffer.from('26064700470000000000000000001111', 'hex') };
  const known: Readonly<Record<string, readonly (typeof a)[]>> = {
    both: [a, aaaa],
    four: [a],
    six: [aaaa],
    inside: [{ type: 1, data: Buffer.of(10, 0, 0, 1) }],
    none: [],
  };

  /**
   * A name server (RFC 1035 section 4.1): names of one label, of which it leaves `slow` without a
   * response.
   */
  const resolving = async () => {
    const server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      const length = query.readUInt8(12);
      const [name, type] = [
        query.toString('latin1', 13, 13 + length),
        query.readUInt16BE(14 + length),
      ];
      if (name.startsWith('slow')) return;
      const records = (known[name] ?? []).filter(one => one.type === type);
      const flags = [0x81, known[name] ? 0x80 : 0x83];
      const counts = [0, 1, 0, records.length, 0, 0, 0, 0];
      const header = Buffer.from([...query.subarray(0, 2), ...flags, ...counts]);
      const data = records.map(one => {
        const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, one.data.length]);
        return Buffer.concat([fixed, one.data]);
      });
      server.send(Buffer.concat([header, query.subarray(12, 18 + length), ...data]), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const resolvers: Resolver[] = [];
    const resolve = resolveOutside(() => {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${server.address().port}`]);
      resolvers.push(resolver);
      return resolver;
    });
    const close = () => {
      for (const resolver of resolvers) resolver.cancel();
      server.close();
    };
    return { resolve, close };
  };

  test('are resolved to addresses of both kinds, while others wait for a name server', async () => {
    const { resolve, close } = await resolving();
    // More than the four threads that `lookup` has.
    const slow = Array.from({ length: 8 }, (_, at) =>
      resolve(`slow${at}`).catch(({ code }) => code),
    );
    const [four, six] = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ];
    expect(await resolve('both')).toEqual([four, six]);
    expect([await resolve('four'), await resolve('six')]).toEqual([[four], [six]]);
    await expect(fetchGuarded('https://inside/jwks', resolve)).rejects.toThrow(
      /at an address that is not public/,
    );
    for (const host of ['none', 'unknown'])
      await expect(fetchGuarded(`https://${host}/jwks`, resolve)).rejects.toThrow(
        `${host} has no address`,
      );
    close();
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['ECANCELLED']));
  });

  test('are not looked up by the operating system, as those of this machine are', async () => {
    const looked = jest.spyOn(dns, 'lookup');
    const asked = jest.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['8.8.8.8']);
    jest.spyOn(Resolver.prototype, 'resolve6').mockResolvedValue([]);
    expect(await fetchGuard(false).resolve('localhost')).toEqual([
      { address: '8.8.8.8', family: 4 },
    ]);
    expect(looked).not.toHaveBeenCalled();
    await fetchGuard(true).resolve('localhost');
    expect([asked.mock.calls.length, looked.mock.calls.length]).toEqual([1, 1]);
    jest.restoreAllMocks();
  });
});

test('a key set of exactly 64 KiB is fetched from this machine where that is allowed', async () => {
  const body = `{"keys":[]}${' '.repeat(64 * 1024 - 11)}`;
  const address = await serve((_, response) => response.end(body));
  expect((await fetchLocal(address)).toString()).toBe(body);
});
