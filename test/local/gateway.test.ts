import { once } from 'node:events';
import type { Socket } from 'node:net';
import { soleAuthorization } from '../../lib/bus/tokens/authoriser.http.ts';
import { limits } from '../../lib/contract/limits.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import { authorise, cachedAuthoriser } from '../../lib/local/authorise.ts';
import type { GatewayParts } from '../../lib/local/gateway.ts';
import { type OpenGateway, openGateway } from '../../lib/local/gateway-server.ts';
import { requestLines } from '../../lib/local/service.ts';
import { httpRequest, type InProcess } from '../../lib/platform/http/request.ts';
import type { ProxyHandler } from '../../lib/wiring/function.ts';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { closed, exchange, rawConnection } from '../support/raw-connection.ts';

const ok: ProxyHandler = async ({ path, multiValueQueryStringParameters: query }) => ({
  statusCode: 200,
  headers: { 'x-request-id': 'r' },
  body: JSON.stringify({ path, query }),
});

/** Knows the bearer of one token, and breaks down at another. */
const authoriser = async (event: Parameters<typeof soleAuthorization>[0]) => {
  const authorization = soleAuthorization(event);
  if (authorization === 'Bearer breaks') throw new Error('The registry is on fire.');
  if (authorization !== 'Bearer valid') throw new Error('Unauthorized');
  return {
    principalId: 'c',
    policyDocument: { Version: '', Statement: [] },
    context: { connection: 'c' },
  };
};

let lines: string[] = [];
let opened: OpenGateway[] = [];

type Change = Omit<Partial<GatewayParts>, 'handlers'> & {
  readonly handlers?: Partial<GatewayParts['handlers']>;
};

const start = async ({ handlers, ...change }: Change = {}): Promise<OpenGateway> => {
  const gateway = await openGateway(0, '--port');
  opened.push(gateway);
  const answering = Object.fromEntries(Object.keys(routes).map(id => [id, ok])) as Record<
    RouteId,
    ProxyHandler
  >;
  gateway.serve({
    api: 'bus',
    handlers: { ...answering, ...handlers },
    authorise: authorise({
      authoriseToken: cachedAuthoriser(authoriser, () => 0),
      verifySignature: () => ({ kind: 'refused', problem: 'missing', reason: 'It is not signed.' }),
    }),
    logFor: requestLines(
      line => lines.push(line),
      () => Date.parse('2026-05-04T09:15:00.125Z'),
    ),
    newRequestId: () => 'request-1',
    now: () => 0,
    saved: async () => undefined,
    ...change,
  });
  return gateway;
};

/**
 * A gateway whose health route answers when it is told to; `arrived` is the signal that the first
 * caller has gone.
 */
const startSlow = async () => {
  const arrived = deferred<AbortSignal | undefined>();
  const respondNow = deferred<void>();
  let count = 0;
  const slow: ProxyHandler = async (event: Parameters<ProxyHandler>[0] & InProcess) => {
    count += 1;
    arrived.resolve(event.gone);
    await respondNow.promise;
    return ok(event);
  };
  const gateway = await start({ handlers: { health: slow } });
  return { arrived, respondNow, gateway, count: () => count };
};

beforeEach(() => {
  lines = [];
});
afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close(0)));
  opened = [];
});

const last = 'Host: localhost\r\nConnection: close\r\n';
const get = (target: string, headers = last) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const rule = (name: string) => ({ accepted: false, violations: [{ rule: name }] });

test('many requests on one connection do not look like a leak, of which Node would warn', async () => {
  const { gateway, respondNow, count } = await startSlow();
  const connected = once(gateway.server, 'connection');
  const many = 20;
  const requests = get('/v1/health', 'Host: localhost\r\n').repeat(many) + get('/v1/health');
  const responses = exchange(gateway.origin, requests);
  const [own] = await connected;
  await eventually(() => count() > many);
  expect(own.listenerCount('close')).toBeLessThan(
    own.getMaxListeners() || Number.POSITIVE_INFINITY,
  );
  respondNow.resolve();
  expect(await responses).toHaveLength(many + 1);
});

