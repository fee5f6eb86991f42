import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import {
  gatewayEndpoint,
  listen,
  loopbackEndpoint,
  serverAt,
} from '../../lib/local/gateway-endpoint.ts';
import { opensslLacks, selfSigned } from '../support/certificate.ts';
import { describeUnless } from '../support/where.ts';

describe('without a certificate', () => {
  test.each(['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '[::1]', '::ffff:127.0.0.1'])(
    '%s is for this machine alone',
    host => {
      expect(gatewayEndpoint({ host })).toEqual({ host });
    },
  );

  test.each(['bus.example', '10.0.0.7', '[fe80::1]', '128.0.0.1', 'localhost.example'])(
    '%s is refused: secrets would travel in the clear',
    host => {
      expect(() => gatewayEndpoint({ host })).toThrow(
        `Others can reach ${host}, and secrets would travel there in the clear: give a certificate for ${host} with --tls-cert and --tls-key, or leave out --host and forward the port with ssh -L.`,
      );
    },
  );

  test.each(['0.0.0.0', '[::]'])('%s is no address that others can use', host => {
    expect(() => gatewayEndpoint({ host })).toThrow(
      `--host ${host} is not an address that others can use: give the name or the address by which they reach this machine.`,
    );
  });
});

describeUnless(opensslLacks(), 'a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-endpoint-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  let pair = { cert: '', key: '' };
  const withFiles = (host: string, tlsCert = certFile, tlsKey = keyFile) =>
    gatewayEndpoint({ host, tlsCert, tlsKey });

  beforeAll(() => {
    const { cert, key } = selfSigned(folder, 'DNS:bus.example,IP:10.0.0.7');
    pair = { cert: `${cert}`, key: `${key}` };
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(['bus.example', '10.0.0.7'])('serves %s, which it names', host => {
    expect(withFiles(host)).toEqual({ host, tls: pair });
  });

  test('is shown to who connects, and a request needs no Host there either', async () => {
    const endpoint = withFiles('bus.example');
    const server = serverAt(endpoint, (_request, response) => response.end('served'));
    const here = { ...endpoint, host: 'localhost' };
    const origin = await listen(server, { port: 0, option: '--port' }, here);
    expect(origin).toMatch(/^https:\/\/localhost:\d+$/);
    const socket = connect({
      port: Number(new URL(origin).port),
      host: 'localhost',
      servername: 'bus.example',
      ca: pair.cert,
    });
    let text = '';
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*served/s);
    expect(socket.authorizationError ?? undefined).toBeUndefined();
    server.close();
  });

  test('of others is refused, with the names that it has', () => {
    expect(() => withFiles('other.example')).toThrow(
      `The certificate ${certFile} is for DNS:bus.example, IP Address:10.0.0.7, not for other.example: give a --host that it names, or make one for other.example.`,
    );
    expect(() => withFiles('10.0.0.8')).toThrow('not for 10.0.0.8');
  });

  test('needs its key, and a key its certificate', () => {
    const words = 'A certificate needs its key: give both --tls-cert and --tls-key.';
    expect(() => gatewayEndpoint({ host: 'bus.example', tlsCert: certFile })).toThrow(words);
    expect(() => gatewayEndpoint({ host: 'localhost', tlsKey: keyFile })).toThrow(words);
  });

  test('has to be a file of its kind', () => {
    const none = join(folder, 'none.pem');
    const text = join(folder, 'text.pem');
    writeFileSync(text, 'no certificate');
    expect(() => withFiles('bus.example', none)).toThrow(
      /^The file of --tls-cert cannot be read \(ENOENT/,
    );
    expect(() => withFiles('bus.example', certFile, none)).toThrow(
      /^The file of --tls-key cannot be read \(ENOENT/,
    );
    expect(() => withFiles('bus.example', text)).toThrow(
      /cannot be used \(.*\): both must be PEM, and belong together\.$/,
    );
    // What OpenSSL said stays with it.
    expect(() => withFiles('bus.example', text)).toThrow(
      expect.objectContaining({ name: 'StartRefusal', cause: expect.anything() }),
    );
  });
});

describe('a port', () => {
  const servers: Server[] = [];
  const opened = (listener: RequestListener = () => undefined): Server => {
    const server = createServer(listener);
    servers.push(server);
    return server;
  };

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  const option = '--port';
  const other = 'choose another port with --port (0: any free port).';

  /** What is said when a program that answers so has the port already. */
  const refusalBeside = async (status: number, body: string): Promise<[number, string]> => {
    const origin = await listen(
      opened((_request, response) => response.writeHead(status).end(body)),
      { port: 0, option },
    );
    const port = Number(new URL(origin).port);
    const error = await listen(opened(), { port, option }).catch((thrown: unknown) => thrown);
    return [port, error instanceof Error ? error.message : ''];
  };

  test.each([
    [200, '{"som_version":"1.0.0"}'],
    [404, '{"code":"route.not_found"}'],
  ])('that another som-bus has (%s %s) is told as such', async (status, body) => {
    const [port, message] = await refusalBeside(status, body);
    expect(message).toBe(`Another som-bus is running on port ${port}: stop it, or ${other}`);
  });

  test.each([
    [404, '{"code":"not_found"}'],
    [200, '{"som_version":1}'],
    [200, 'hello'],
  ])('that another program has (%s %s) is told as such', async (status, body) => {
    const [port, message] = await refusalBeside(status, body);
    expect(message).toBe(
      `Port ${port} is taken by another program: stop that program, or ${other}`,
    );
  });

  test('that a silent program has is not waited for longer than a second', async () => {
    const limited = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const [port, message] = await refusalBeside(200, '{"som_version":"1.0.0"}');
    expect(limited.mock.calls).toEqual([[1_000]]);
    limited.mockRestore();
    expect(message).toContain(`Port ${port} is taken by another program`);
  });

  /** What is said when the system refuses to listen with this code. */
  const refusedWith = async (code: string) => {
    const server = Object.assign(new EventEmitter(), {
      listen: () => process.nextTick(() => server.emit('error', { code })),
    });
    const at = { port: 80, option: '--portal-port' };
    const refusal = listen(server as unknown as Server, at, { host: 'bus.example' });
    return refusal.catch((error: Error) => [error.name, error.message]);
  };

  test.each(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'])(
    'of a host that is not here is refused: %s',
    async code => {
      expect(await refusedWith(code)).toEqual([
        'StartRefusal',
        'bus.example is not an address of this machine: give another --host.',
      ]);
    },
  );

  test('that this user may not have is refused', async () => {
    expect(await refusedWith('EACCES')).toEqual([
      'StartRefusal',
      'Port 80 cannot be used: choose another port with --portal-port (0: any free port).',
    ]);
  });

  test('is opened where it is asked for', async () => {
    expect(await listen(opened(), { port: 0, option }, loopbackEndpoint)).toMatch(
      /^http:\/\/127\.0\.0\.1:[1-9]\d*$/,
    );
  });

  test('of an address that is not of this machine is refused', async () => {
    const away = listen(opened(), { port: 0, option }, { host: '192.0.2.1' });
    await expect(away).rejects.toThrow(
      '192.0.2.1 is not an address of this machine: give another --host.',
    );
  });
});
