import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import type { GatewayParts } from '../../lib/local/gateway.ts';
import { listen } from '../../lib/local/gateway-endpoint.ts';
import {
  abandonGateways,
  closeGateways,
  type Gateways,
  openGateways,
  serveGateways,
} from '../../lib/local/gateway-server.ts';
import type { ProxyHandler } from '../../lib/wiring/function.ts';
import { deferred } from '../support/deferred.ts';
import { closed, exchange, rawConnection } from '../support/raw-connection.ts';
import { takenPort } from '../support/taken-port.ts';

/** What ends each wait before its time. */
const mockGraces: AbortSignal[] = [];
jest.mock('node:timers/promises', () => {
  type Wait = (milliseconds: number, value: unknown, options?: { signal: AbortSignal }) => unknown;
  const noting =
    (wait: Wait): Wait =>
    (milliseconds, value, options) => {
      if (options) mockGraces.push(options.signal);
      return wait(milliseconds, value, options);
    };
  const waits = Object.entries<Wait>(jest.requireActual('node:timers/promises'));
  return Object.fromEntries(waits.map(([name, wait]) => [name, noting(wait)]));
});

const opened: Gateways[] = [];
const open = async (options: Partial<Parameters<typeof openGateways>[0]> = {}) => {
  const gateways = await openGateways({ port: 0, portalPort: 0, ...options });
  opened.push(gateways);
  return gateways;
};
afterEach(() => {
  for (const gateways of opened.splice(0)) abandonGateways(gateways);
});

const answered: [string | undefined, object][] = [];
beforeEach(() => {
  answered.splice(0);
});

/** What serves both gateways: each route answers with its name, or as a test says. */
const parts = (special: Partial<GatewayParts['handlers']> = {}): Omit<GatewayParts, 'api'> => {
  const naming = (id: string): ProxyHandler => {
    return async () => ({ statusCode: 200, headers: {}, body: JSON.stringify({ id }) });
  };
  const handlers = Object.fromEntries(Object.keys(routes).map(id => [id, naming(id)]));
  let requests = 0;
  return {
    handlers: { ...(handlers as Record<RouteId, ProxyHandler>), ...special },
    authorise: async () => ({ kind: 'allowed', caller: {} }),
    logFor: route => ({
      answered: facts => void answered.push([route, facts]),
      failed: () => undefined,
    }),
    newRequestId: () => {
      requests += 1;
      return `request-${requests}`;
    },
    now: () => 0,
    saved: async () => undefined,
  };
};

const get = (path: string, fields = 'Connection: close\r\n') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;
const portOf = (origin: string) => Number(new URL(origin).port);

/** Whether a port can be listened on. */
const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isListening;
};

describe('the two gateways of a service', () => {
  test('keep requests until the service can answer, each with the routes of its own API', async () => {
    const gateways = await open();
    const asked = [
      exchange(gateways.bus.origin, get('/v1/health')),
      exchange(gateways.portal.origin, get('/api/skills/library')),
      exchange(gateways.bus.origin, get('/api/skills/library')),
    ];
    serveGateways(gateways, parts());
    expect((await Promise.all(asked)).flat()).toMatchObject([
      { status: 200, body: { id: 'health' } },
      { status: 200, body: { id: 'skill-library' } },
      { status: 404 },
    ]);
  });

  test('have both of their ports, or neither', async () => {
    const other = createHttpServer((_request, response) => response.end());
    const taken = new URL(await listen(other, { port: 0, option: '' })).port;
    const { port: free, release } = await takenPort();
    release();
    const words = (option: string) =>
      `Port ${taken} is taken by another program: stop that program, or choose another port with ${option} (0: any free port).`;
    await expect(open({ port: Number(free), portalPort: Number(taken) })).rejects.toThrow(
      words('--portal-port'),
    );
    expect(await isFree(Number(free))).toBe(true);
    await expect(open({ port: Number(taken) })).rejects.toThrow(words('--port'));
    other.closeAllConnections();
    other.close();
  });

  test('listen where they are told to', async () => {
    const { bus, portal } = await open({ endpoint: { host: 'localhost' } });
    expect([bus, portal].map(({ origin }) => new URL(origin).hostname)).toEqual([
      'localhost',
      'localhost',
    ]);
  });

  test('are given five seconds to end, both at the same time', async () => {
    const ends: (() => void)[] = [];
    const close = jest.fn(() => new Promise<void>(resolve => ends.push(resolve)));
    let isClosed = false;
    const closing = closeGateways({ bus: { close }, portal: { close } } as never).then(() => {
      isClosed = true;
    });
    expect(close.mock.calls).toEqual([[5_000], [5_000]]);
    ends[0]?.();
    await new Promise(resolve => setImmediate(resolve));
    expect(isClosed).toBe(false);
    ends[1]?.();
    await closing;
  });

  test('that are abandoned leave neither port nor connection', async () => {
    const gateways = await open();
    const sockets = await Promise.all(
      [gateways.bus, gateways.portal].map(({ origin }) => rawConnection(origin)),
    );
    const cut = sockets.map(closed);
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await Promise.all([gateways.bus, gateways.portal].map(({ server }) => once(server, 'request')));
    abandonGateways(gateways);
    await Promise.all(cut);
    for (const { origin } of [gateways.bus, gateways.portal])
      expect(await isFree(portOf(origin))).toBe(true);
  });
});

