import { once } from 'node:events';
import { createServer as createProxyServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { opensslLacks, selfSigned } from '../support/certificate.ts';
import { resultOf, sombusWith, temporaryFolder } from '../support/service-process.ts';
import { testUnless } from '../support/where.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** A bus at a name that only the proxy can reach: it is up, and knows nobody. */
const hiddenBus = async (certificate: { readonly cert: Buffer; readonly key: Buffer }) => {
  const server = createServer(certificate, (request, response) => {
    const isHealth = request.url === '/v1/health';
    const refused = { error: 'invalid_client', error_description: 'Nobody knows this client.' };
    const body = isHealth ? { ok: true, som_version: '1.0.0' } : refused;
    response.writeHead(isHealth ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

/** A proxy that reaches the hidden bus, whatever it is asked for; it wants this user. */
const proxyTo = async (port: number, user: string) => {
  const asked: string[] = [];
  const server = createProxyServer();
  server.on('connect', (request, socket) => {
    asked.push(String(request.url));
    const expected = `Basic ${Buffer.from(user).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward])
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, asked, port: portOf(server) };
};

/** Calls the bus twice with the client of the package. */
const clientProgram = `
  const { connect } = require(${JSON.stringify(join(__dirname, '../../dist/client/index.js'))});
  const bus = connect({
    baseUrl: 'https://bus.example', workspace: 'w', clientId: 'c', clientSecret: 's', deadline: 5000,
  });
  bus.backlog().then(() => bus.backlog()).then(
    refused => console.log(refused.description),
    error => console.log(error.message, error.cause?.cause?.message),
  );
`;

testUnless(opensslLacks(), 'the command line and the client go through a proxy', async () => {
  const certificate = selfSigned(folder.path, 'DNS:bus.example');
  const bus = await hiddenBus(certificate);
  const proxy = await proxyTo(portOf(bus), 'desk:p@ss');
  const variables = {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
    SOMBUS_CLIENT_ID: 'cproducer',
    SOMBUS_CLIENT_SECRET: 'sbs_secret',
    HTTPS_PROXY: `http://desk:p%40ss@127.0.0.1:${proxy.port}`,
  };
  const called = (more: NodeJS.ProcessEnv = {}) =>
    resultOf([process.execPath, '-e', clientProgram], { ...variables, ...more });

  const { code, stdout } = await sombusWith(
    variables,
    'doctor',
    '--base-url',
    'https://bus.example',
  );
  expect([code, stdout]).toEqual([1, expect.stringContaining('ok   health      SOM 1.0.0\n')]);
  const through = `calls go through http://127.0.0.1:${proxy.port}, which HTTPS_PROXY names`;
  expect(stdout).toContain(`-    proxy       ${through}\n`);
  expect(stdout).toContain('-    dns         the proxy looks up bus.example\n');
  expect(stdout).toContain('invalid_client: Nobody knows this client.');
  expect(proxy.asked.length).toBeGreaterThan(0);
  expect(new Set(proxy.asked)).toEqual(new Set(['bus.example:443']));

  const before = proxy.asked.length;
  expect((await called()).stdout).toBe('Nobody knows this client.\n');
  // Both calls share one connection.
  expect(proxy.asked.length - before).toBe(1);

  const wrong = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  expect((await called(wrong)).stdout).toMatch(
    /the proxy http:\/\/127\.0\.0\.1:\d+ answered 407\n$/,
  );

  for (const server of [proxy.server, bus]) {
    server.closeAllConnections();
    server.close();
  }
});

test('the doctor names a proxy that cannot be reached, and one that is not used', async () => {
  const doctor = (more: NodeJS.ProcessEnv) =>
    sombusWith(
      { SOMBUS_CLIENT_ID: 'c', SOMBUS_CLIENT_SECRET: 's', ...more },
      ...['doctor', '--base-url', 'https://bus.invalid/v1'],
    );
  const { stdout } = await doctor({ HTTPS_PROXY: 'http://127.0.0.1:9' });
  expect(stdout).toMatch(
    /^FAIL connection .*\(the proxy http:\/\/127\.0\.0\.1:9 cannot be reached: .*ECONNREFUSED/m,
  );
  const excepted = await doctor({ HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '.invalid' });
  expect(excepted.stdout).toContain('HTTPS_PROXY is not used here: NO_PROXY names bus.invalid\n');
  expect(excepted.stdout).toContain('FAIL dns ');
});
