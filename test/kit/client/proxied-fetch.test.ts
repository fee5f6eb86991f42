import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proxiedFetch } from '../../../lib/kit/client/proxied-fetch.ts';

interface Asked {
  readonly destination: string | undefined;
  readonly authorization: string | undefined;
}

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
  const before = process.env['HTTPS_PROXY'];
  process.env['HTTPS_PROXY'] = `http://${user}${host}`;
  const error: unknown = await proxiedFetch('https://bus.example/v1/health', {}).catch(
    (reason: unknown) => reason,
  );
  if (before === undefined) delete process.env['HTTPS_PROXY'];
  else process.env['HTTPS_PROXY'] = before;
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
