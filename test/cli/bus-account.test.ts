import { busAccount } from '../../lib/cli/bus-account.ts';

const mine = { SOMBUS_CLIENT_ID: 'c234567', SOMBUS_CLIENT_SECRET: 'sbs_secret' };
const account = (env: Readonly<Record<string, string>>, baseUrl = 'https://bus.example/v1') =>
  busAccount({ data: '/nowhere', baseUrl }, 'producer', env);

test('a client of the environment is used at the address that is named', () => {
  expect(account(mine, 'https://bus.example/v1/')).toEqual({
    baseUrl: 'https://bus.example/v1',
    client: { id: 'c234567', secret: 'sbs_secret' },
  });
});

test.each([
  { SOMBUS_CLIENT_ID: 'c234567' },
  { SOMBUS_CLIENT_SECRET: 'sbs_secret' },
  { ...mine, SOMBUS_CLIENT_SECRET: '' },
])('half a client is refused, not replaced by the demo one: %j', env => {
  expect(() => account(env)).toThrow(/belong together/);
});

test.each(['http://bus.example/v1', 'http://127.0.0.1.example/v1', 'ftp://localhost/v1'])(
  'no secret goes to %s',
  url => {
    expect(() => account(mine, url)).toThrow(/is not https: a secret would travel in the clear/);
  },
);

test.each(['http://localhost:8787/v1', 'http://127.0.0.1:8787/v1', 'http://[::1]:8787/v1'])(
  'on this machine, a secret may go to %s',
  url => {
    expect(account(mine, url).baseUrl).toBe(url);
  },
);

test('what is no address is refused', () => {
  expect(() => account(mine, 'bus.example')).toThrow('bus.example is no address.');
});
