import { randomUUID } from 'node:crypto';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import type { GatewayParts } from '../../lib/local/gateway.ts';
import { gatewayLimits } from '../../lib/local/gateway-limits.ts';
import { type OpenGateway, openGateway } from '../../lib/local/gateway-server.ts';
import { requestLines } from '../../lib/local/service.ts';
import type { ProxyHandler } from '../../lib/wiring/function.ts';
import { producer } from '../corpus/connections.ts';
import { type Response, ruleOf } from '../support/http-client.ts';

/** Like the shared client, but for functions whose responses stand for any. */
const call = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, init);
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()),
  };
};

const start = Date.parse('2026-05-04T23:00:00.000Z');
let now = start;
let opened: OpenGateway[] = [];
let saved: unknown;

const connections = new Map(
  [
    producer({ id: 'cminimal', tier: 'minimal' }),
    producer({ id: 'cstandard', tier: 'standard' }),
    producer({ id: 'chigh', tier: 'high' }),
    producer({ id: 'ccustom', quota: { perSecond: 5, burst: 7, perDay: 9 } }),
  ].map(entry => [entry.id, entry]),
);

const folder = {
  read: () => saved,
  write(value: unknown) {
    saved = value;
  },
};

const ok: ProxyHandler = async () => ({ statusCode: 200, headers: {}, body: '{}' });
const handlers = Object.fromEntries(Object.keys(routes).map(id => [id, ok])) as Record<
  RouteId,
  ProxyHandler
>;

/**
 * The gateways of both APIs over functions that answer at once; the bearer of a token is the
 * connection it names.
 */
const startGateways = async () => {
  const limits = gatewayLimits(
    {
      registry: { connection: async id => connections.get(id) },
      limited: async () => undefined,
    },
    folder,
    () => now,
  );
  const authorise: GatewayParts['authorise'] = async ({ headers }) => {
    const [, bearer = ''] = headers.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    const connection = bearer.slice('Bearer '.length);
    return { kind: 'allowed', caller: { context: { connection, workspace: 'waaaaaaaaaaaa' } } };
  };
  const logFor = requestLines(
    () => undefined,
    () => 0,
  );
  const measures = { newRequestId: randomUUID, now: () => 0, saved: async () => undefined };
  const [bus, portal] = [await openGateway(0, '--port'), await openGateway(0, '--portal-port')];
  bus.serve({ api: 'bus', handlers, authorise, limits, logFor, ...measures });
  portal.serve({ api: 'portal', handlers, authorise, limits, logFor, ...measures });
  opened.push(bus, portal);
  return { bus: bus.origin, portal: portal.origin, limits };
};

beforeEach(() => {
  now = start;
  saved = undefined;
});

afterEach(async () => {
  for (const { server } of opened) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
  opened = [];
});

const outcome = ({ status, headers, body }: Response) => [
  status,
  body['code'] ?? ruleOf({ status, headers, body }),
  headers.get('retry-after'),
];

/**
 * Sends `allowed` requests that pass, then one that must not; `step` is how much later each is
 * sent.
 */
const driveToEdge = async (
  allowed: number,
  send: (request: number) => Promise<Response>,
  step = 0,
) => {
  for (let request = 0; request < allowed; request += 1) {
    expect((await send(request)).status).toBe(200);
    now += step;
  }
  return outcome(await send(allowed));
};

const basicOf = (client: string) => ({
  authorization: `Basic ${Buffer.from(`${client}:s`).toString('base64')}`,
});