describe('a request with several Authorization headers', () => {
  const consumer = '/v1/tenants/w/consumers/c/messages';
  const statusOf = async ({ origin }: OpenGateway, ...headers: string[]) => {
    const [response] = await exchange(
      origin,
      get(consumer, `${headers.map(header => `${header}\r\n`).join('')}${last}`),
    );
    return response?.status;
  };

  test.each([
    ['Authorization: Bearer garbage', 'Authorization: Bearer valid'],
    ['Authorization: Bearer valid', 'AUTHORIZATION: Bearer garbage'],
    ['Authorization: Bearer valid', 'Authorization: Bearer valid'],
  ])('producer.unauthenticated: %s, %s; neither is cached', async (...headers) => {
    const gateway = await start();
    expect(await statusOf(gateway, ...headers)).toBe(401);
    expect(await statusOf(gateway, 'Authorization: Bearer garbage')).toBe(401);
    expect(await statusOf(gateway, 'Authorization: Bearer valid')).toBe(200);
    expect(await statusOf(gateway, ...headers)).toBe(401);
  });
});

describe('the target of a request', () => {
  test.each([
    '/v1\\health',
    '/nope/../v1/./health',
    '/v1/health/x',
    '/v1//',
    '/v1/%68ealth',
    '/v1/health#x',
    '*',
  ])('route.not_found: %s', async target => {
    const { origin } = await start();
    const [response] = await exchange(origin, get(target));
    expect(response).toMatchObject({ status: 404, body: rule('route.not_found') });
  });

  test.each([
    ['/v1/health?a=1&a=%32', { a: ['1', '2'] }],
    ['/v1/health?', null],
    ['http://bus.test/v1/health?b=?', { b: ['?'] }],
    ['HTTP://bus.test:8787/v1/health', null],
  ])('%s is the health route', async (target, query) => {
    const { origin } = await start();
    const [response] = await exchange(origin, get(target));
    expect(response).toMatchObject({ status: 200, body: { path: '/v1/health', query } });
  });

  // A base URL of …/v1/ gives the second form.
  test.each(['/v1/health/', '/v1//health', '//v1///health//?a=1'])(
    '%s is the health route too',
    async target => {
      const { origin } = await start();
      const [response] = await exchange(origin, get(target));
      expect(response).toMatchObject({ status: 200, body: { path: target.split('?')[0] } });
    },
  );

  test.each(
    Object.values(routes).filter(
      ({ api, method, auth }) => api === 'bus' && method === 'GET' && auth === 'none',
    ),
  )('HEAD $path answers as GET does, without a body', async ({ path }) => {
    const { origin } = await start();
    const response = await fetch(`${origin}${path}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('route.method_not_allowed: HEAD where there is no GET', async () => {
    const { origin } = await start();
    const response = await fetch(`${origin}/v1/oauth/token`, { method: 'HEAD' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('requests that Node would answer itself', () => {
  test.each([
    ['a request without Host', get('/v1/health', 'Connection: close\r\n'), 200],
    ['an expectation', get('/v1/health', `Expect: foo\r\n${last}`), 200],
    [
      'an upgrade',
      get('/v1/health', `Host: localhost\r\nConnection: upgrade, close\r\nUpgrade: x\r\n`),
      200,
    ],
    ['CONNECT', 'CONNECT db.test:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 404],
    ['no HTTP', 'hello\r\n\r\n', 403],
    ['a head that is too large', get('/v1/health', `X: ${'x'.repeat(20_000)}\r\n`), 403],
  ])('%s gets the response of the bus', async (_, bytes, status) => {
    const { origin } = await start();
    const [response] = await exchange(origin, bytes);
    expect(response?.status).toBe(status);
    expect(response?.head).toContain('x-request-id: ');
    if (status !== 200) expect(response?.body).toMatchObject({ accepted: false, violations: [{}] });
  });

  test('request.blocked answers bytes that are not HTTP, in the form of the API', async () => {
    const { origin } = await start({ api: 'portal' });
    const [response] = await exchange(origin, 'hello\r\n\r\n');
    expect(response).toMatchObject({ status: 403, body: { code: 'request.blocked' } });
    expect(response?.body).toEqual({ code: 'request.blocked', message: expect.any(String) });
  });

  test('bytes that are not a request are answered after the request before them', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const malformed = once(gateway.server, 'clientError');
    const responses = exchange(
      gateway.origin,
      `${get('/v1/health', 'Host: localhost\r\n')}garbage\r\n\r\n`,
    );
    await Promise.all([arrived.promise, malformed]);
    respondNow.resolve();
    expect((await responses).map(({ status }) => status)).toEqual([200, 403]);
  });

  test('a connection that its client resets, as Bun does with a poll, is no attack', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const reset = once(gateway.server, 'clientError');
    const socket = await rawConnection(gateway.origin);
    socket.write(get('/v1/health', 'Host: localhost\r\n'));
    await arrived.promise;
    socket.resetAndDestroy();
    await reset;
    respondNow.resolve();
    await gateway.close(1_000);
    expect(lines.filter(line => line.includes('403'))).toEqual([]);
  });
});

describe('web pages may read refusals', () => {
  const originOf = async (path: string) => {
    const refused = { rule: 'rate.limited', waitMilliseconds: 1 } as const;
    const none = {
      charge: async () => ({ headers: {} }),
      usedToday: () => 0,
      save: () => undefined,
    };
    const { origin } = await start({ api: 'portal', limits: { ...none, admit: () => refused } });
    const [response] = await exchange(
      origin,
      get(path, 'Host: localhost\r\nConnection: close\r\n'),
    );
    return [response?.status, /access-control-allow-origin: (.)/.exec(response?.head ?? '')?.[1]];
  };
  test('of the open routes of the catalogue', async () => {
    expect(await originOf('/api/skills/library')).toEqual([429, '*']);
  });

  test.each(['/api/sign/session', '/', '/docs', '/api/unknown'])('but not of %s', async path => {
    expect((await originOf(path))[1]).toBeUndefined();
  });
});

describe('a request for another host', () => {
  const asked = async (host: string, change: Change = {}) => {
    const { origin } = await start(change);
    return (await exchange(origin, get('/v1/health', `${host}Connection: close\r\n`)))[0];
  };

  test.each([
    'Host: 127.0.0.1:8787\r\n',
    'Host: localhost\r\n',
    'Host: localhost:9999\r\n',
    'Host: [::1]:1\r\n',
    'Host: laptop.test:8787\r\n',
    '',
  ])('is none: %j', async host => {
    expect((await asked(host, { hosts: ['laptop.test'] }))?.status).toBe(200);
  });

  test.each([
    'Host: evil.example\r\n',
    'Host: 127.0.0.1.evil.example:8787\r\n',
    'Host: localhost\r\nHost: evil.example\r\n',
    'Host: 0.0.0.0:8787\r\n',
  ])('request.blocked: %j', async host => {
    expect(await asked(host)).toMatchObject({ status: 403, body: rule('request.blocked') });
    expect(lines).toEqual([expect.stringMatching(/ request\.blocked$/)]);
  });
});

describe('a web page that calls', () => {
  const asked = async (api: 'bus' | 'portal', target: string, headers: string) => {
    const { origin } = await start({ api });
    return (await exchange(origin, get(target, `${headers}Connection: close\r\n`)))[0];
  };

  test.each([
    'Host: localhost:9999\r\nOrigin: http://localhost:9999\r\n',
    'Host: 127.0.0.1:8788\r\nOrigin: http://127.0.0.1:8788\r\n',
    'Host: LOCALHOST\r\nOrigin: https://localhost\r\n',
  ])('the portal may be its own: %j', async headers => {
    expect((await asked('portal', '/docs', headers))?.status).toBe(200);
  });

  test.each([
    'http://evil.example',
    'http://localhost:9998',
    'http://localhost:9999.evil.example',
    'null',
  ])('request.blocked answers another one at the portal: %s', async origin => {
    const response = await asked(
      'portal',
      '/docs',
      `Host: localhost:9999\r\nOrigin: ${origin}\r\n`,
    );
    expect(response).toMatchObject({ status: 403, body: { code: 'request.blocked' } });
  });

  test.each([
    ['portal', '/api/skills/library'],
    ['bus', '/v1/openapi.json'],
    ['bus', '/v1/health'],
  ] as const)('the %s at %s may be any, as the contract says', async (api, target) => {
    const response = await asked(
      api,
      target,
      'Host: localhost\r\nOrigin: http://other.example\r\n',
    );
    expect(response?.status).toBe(200);
  });
});

describe('the body of a request', () => {
  const bodies: string[] = [];
  const noting: ProxyHandler = event => {
    bodies.push(httpRequest(event).body.toString());
    return ok(event);
  };
  const open = () => start({ handlers: { token: noting, health: noting } });
  const post = (fields: string) =>
    `POST /v1/oauth/token HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`;
  const tooLarge = {
    error: 'invalid_request',
    error_description: 'The body is larger than 16,384 bytes.',
  };
  const max = limits.tokenRequestBytes;

  /**
   * The first response to some bytes: the connection stays open, and the rest of the body never
   * comes.
   */
  const firstResponse = async (bytes: string) => {
    const socket = await rawConnection((await open()).origin);
    socket.write(bytes);
    const [chunk] = await once(socket, 'data');
    socket.destroy();
    return String(chunk);
  };

  beforeEach(() => {
    bodies.length = 0;
  });

  test('has at most as many bytes as its route reads', async () => {
    const { origin } = await open();
    await exchange(
      origin,
      `${post(`Content-Length: ${max}\r\nConnection: close`)}${'x'.repeat(max)}`,
    );
    expect(bodies).toEqual(['x'.repeat(max)]);
  });

  test.each([
    ['by its declared length, before any of it arrives', post(`Content-Length: ${max + 1}`)],
    [
      'by its bytes, before the last of them arrives',
      `${post('Transfer-Encoding: chunked')}${(max + 1).toString(16)}\r\n${'x'.repeat(max + 1)}\r\n`,
    ],
  ])('is refused in the words of its route, %s', async (_, bytes) => {
    const response = await firstResponse(bytes);
    expect(response).toContain(JSON.stringify(tooLarge));
    expect(bodies).toEqual([]);
  });

  test('is refused by the gateway if it is larger than any route reads', async () => {
    const response = await firstResponse(post(`Content-Length: ${limits.gatewayBodyBytes + 1}`));
    expect(response).toMatch(/^HTTP\/1\.1 413 .*message\.too_large/s);
  });

  test('that was refused is read to its end: the next request on the connection is answered', async () => {
    const { origin } = await open();
    const responses = await exchange(
      origin,
      `${post(`Content-Length: ${max + 1}`)}${'x'.repeat(max + 1)}${get('/v1/health')}`,
    );
    expect(responses.map(({ status }) => status)).toEqual([400, 200]);
  });

  test('that does not end is cut off', async () => {
    const socket = await rawConnection((await open()).origin);
    const cut = closed(socket);
    const chunk = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more).resume().write(post('Transfer-Encoding: chunked'));
    more();
    await cut;
    expect(bodies).toEqual([]);
  });

  test('is dropped where the route reads none', async () => {
    const { origin } = await open();
    const [response] = await exchange(
      origin,
      `GET /v1/health HTTP/1.1\r\n${last}Content-Length: 3\r\n\r\nabc`,
    );
    expect([response?.status, bodies]).toEqual([200, ['']]);
  });
});

describe('a gateway that closes', () => {
  const never = 3_600_000;

  test.each([
    ['silent', ''],
    ['in the middle of a head', 'GET /v1/health HT'],
    ['idle after a response', get('/v1/health', 'Host: localhost\r\n')],
  ])('does not wait for a connection that is %s', async (_, bytes) => {
    const gateway = await start();
    const socket = await rawConnection(gateway.origin);
    socket.write(bytes);
    if (bytes.endsWith('\r\n\r\n')) await once(socket, 'data');
    const cut = closed(socket);
    socket.resume();
    await gateway.close(never);
    await cut;
    expect(socket.destroyed).toBe(true);
  });

  test('cuts off a request whose body does not arrive within the grace time', async () => {
    const gateway = await start();
    const socket = await rawConnection(gateway.origin);
    const cut = closed(socket);
    const arrived = once(gateway.server, 'request');
    socket.write(
      'POST /v1/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf',
    );
    await arrived;
    await gateway.close(0);
    await cut;
    expect(socket.destroyed).toBe(true);
  });

  test.each([1, 2])(
    'answers what had arrived, although it has not read it yet: %d requests',
    async count => {
      const gateway = await start();
      const socket = await rawConnection(gateway.origin);
      socket.write(get('/v1/health', 'Host: localhost\r\n'));
      await once(socket, 'data');
      let text = '';
      socket.on('data', chunk => {
        text += chunk;
      });
      const cut = closed(socket);
      socket.write(get('/v1/health', 'Host: localhost\r\n').repeat(count));
      await gateway.close(never);
      await cut;
      expect(text.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(count);
      expect(text.match(/connection: close/gi)).toHaveLength(1);
    },
  );

  test('answers pending requests with connection: close', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const responses = exchange(gateway.origin, get('/v1/health', 'Host: localhost\r\n'));
    await arrived.promise;
    const stopped = gateway.close(never);
    respondNow.resolve();
    const [response] = await responses;
    await stopped;
    expect(response?.status).toBe(200);
    expect(response?.head).toContain('connection: close');
  });
});

describe('a client', () => {
  test('on whose connection nothing moves for a minute, such as one that reads no response, is cut off', async () => {
    const { server, origin } = await start();
    const accepted = once(server, 'connection');
    const socket = await rawConnection(origin);
    const [at]: Socket[] = await accepted;
    expect(at?.timeout).toBe(60_000);
    at?.emit('timeout');
    await closed(socket);
  });

  test('that waits for its response is not, though a sleep of the machine ends that minute for it', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const accepted = once(gateway.server, 'connection');
    const responses = exchange(gateway.origin, get('/v1/health'));
    const [at]: Socket[] = await accepted;
    await arrived.promise;
    at?.emit('timeout');
    respondNow.resolve();
    expect((await responses).map(({ status }) => status)).toEqual([200]);
  });

  test('that sends only a part of its request is cut off as well', async () => {
    const { server, origin } = await start();
    const accepted = once(server, 'connection');
    const requested = once(server, 'request');
    const socket = await rawConnection(origin);
    const [at]: Socket[] = await accepted;
    socket.write(
      'POST /v1/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf',
    );
    await requested;
    at?.emit('timeout');
    await closed(socket);
    expect(at?.destroyed).toBe(true);
  });

  test('may reuse its connection for longer than clients do: it is not closed under a request', async () => {
    const { server, origin } = await start();
    const accepted = once(server, 'connection');
    const socket = await rawConnection(origin);
    const [at]: Socket[] = await accepted;
    socket.write(get('/v1/health', 'Host: localhost\r\n'));
    await once(socket, 'data');
    await eventually(() => (at?.timeout ?? 0) >= 65_000);
    expect(at?.destroyed).toBe(false);
    socket.destroy();
  });

  test('that hangs up before the response is reported to the function', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const socket = await rawConnection(gateway.origin);
    socket.write(get('/v1/health', 'Host: localhost\r\n'));
    const gone = await arrived.promise;
    if (!gone) throw new Error('The function got no signal.');
    expect(gone.aborted).toBe(false);
    socket.destroy();
    await once(gone, 'abort');
    respondNow.resolve();
  });

  test('that hangs up after the response is not, and its connection is no longer watched', async () => {
    const { arrived, respondNow, gateway } = await startSlow();
    const connected = once(gateway.server, 'connection');
    const socket = await rawConnection(gateway.origin);
    const [own] = await connected;
    const listeners = own.listenerCount('close');
    respondNow.resolve();
    socket.write(get('/v1/health', 'Host: localhost\r\n'));
    await once(socket, 'data');
    expect(own.listenerCount('close')).toBeLessThanOrEqual(listeners);
    const cut = closed(own);
    socket.destroy();
    await cut;
    expect((await arrived.promise)?.aborted).toBe(false);
  });
});

describe('a disk', () => {
  /** A disk whose state a test changes. */
  const diskOf = (isFull: boolean) => {
    const listeners = new Set<(isFull: boolean) => void>();
    return {
      listeners,
      isFull: () => isFull,
      fill: () => {
        for (const listener of listeners) listener(true);
      },
      onFull(listener: (isFull: boolean) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  };
  const token = `POST /v1/oauth/token HTTP/1.1\r\nContent-Length: 0\r\n${last}\r\n`;

  test.each([
    [get('/v1/health'), { violations: [{ rule: 'registry.unavailable' }] }],
    [token, { error: 'temporarily_unavailable' }],
  ])('that is full is the response: %j', async (request, body) => {
    const { origin } = await start({ disk: diskOf(true) });
    const [response] = await exchange(origin, request);
    expect(response).toMatchObject({ status: 503, body });
    expect(JSON.stringify(response?.body)).toContain('The disk of the service is full');
  });

  test('that is full keeps nobody from what needs none', async () => {
    const { origin } = await start({ disk: diskOf(true) });
    const [response] = await exchange(origin, get('/v1/openapi.json'));
    expect(response?.status).toBe(200);
  });

  test('that fills ends a wait at once, with an outcome that is not known', async () => {
    const disk = diskOf(false);
    const arrived = deferred<void>();
    const never: ProxyHandler = () => {
      arrived.resolve();
      return new Promise(() => undefined);
    };
    const { origin } = await start({ disk, handlers: { health: never } });
    const responses = exchange(origin, get('/v1/health'));
    await arrived.promise;
    disk.fill();
    expect((await responses)[0]).toMatchObject({ status: 503, body: rule('bus.publish_failed') });
  });

  test('is listened to no longer than a request takes', async () => {
    const disk = diskOf(false);
    const { origin } = await start({ disk });
    await exchange(origin, get('/v1/health'));
    expect(disk.listeners.size).toBe(0);
  });
});

describe('the request lines', () => {
  test.each([
    [get('/nope'), / {2}404 {2}- {2}.* route\.not_found$/],
    [`PUT /v1/health HTTP/1.1\r\n${last}\r\n`, / {2}405 {2}- {2}.* route\.method_not_allowed$/],
    [get('/v1/tenants/w/consumers/c/messages'), / {2}401 {2}pull {2}.* producer\.unauthenticated$/],
    ['hello\r\n\r\n', / {2}403 {2}- {2}.* request\.blocked$/],
  ])("show the gateway's own responses: %j", async (bytes, line) => {
    const { origin } = await start();
    await exchange(origin, bytes);
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test('show the time in milliseconds, and how long the response took', async () => {
    const times = [5, 17];
    const { origin } = await start({ now: () => times.shift() ?? 0 });
    await exchange(origin, get('/nope'));
    expect(lines).toEqual(['09:15:00.125  404  -                 12 ms  route.not_found']);
  });

  test('show the errors of the authoriser and of the gateway', async () => {
    const broken: ProxyHandler = async () => {
      throw new Error('A function broke down.');
    };
    const { origin } = await start({ handlers: { health: broken } });
    await exchange(
      origin,
      get('/v1/tenants/w/consumers/c/messages', `Authorization: Bearer breaks\r\n${last}`),
    );
    await exchange(origin, get('/v1/health'));
    expect(lines).toEqual([
      expect.stringMatching(/ {2}failed: The registry is on fire\.$/),
      expect.stringMatching(/ {2}503 {2}pull {2}.* registry\.unavailable$/),
      expect.stringMatching(/ {2}failed: A function broke down\.$/),
      expect.stringMatching(/ {2}503 {2}health {2}.* bus\.publish_failed$/),
    ]);
  });
});
