import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  type ServiceProcess,
  startServiceWith,
  temporaryFolder,
} from '../support/service-process.ts';
import { Browser } from './browser.ts';

const folder = temporaryFolder();
let provider: ChildProcess;
let issuer: string;
let service: ServiceProcess;

beforeAll(async () => {
  provider = spawn(process.execPath, ['test/portal/certified-provider.mjs'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(provider.stdout ?? provider, 'data');
  issuer = String(line).trim();
  service = await startServiceWith(
    {
      SOMBUS_OIDC_ISSUER: issuer,
      SOMBUS_OIDC_CLIENT_ID: 'portal',
      SOMBUS_OIDC_CLIENT_SECRET: 'secret-of-the-portal',
    },
    folder.path,
  );
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  provider.kill();
  folder.remove();
});

/** Who is signed in after that. */
const signIn = async (browser: Browser, name: string): Promise<unknown> => {
  await browser.go(`${service.ready.portal_url}/api/sign/in?key=${name}`);
  return (await browser.request(`${service.ready.portal_url}/api/sign/session`)).json();
};

test('a certified provider signs people in to the portal: code, PKCE, nonce and signature hold', async () => {
  expect(await signIn(new Browser(), 'anna')).toEqual({
    person: { issuer, subject: 'anna', name: 'Person anna', email: 'anna@example.org' },
    organisations: [],
    is_operator: false,
  });
});

test('an email address that the provider has not verified is not taken over', async () => {
  expect(await signIn(new Browser(), 'unverified')).toEqual({
    person: { issuer, subject: 'unverified', name: 'Person unverified' },
    organisations: [],
    is_operator: false,
  });
});

test('people without a name are called by their address, and without that by their user name', async () => {
  expect(await signIn(new Browser(), 'nameless')).toMatchObject({
    person: { name: 'nameless@example.org', email: 'nameless@example.org' },
  });
  expect(await signIn(new Browser(), 'nameless-unverified')).toMatchObject({
    person: { name: 'user-of-nameless-unverified' },
  });
});

test('a code that another attempt got is refused', async () => {
  const [one, other] = [new Browser(), new Browser()];
  const backOf = async (browser: Browser) => {
    const urls = [`${service.ready.portal_url}/api/sign/in?key=eve`];
    for (;;) {
      const url = urls.at(-1) ?? '';
      if (url.includes('/api/sign/back')) return new URL(url);
      const response = await browser.request(url);
      urls.push(new URL(response.headers.get('location') ?? '', url).href);
    }
  };
  const [mine, theirs] = [await backOf(one), await backOf(other)];
  mine.searchParams.set('code', theirs.searchParams.get('code') ?? '');
  const response = await one.request(mine.href);
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'sign_in.failed' }]);
});