describe('rate.limited', () => {
  test('rate.limited: token URL, per source address: 100 requests in 5 minutes', async () => {
    const { bus } = await startGateways();
    const send = () => call(`${bus}/v1/oauth/token`, { method: 'POST' });
    expect(await driveToEdge(100, send, 1000)).toEqual([429, 'rate.limited', '200']);
  });

  test.each<RouteId>(['health', 'iam-publish', 'portal-call'])(
    'any route, per source address: 600 requests a minute, and on %s no fewer',
    async route => {
      const { limits } = await startGateways();
      const sender = { address: '127.0.0.1', path: '/' };
      for (let sent = 0; sent < 600; sent += 1, now += 90)
        expect(limits.admit(route, sender)).toBeUndefined();
      expect(limits.admit(route, sender)).toEqual({
        rule: 'rate.limited',
        waitMilliseconds: 6_000,
      });
      expect(limits.admit(route, { ...sender, address: '127.0.0.2' })).toBeUndefined();
    },
  );

  test.each([
    ['of no route', 'GET', '/v1/%nothing', 404],
    ['with a wrong method', 'DELETE', '/v1/health', 405],
    ['that ask what a web page may call', 'OPTIONS', '/api/skills/library', 204],
  ])('requests %s count for their address', async (_, method, path, status) => {
    const { bus, portal } = await startGateways();
    const send = () => fetch((path.startsWith('/api') ? portal : bus) + path, { method });
    for (let sent = 0; sent < 600; sent += 1) expect((await send()).status).toBe(status);
    expect((await send()).status).toBe(429);
  });

  test('an escape in the path does not evade the limit of sign-ins', async () => {
    const { portal } = await startGateways();
    const send = (request: number) =>
      call(portal + ['/api/sign/in', '/api/sign/%69n', '/api/sign%2fin'][request % 3]);
    expect(await driveToEdge(20, send, 100)).toEqual([429, 'rate.limited', '298']);
  });

  // The token URL counts each client by itself, too; the whole API is full before an address is.
  test.each([
    ['token URL', 'bus', 'POST', '/v1/oauth/token', 40, 20],
    ['whole API', 'bus', 'GET', '/v1/health', 400, 200],
    ['skill library', 'portal', 'GET', '/api/skills/library', 20, 10],
    ['skill validation', 'portal', 'POST', '/api/skills/validate', 10, 5],
  ] as const)(
    '%s, all callers together (%s, %s %s): bursts of %i, %i requests a second',
    async (_, api, method, path, burst, perSecond) => {
      const { [api]: origin } = await startGateways();
      const send = (request: number) =>
        call(origin + path, { method, headers: api === 'bus' ? basicOf(`c${request}`) : {} });
      expect(await driveToEdge(burst, send)).toEqual([429, 'rate.limited', '1']);
      // Half a second: of the whole API, more would be the limit of the address.
      now += 500;
      expect(await driveToEdge(Math.floor(perSecond / 2), send)).toEqual([
        429,
        'rate.limited',
        '1',
      ]);
    },
  );

  test('signed routes, all cloud-role signers together: 50 requests a second, bursts of 100', async () => {
    const { limits } = await startGateways();
    const sender = { address: '127.0.0.1', path: '/' };
    for (let sent = 0; sent < 100; sent += 1)
      expect(limits.admit('iam-publish', sender)).toBeUndefined();
    expect(limits.admit('iam-validate', sender)).toMatchObject({ waitMilliseconds: 20 });
    now += 1000;
    for (let sent = 0; sent < 50; sent += 1)
      expect(limits.admit('verify-principal', sender)).toBeUndefined();
    expect(limits.admit('iam-publish', sender)).toMatchObject({ rule: 'rate.limited' });
  });

  test('what has a limit of its own counts for the whole API, too', async () => {
    const { limits } = await startGateways();
    const sender = { address: '127.0.0.1', path: '/' };
    for (let sent = 0; sent < 100; sent += 1) limits.admit('iam-publish', sender);
    for (let sent = 0; sent < 300; sent += 1)
      expect(limits.admit('health', sender)).toBeUndefined();
    expect(limits.admit('health', sender)).toMatchObject({ rule: 'rate.limited' });
  });

  test.each([
    ['minimal', 'cminimal', 20, 10],
    ['standard', 'cstandard', 40, 20],
    ['high', 'chigh', 200, 100],
    ['a custom quota', 'ccustom', 7, 2],
  ])('each connection, tier %s: bursts and requests a second', async (_, id, burst, perSecond) => {
    const { bus } = await startGateways();
    const send = () =>
      call(`${bus}/v1/tenants/waaaaaaaaaaaa/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${id}` },
      });
    expect(await driveToEdge(burst, send)).toEqual([429, 'rate.limited', '1']);
    now += 1000;
    for (let request = 0; request < perSecond; request += 1)
      expect((await send()).status).toBe(200);
  });
});

