import { proxyFor } from '../../../lib/kit/client/bus-url.ts';
import { connect } from '../../../lib/kit/client/client.ts';

const account = { workspace: 'wnews', clientId: 'cproducer', clientSecret: 'sbs_secret' };

/** The URL that a client asks for its token. */
const askedBy = async (baseUrl: string): Promise<string> => {
  const asked: string[] = [];
  const outside = {
    fetch: async (url: string) => {
      asked.push(url);
      return new Response('{"error":"invalid_client","error_description":"No."}', { status: 401 });
    },
  };
  const refused = await connect({ ...account, baseUrl, outside }).backlog();
  expect(refused.outcome).toBe('token_refused');
  return asked.join(' ');
};

test.each([
  'https://bus.example',
  'https://bus.example/',
  'https://bus.example/v1',
  'https://bus.example/v1/',
])('a client of %s finds the bus, with /v1 once', async baseUrl => {
  expect(await askedBy(baseUrl)).toBe('https://bus.example/v1/oauth/token');
});

test('a path before /v1 stays', async () => {
  expect(await askedBy('https://tests.example/bus')).toBe(
    'https://tests.example/bus/v1/oauth/token',
  );
});

test.each([
  ['http://bus.example', 'does not use https'],
  ['bus.example/v1', 'is not a URL'],
])('%s gets no secret: it %s', (baseUrl, problem) => {
  expect(() => connect({ ...account, baseUrl })).toThrow(problem);
});

const hidden = new URL('https://bus.example/v1');

/** Where a call goes through, and why it does not. */
const wayOf = (env: Readonly<Record<string, string>>, url = hidden) => {
  const choice = proxyFor(url, env);
  return choice && [choice.variable, choice.proxy.href, choice.unused];
};

test.each([
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, 'HTTPS_PROXY', 'http://proxy.example:3128/'],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'HTTPS_PROXY', 'http://proxy.example:3128/'],
  [{ https_proxy: 'https://p.example', HTTPS_PROXY: 'x' }, 'https_proxy', 'https://p.example/'],
])('%j is the proxy of a bus', (env, variable, proxy) => {
  expect(wayOf(env)).toEqual([variable, proxy, undefined]);
});

test.each([{}, { HTTPS_PROXY: '' }, { HTTP_PROXY: 'http://proxy.example' }])('%j is none', env => {
  expect(wayOf(env)).toBeUndefined();
});

test.each(['http://127.0.0.1:8787/v1', 'https://localhost/v1', 'https://[::1]:8443/v1'])(
  '%s is on this machine, and has none',
  url => {
    expect(wayOf({ HTTPS_PROXY: 'p', HTTP_PROXY: 'p' }, new URL(url))).toBeUndefined();
  },
);

test('plain HTTP has none', () => {
  expect(wayOf({ HTTPS_PROXY: 'p' }, new URL('http://bus.example/v1'))).toBeUndefined();
});

test.each(['*', 'bus.example', '.example', '*.example', 'other, BUS.example', 'bus.example:443'])(
  'NO_PROXY=%s excepts it',
  NO_PROXY => {
    const found = wayOf({ HTTPS_PROXY: 'p', NO_PROXY });
    expect(found?.[2]).toBe('NO_PROXY names bus.example');
  },
);

test.each(['', 'us.example', 'a.bus.example', 'bus.example:8443', '.', 'bus.example.net'])(
  'NO_PROXY=%s does not',
  NO_PROXY => {
    expect(wayOf({ HTTPS_PROXY: 'p', NO_PROXY })).toEqual(['HTTPS_PROXY', 'http://p/', undefined]);
  },
);

test.each(['socks5://user:secret@proxy.example', 'http://[secret'])(
  'what is no HTTP proxy is refused by its variable, not shown: %s',
  HTTPS_PROXY => {
    const words = 'HTTPS_PROXY does not begin with http:// or https://: it names no HTTP proxy.';
    expect(() => wayOf({ HTTPS_PROXY })).toThrow(new TypeError(words));
  },
);
