import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proxiedFetch } from '../../../lib/kit/client/proxied-fetch.ts';

interface Asked {
  readonly destination: string | undefined;
  readonly authorization: string | undefined;
}

/** Does something while the environment names a proxy. */
const through = async <T>(address: string, work: () => Promise<T>): Promise<T> => {
  const before = process.env['HTTPS_PROXY'];
  process.env['HTTPS_PROXY'] = address;
  const result = await work();
  if (before === undefined) delete process.env['HTTPS_PROXY'];
  else process.env['HTTPS_PROXY'] = before;
  return result;
};

/** What a proxy that lets nobody through is asked, and what a call through it ends with. */
const calledThrough = async (user: string) => {
  const asked: Asked[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    const { 'proxy-authorization': authorization } = request.headers;
    asked.push({ destination: request.url, authorization });
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const error: unknown = await through(`http://${user}${host}`, () =>
    proxiedFetch('https://bus.example/v1/health', {}).catch((reason: unknown) => reason),
  );
  proxy.close();
  return { asked, error, host };
};

const destination = 'bus.example:443';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  ['without a name gets none', '', undefined],
  ['with a name and a password gets both', 'desk:p%40ss@', basic('desk:p@ss')],
  ['with a name alone gets it', 'desk@', basic('desk:')],
  ['with a password alone gets it', ':p%40ss@', basic(':p@ss')],
])('a proxy %s', async (_what, user, authorization) => {
  const { asked } = await calledThrough(user);
  expect(asked).toEqual([{ destination, authorization }]);
});

test('a proxy that lets nobody through is named, without its password', async () => {
  const { error, host } = await calledThrough('desk:p%40ss@');
  expect(error).toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { message: `the proxy http://${host} answered 407` },
  });
});

test('a call that is given up while its proxy says nothing ends with the reason', async () => {
  const proxy = createServer();
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const stop = new AbortController();
  const reason = new Error('given up');
  const [error, socket] = await through(`http://127.0.0.1:${port}`, async () => {
    const call = proxiedFetch('https://bus.example/v1/health', { signal: stop.signal });
    const [, waiting] = await once(proxy, 'connect');
    stop.abort(reason);
    return [await call.catch((thrown: unknown) => thrown), waiting] as const;
  });
  expect(error).toBe(reason);
  socket.destroy();
  proxy.close();
});

test('a proxy that does not listen is named', async () => {
  const error = await through('http://127.0.0.1:1', () =>
    proxiedFetch('https://bus.example/v1/health', {}).catch((thrown: unknown) => thrown),
  );
  expect(error).toMatchObject({
    cause: {
      message: 'the proxy http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    },
  });
});

test('a bus of this machine, and one that NO_PROXY names, is asked directly', async () => {
  const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response());
  const init = { method: 'POST' };
  const before = process.env['NO_PROXY'];
  process.env['NO_PROXY'] = 'bus.example';
  await through('http://127.0.0.1:1', async () => {
    await proxiedFetch('https://bus.example/v1/health', init);
    await proxiedFetch('http://127.0.0.1:2/v1/health', init);
  });
  if (before === undefined) delete process.env['NO_PROXY'];
  else process.env['NO_PROXY'] = before;
  expect(fetched.mock.calls).toEqual([
    ['https://bus.example/v1/health', init],
    ['http://127.0.0.1:2/v1/health', init],
  ]);
  fetched.mockRestore();
});
