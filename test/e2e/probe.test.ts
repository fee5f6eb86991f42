import { createConnection } from '../../lib/access/registry/connections.ts';
import { type ProbeAccount, probe } from '../../lib/kit/client/probe.ts';
import { localEnv } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { authoriserFunction } from '../../lib/wiring/authoriser.ts';
import { ackFunction, nackFunction, pullFunction } from '../../lib/wiring/consuming.ts';
import { lambda, type ProxyHandler } from '../../lib/wiring/function.ts';
import { type Invoke, invokingFetch, probePortal } from '../../lib/wiring/probe.ts';
import { publishFunction, validateFunction } from '../../lib/wiring/publishing.ts';
import { tokenFunction } from '../../lib/wiring/tokens.ts';
import { serviceHere } from '../support/one-service.ts';
import { settled } from '../support/running-registry.ts';

const bus = serviceHere();
let account: ProbeAccount;

beforeAll(async () => {
  const workspace = bus.ready.workspace;
  const nothing = { grants: [], receives: [], sources: [] };
  const wanted = { ...nothing, workspace, app: 'probe', systemIds: ['sombus-probe'] };
  const make = async (kind: 'producer' | 'consumer') => {
    const lists = kind === 'producer' ? { grants: ['*'] } : { receives: ['*'], systemIds: [] };
    const wish = { ...wanted, ...lists, kind };
    const { connection, clientSecret } = settled(await createConnection(bus.registry, wish));
    return { id: connection.id, secret: clientSecret };
  };
  const [producer, consumer] = [await make('producer'), await make('consumer')];
  account = { baseUrl: bus.base, workspace, producer, consumer };
});

/** What the probe asked for, in order, over the local service. */
const watched = () => {
  const asked: string[] = [];
  const watching = async (url: string, init: RequestInit) => {
    const { pathname, search } = new URL(url);
    asked.push(`${init.method ?? 'GET'} ${pathname.split('/').at(-1)}${search}`);
    return fetch(url, init);
  };
  return { asked, watching };
};

test('the probe goes once through token, dry run, publish, pull and ack', async () => {
  const { asked, watching } = watched();
  await probe(account, { fetch: watching });
  expect(asked).toEqual([
    'POST token',
    'POST validate',
    'POST messages',
    'POST token',
    // A pull that waits finds the message as soon as it is there.
    'GET messages?max=10&wait=5&visibility=60',
    'POST ack',
  ]);
});

test('two probes at once leave each other their messages', async () => {
  expect(await Promise.all([probe(account), probe(account)])).toEqual([undefined, undefined]);
});

test.each([
  ['dry run', 'validate', Response.json({ accepted: false, violations: [] }, { status: 400 })],
  ['ack', 'ack', Response.json({ accepted: false, violations: [] }, { status: 403 })],
])('a failed %s is named', async (step, path, reply) => {
  const failing = async (url: string, init: RequestInit) =>
    url.endsWith(`/${path}`) ? reply.clone() : fetch(url, init);
  await expect(probe(account, { fetch: failing })).rejects.toThrow(`The probe's ${step} failed`);
});

describe('as a hook of a release', () => {
  const handlers = (): Readonly<Record<string, ProxyHandler>> => {
    const env = localEnv(new URL(bus.base).origin, bus.ready.endpoints, operatorKeyIn(bus.data));
    const log = { answered: () => undefined, failed: () => undefined };
    const authorise = authoriserFunction(env);
    return {
      authoriser: event => authorise(event as never) as never,
      token: lambda(tokenFunction, env, log),
      validate: lambda(validateFunction, env, log),
      publish: lambda(publishFunction, env, log),
      pull: lambda(pullFunction, env, log),
      ack: lambda(ackFunction, env, log),
      nack: lambda(nackFunction, env, log),
    };
  };

  /** Lambda, as far as the probe sees it: what a function throws is no result. */
  const invoking = (called: string[], broken?: string): Invoke => {
    const all = handlers();
    return async (name, event) => {
      called.push(name);
      if (name === broken) return undefined;
      const result = await all[name]?.(event as never).catch(() => undefined);
      return result && JSON.parse(JSON.stringify(result));
    };
  };

  test('it calls the functions themselves, the authoriser before each', async () => {
    const called: string[] = [];
    await probe(account, { fetch: invokingFetch(invoking(called)) });
    expect(called.filter(name => name !== 'authoriser')).toEqual([
      'token',
      'validate',
      'publish',
      'token',
      'pull',
      'ack',
    ]);
    expect(called.filter(name => name === 'authoriser')).toHaveLength(4);
  });

  test.each(['authoriser', 'validate', 'ack'])(
    'new code of %s that fails is noticed',
    async broken => {
      const outside = { fetch: invokingFetch(invoking([], broken)), sleep: async () => undefined };
      let now = Date.now();
      const clock = { now: () => (now += 1_000) };
      await expect(probe(account, { ...outside, ...clock })).rejects.toThrow();
    },
  );
});

describe('of the portal', () => {
  const address = 'https://portal.example/app';
  const html = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
  const redirect = () =>
    new Response(null, { status: 302, headers: { location: 'https://login.example/authorize' } });
  const pages: Readonly<Record<string, () => Response>> = {
    [`${address}/`]: html,
    [`${address}/api/sign/in`]: redirect,
    'https://login.example/authorize': html,
  };
  const sending = (changed: Readonly<Record<string, () => Response>>) => {
    const asked: string[] = [];
    const send = async (url: string) => {
      asked.push(url);
      const answer = { ...pages, ...changed }[url];
      if (!answer) throw new TypeError('fetch failed');
      return answer();
    };
    return { asked, send };
  };

  test('opens the first page and what a sign-in leads to', async () => {
    const { asked, send } = sending({});
    await probePortal(address, send);
    expect(asked).toEqual(Object.keys(pages));
  });

  const status = (code: number) => () => new Response('', { status: code });
  test.each<[string, string, () => Response]>([
    ['portal page failed: HTTP 503', `${address}/`, status(503)],
    ['portal page failed: it is no HTML', `${address}/`, () => Response.json({})],
    ['sign-in failed: HTTP 429', `${address}/api/sign/in`, status(429)],
    ['sign-in failed: it leads nowhere', `${address}/api/sign/in`, html],
    [
      'sign-in page of the identity provider failed: TypeError',
      `${address}/api/sign/in`,
      () => new Response(null, { status: 302, headers: { location: 'https://gone.example' } }),
    ],
    [
      'sign-in page of the identity provider failed: HTTP 400',
      'https://login.example/authorize',
      status(400),
    ],
  ])('%s', async (why, url, answer) => {
    const { send } = sending({ [url]: answer });
    await expect(probePortal(address, send)).rejects.toThrow(`The probe's ${why}`);
  });

  test('waits ten seconds for each page, and no longer', async () => {
    const asked: number[] = [];
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(milliseconds => {
      asked.push(milliseconds);
      return new AbortController().signal;
    });
    await probePortal(address, sending({}).send);
    timeout.mockRestore();
    expect(asked).toEqual([10_000, 10_000, 10_000]);
  });

  test('a real portal opens, and so does its sign-in: the local one wants a key there', async () => {
    await expect(probePortal(new URL(bus.ready.portal_url).origin)).rejects.toThrow(
      'sign-in page of the identity provider failed: HTTP 400',
    );
  });
});