describe('a response', () => {
  /** The bytes of a response with what a function returned. */
  const sent = async (result: Partial<Awaited<ReturnType<ProxyHandler>>>): Promise<string> => {
    const gateways = await open();
    const health: ProxyHandler = async () => ({
      statusCode: 200,
      headers: { 'x-one': '1' },
      body: '',
      ...result,
    });
    serveGateways(gateways, parts({ health }));
    const socket = await rawConnection(gateways.bus.origin);
    let text = '';
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.write(get('/v1/health'));
    await closed(socket);
    return text;
  };

  test('has the bytes that were encoded, all its headers and its length', async () => {
    const text = await sent({
      body: Buffer.from('né').toString('base64'),
      isBase64Encoded: true,
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
    });
    const [head = '', body] = text.split('\r\n\r\n');
    expect(body).toBe('né');
    expect(head.split('\r\n').filter(line => !line.startsWith('Date: '))).toEqual([
      'HTTP/1.1 200 OK',
      'x-one: 1',
      'set-cookie: a=1',
      'set-cookie: b=2',
      'content-length: 3',
      'Connection: close',
    ]);
  });

  test.each([
    [200, true],
    [204, false],
    [304, false],
  ])('of status %i has a length: %s', async (statusCode, has) => {
    expect(/^content-length: 0\r$/m.test(await sent({ statusCode }))).toBe(has);
  });
});

/** A service whose health route answers when it is told to. */
const slow = async () => {
  const gateways = await open();
  const arrived = deferred<void>();
  const respondNow = deferred<void>();
  const health: ProxyHandler = async () => {
    arrived.resolve();
    await respondNow.promise;
    return { statusCode: 200, headers: {}, body: '{}' };
  };
  serveGateways(gateways, parts({ health }));
  return { ...gateways, arrived, respondNow };
};

test('a gateway that closes waits for its responses, however long it takes', async () => {
  const { bus, arrived, respondNow } = await slow();
  const response = exchange(bus.origin, get('/v1/health'));
  await arrived.promise;
  const events: string[] = [];
  bus.server.once('close', () => events.push('no connection is left'));
  const closing = bus.close(3_600_000).then(() => events.push('closed'));
  for (let turns = 0; turns < 20; turns += 1) await new Promise(resolve => setImmediate(resolve));
  expect([events, mockGraces.map(({ aborted }) => aborted)]).toEqual([[], [false]]);
  respondNow.resolve();
  expect(await response).toMatchObject([{ status: 200 }]);
  await closing;
  // No timer is left that would keep the process for an hour.
  expect(events).toEqual(['no connection is left', 'closed']);
  expect(mockGraces.map(({ aborted }) => aborted)).toEqual([true]);
});

describe('what is no request', () => {
  test('waits for no request of another connection', async () => {
    const { bus, arrived, respondNow } = await slow();
    const response = exchange(bus.origin, get('/v1/health'));
    await arrived.promise;
    expect(await exchange(bus.origin, 'hello\r\n\r\n')).toMatchObject([{ status: 403 }]);
    respondNow.resolve();
    expect(await response).toMatchObject([{ status: 200 }]);
  });

  test('is refused and logged once, whatever comes after it', async () => {
    const gateways = await open();
    serveGateways(gateways, parts());
    const socket = await rawConnection(gateways.bus.origin);
    let text = '';
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.write('hello\r\n\r\n');
    socket.write('hello again\r\n\r\n');
    await closed(socket);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const length = Buffer.byteLength(body);
    expect(head.split('\r\n')[0]).toBe('HTTP/1.1 403 Forbidden');
    expect(head).toContain('\r\nx-request-id: request-1');
    expect(head).toContain(`\r\ncontent-length: ${length}\r\nconnection: close`);
    expect(JSON.parse(body).violations[0].message).toBe(
      'The service cannot read this as an HTTP request.',
    );
    const facts = { rule: 'request.blocked', status: 403, milliseconds: 0 };
    expect(answered).toEqual([
      [undefined, expect.objectContaining({ ...facts, requestId: 'request-1' })],
    ]);
  });
});

describe('a connection on which something arrives that is no request', () => {
  const unreadable = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_METHOD' });

  /** A connection that notes what is written to it. */
  const connection = () => {
    const written: string[] = [];
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
    const errors: Error[] = [];
    socket.on('error', error => errors.push(error));
    return { socket, written, errors };
  };

  test('is refused once, however often Node says so', async () => {
    const gateways = await open();
    const { socket, written, errors } = connection();
    gateways.bus.server.emit('clientError', unreadable, socket);
    gateways.bus.server.emit('clientError', unreadable, socket);
    serveGateways(gateways, parts());
    await once(socket, 'close');
    await nextTurn();
    expect(written.join('')).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answered).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('gets nothing if it has ended meanwhile', async () => {
    const gateways = await open();
    const { socket, written, errors } = connection();
    gateways.bus.server.emit('clientError', unreadable, socket);
    socket.end();
    await once(socket, 'finish');
    serveGateways(gateways, parts());
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(answered).toHaveLength(1);
    expect([written, errors]).toEqual([[], []]);
  });

  test('is closed without a word if its client is gone', async () => {
    const gateways = await open();
    serveGateways(gateways, parts());
    const [ended, reset] = [connection(), connection()];
    ended.socket.end();
    await once(ended.socket, 'finish');
    gateways.bus.server.emit('clientError', unreadable, ended.socket);
    const gone = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    gateways.bus.server.emit('clientError', gone, reset.socket);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect([ended.socket.destroyed, reset.socket.destroyed]).toEqual([true, true]);
    expect([...ended.written, ...reset.written, ...answered]).toEqual([]);
  });
});
