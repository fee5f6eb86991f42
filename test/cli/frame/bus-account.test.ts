import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busAccount } from '../../../lib/cli/frame/account.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const mine = { SOMBUS_CLIENT_ID: 'c234567', SOMBUS_CLIENT_SECRET: 'sbs_secret' };
const account = (env: Readonly<Record<string, string>>, baseUrl = 'https://bus.example/v1') =>
  busAccount({ data: '/nowhere', baseUrl }, 'producer', env);

test('the client of the environment is used at the given address', () => {
  expect(account(mine, 'https://bus.example/v1/')).toEqual({
    baseUrl: 'https://bus.example/v1',
    client: { id: 'c234567', secret: 'sbs_secret' },
  });
});

test.each(['https://bus.example', 'https://bus.example/', 'https://bus.example/v1'])(
  'the URL %s names the bus, with /v1 once',
  url => {
    expect(account(mine, url).baseUrl).toBe('https://bus.example/v1');
    const options = { data: '/nowhere' };
    const ofShell = { ...mine, SOMBUS_BASE_URL: url };
    expect(busAccount(options, 'producer', ofShell).baseUrl).toBe('https://bus.example/v1');
  },
);

test.each([
  { SOMBUS_CLIENT_ID: 'c234567' },
  { SOMBUS_CLIENT_SECRET: 'sbs_secret' },
  { ...mine, SOMBUS_CLIENT_SECRET: '' },
])('an incomplete client is refused, not replaced by the demo client: %j', env => {
  expect(() => account(env)).toThrow(/^Set both SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET/);
});

test('a connection that an option names needs its own secret', () => {
  const named = (env: Readonly<Record<string, string>>) =>
    busAccount(
      { data: '/nowhere', baseUrl: 'https://bus.example/v1', connection: 'c765432' },
      'producer',
      env,
    );
  expect(named(mine).client).toEqual({ id: 'c765432', secret: 'sbs_secret' });
  expect(() => named({})).toThrow(/^This machine does not have the secret of c765432/);
});

test.each([
  ['http://bus.example/v1', ' does not use https: the secret would travel in the clear.'],
  ['http://127.0.0.1.example/v1', ' does not use https: the secret would travel in the clear.'],
  ['ftp://localhost/v1', ' does not use https: the secret would travel in the clear.'],
  ['bus.example', '" is not a URL: it must begin with https:// (or http:// on this machine).'],
  [
    'localhost:8787/v1',
    '" is not a URL: it must begin with https:// (or http:// on this machine).',
  ],
])('no secret is sent to %s', (url, problem) => {
  expect(() => account(mine, url)).toThrow(`${url}${problem}`);
});

test.each(['http://localhost:8787/v1', 'http://127.0.0.1:8787/v1', 'http://[::1]:8787/v1'])(
  'on this machine, a secret may be sent to %s',
  url => expect(account(mine, url).baseUrl).toBe(url),
);

test('damaged demo credentials are refused with the name of their file', () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const demo = () => busAccount({ data: folder.path }, 'producer', {});
  expect(demo).toThrow(/^There is no local service in /);
  write('service.json', '{"base_url":"http://127.0.0.1:8787/v1"}');
  write('credentials.json', '{"workspace":');
  expect(demo).toThrow(/credentials\.json is damaged/);
  write('credentials.json', '{}');
  expect(demo).toThrow(/credentials\.json is damaged/);
  folder.remove();
});
