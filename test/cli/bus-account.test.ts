import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressFault, busAccount } from '../../lib/cli/account.ts';
import { temporaryFolder } from '../support/service-process.ts';

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

test.each(['bus.example', 'localhost:8787/v1', '127.0.0.1:8787/v1', 'bus.example:443/v1'])(
  'what is no address is refused, with how one begins: %s',
  url => {
    expect(() => account(mine, url)).toThrow(
      `${url} is no address: it begins with https:// (or http:// for this machine).`,
    );
  },
);

test('an address that is empty, or does not end in /v1, is told', () => {
  expect(addressFault('')).toMatch(/^An empty text is no address/);
  expect(() => account(mine, 'https://bus.example')).toThrow(
    'https://bus.example does not end in /v1, as the address of a bus does.',
  );
});

test('demo credentials that cannot be read are refused with a sentence that names their file', () => {
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