describe('quota.exceeded', () => {
  const publish = (bus: string) =>
    call(`${bus}/v1/tenants/waaaaaaaaaaaa/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer ccustom' },
    });

  test('quota.exceeded: each connection, requests a day: the count survives a restart and ends at midnight UTC', async () => {
    const first = await startGateways();
    expect(await driveToEdge(9, () => publish(first.bus), 1000)).toEqual([
      429,
      'quota.exceeded',
      '3591',
    ]);
    first.limits.save();
    const second = await startGateways();
    expect(outcome(await publish(second.bus))).toEqual([429, 'quota.exceeded', '3591']);
    now = Date.parse('2026-05-05T00:00:00.000Z');
    expect((await publish(second.bus)).status).toBe(200);
  });

  test('responses of workspace routes show what is left', async () => {
    const { bus } = await startGateways();
    const { headers } = await publish(bus);
    expect(headers.get('ratelimit-policy')).toBe(
      '"burst";q=7;w=2, "day";q=9;w=86400, "address";q=600;w=60',
    );
    expect(headers.get('ratelimit')).toBe(
      '"burst";r=6;t=1, "day";r=8;t=3600, "address";r=599;t=60',
    );
  });

  test('a 429 of a connection is told to the records; with one note for all that come while it is written', async () => {
    const limited = connections.get('ccustom');
    const counted: number[] = [];
    let written: () => void = () => undefined;
    const ports = {
      registry: { connection: async () => limited },
      limited: (_connection: unknown, requests: number) => {
        counted.push(requests);
        return new Promise<void>(resolve => {
          written = resolve;
        });
      },
    };
    const { charge } = gatewayLimits(ports, folder, () => now);
    for (let sent = 0; sent < 7 + 30; sent += 1) await charge('publish', 'ccustom', '127.0.0.1');
    expect(counted).toEqual([1]);
    written();
    await Promise.resolve();
    expect(counted).toEqual([1, 29]);
  });

  test('a 429 of a connection shows it too: over the rate, and over the quota', async () => {
    const { bus } = await startGateways();
    for (let sent = 0; sent < 7; sent += 1) await publish(bus);
    const fast = await publish(bus);
    expect([fast.status, fast.headers.get('retry-after')]).toEqual([429, '1']);
    expect(fast.headers.get('ratelimit-policy')).toBe(
      '"burst";q=7;w=2, "day";q=9;w=86400, "address";q=600;w=60',
    );
    expect(fast.headers.get('ratelimit')).toBe(
      '"burst";r=0;t=2, "day";r=2;t=3600, "address";r=592;t=60',
    );
    now += 10_000;
    for (let sent = 0; sent < 2; sent += 1) await publish(bus);
    const spent = await publish(bus);
    expect(outcome(spent)).toEqual([429, 'quota.exceeded', '3590']);
    expect(spent.headers.get('ratelimit')).toBe(
      '"burst";r=4;t=1, "day";r=0;t=3590, "address";r=589;t=50',
    );
  });
});

test('twenty sign-ins in five minutes from one address, and other calls of the portal beside them', async () => {
  const { limits } = await startGateways();
  const sender = { address: '192.0.2.7', path: '/api/sign/in' };
  const signIns = () => limits.admit('portal-call', sender);
  for (let count = 0; count < 20; count += 1, now += 1_000) expect(signIns()).toBeUndefined();
  expect(signIns()).toMatchObject({ rule: 'rate.limited' });
  expect(limits.admit('portal-call', { ...sender, path: '/api/sign/session' })).toBeUndefined();
  expect(limits.admit('portal-call', { ...sender, address: '192.0.2.8' })).toBeUndefined();
  now = start + 300_001;
  expect(signIns()).toBeUndefined();
});
