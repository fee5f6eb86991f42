import { operatorKeyIn } from '../../lib/local/roles.ts';
import { signInLink } from '../../lib/local/sign-in.ts';
import { serviceHere } from '../support/one-service.ts';
import { sombus } from '../support/service-process.ts';
import { Browser, portalOrigin } from './browser.ts';

const bus = serviceHere();

const here = () => portalOrigin(bus);
const host = () => new URL(here()).host;
const sessionCookie = 'sombus-session';

let links = 0;

/** A new link for a person. */
const link = (name = 'owner', now = Date.now()) => {
  links += 1;
  return signInLink(here(), operatorKeyIn(bus.data), { name, now: now - links });
};

const signedIn = async () => {
  const browser = new Browser();
  expect((await browser.go(link())).response.status).toBe(200);
  return browser;
};

const session = (browser: Browser) => browser.request(`${here()}/api/sign/session`);
const statusOf = async (browser: Browser) => (await session(browser)).status;

const ownHeaders = () => ({
  'content-type': 'application/json',
  'x-sombus-portal': '1',
  origin: here(),
});
const signOut = (browser: Browser) =>
  browser.request(`${here()}/api/sign/out`, { method: 'POST', headers: ownHeaders(), body: '{}' });

/** The first redirect of a response. */
const locationOf = ({ headers }: Response): string => headers.get('location') ?? '';

describe('signing in', () => {
  test('with a one-time link opens the session of a person, and the key leaves the address', async () => {
    const browser = new Browser();
    const { urls } = await browser.go(link());
    expect(await (await session(browser)).json()).toEqual({
      person: { issuer: 'local', subject: 'owner', name: 'owner', email: 'owner@sombus.localhost' },
      organisations: [{ organisation_id: expect.stringMatching(/^o/), role: 'owner' }],
      is_operator: true,
    });
    const paths = ['/api/sign/in', '/oauth2/authorize', '/api/sign/back', '/'];
    expect(urls.map(url => new URL(url).pathname)).toEqual(paths);
  });

  test('sombus portal prints such a link, for the owner or for another local person', async () => {
    for (const [options, name] of [
      [[], 'owner'],
      [['--as', 'maria'], 'maria'],
    ] as const) {
      const { stdout } = await sombus('portal', '--data', bus.data, ...options);
      expect(new URL(stdout.trim()).origin).toBe(here());
      const browser = new Browser();
      await browser.go(stdout.trim());
      expect(await (await session(browser)).json()).toMatchObject({ person: { subject: name } });
    }
    expect((await sombus('portal', '--data', bus.data, '--as', 'A b')).code).toBe(2);
  });

  test('ends the session that the browser had, although its cookie does not come back from another site', async () => {
    const older = await signedIn();
    const asked = await older.request(link());
    // What the browser sends with the redirect of a provider elsewhere: the Lax cookie of the
    // attempt, not the Strict one.
    const back = new Browser();
    for (const [name, value] of older.cookiesOf(host()))
      if (name !== sessionCookie) back.setCookie(host(), name, value);
    expect((await back.go(locationOf(asked))).response.status).toBe(200);
    expect([await statusOf(back), await statusOf(older)]).toEqual([200, 401]);
  });

  const wanted = '/workspaces/w1/activity?kind=refused&type=a.b';
  test.each([
    [wanted, wanted],
    ...[
      'https://example.org/',
      '//example.org',
      '/\\example.org',
      '/api/sign/out',
      '/a b',
      '/\n',
      '',
    ].map(elsewhere => [elsewhere, '/']),
  ])('that is for %j leads to %s: to a page of the portal only', async (to, page) => {
    const { urls } = await new Browser().go(`${link()}&to=${encodeURIComponent(to ?? '')}`);
    expect(urls.at(-1)).toBe(`${here()}${page}`);
  });

  test('a key works once; then the issuer asks for another', async () => {
    const used = link();
    await new Browser().go(used);
    const { urls, response } = await new Browser().go(used);
    expect([response.status, new URL(urls.at(-1) ?? '').pathname]).toEqual([
      403,
      '/oauth2/authorize',
    ]);
    expect(await response.text()).toContain('used before');
  });

  test('a key that is too old, and one that somebody made up, sign nobody in', async () => {
    const forged = new URL(link());
    forged.searchParams.set('key', `${forged.searchParams.get('key')?.slice(0, -3)}AAA`);
    for (const url of [link('owner', Date.now() - 600_001), forged.href])
      expect((await new Browser().go(url)).response.status).toBe(403);
  });

  test('both cookies of the last step are HttpOnly; the session is Strict', async () => {
    const browser = new Browser();
    let response = await browser.request(link());
    const cookies = response.headers.getSetCookie();
    while (cookies.length < 3) {
      response = await browser.request(locationOf(response));
      cookies.push(...response.headers.getSetCookie());
    }
    expect(cookies).toEqual([
      expect.stringMatching(
        /^sombus-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^sombus-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      ),
      'sombus-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
  });

  test('a response for another browser is refused: the state is in neither cookie nor session', async () => {
    const [victim, attacker] = [new Browser(), new Browser()];
    const first = await attacker.request(link('mallory'));
    const back = locationOf(await attacker.request(locationOf(first)));
    const { response } = await victim.go(back);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'sign_in.failed' },
    ]);
    await victim.request(link());
    expect((await victim.request(back)).status).toBe(400);
  });

  test('a browser whose sign-in failed gets a page that leads on', async () => {
    const response = await new Browser().request(`${here()}/api/sign/back?code=x&state=y`, {
      headers: { accept: 'text/html' },
    });
    expect([response.status, locationOf(response)]).toEqual([303, '/sign-in-failed']);
  });

  test('a session id that was planted before is not used: signing in makes a new one', async () => {
    const browser = new Browser();
    browser.setCookie(host(), sessionCookie, 'A'.repeat(43));
    await browser.go(link());
    expect(browser.cookiesOf(host()).get(sessionCookie)).not.toBe('A'.repeat(43));
  });
});

describe('a session', () => {
  test('ends at once when its person signs out, also for who copied its id', async () => {
    const [browser, thief] = [await signedIn(), new Browser()];
    thief.setCookie(host(), sessionCookie, browser.cookiesOf(host()).get(sessionCookie) ?? '');
    expect(await statusOf(thief)).toBe(200);
    const out = await signOut(browser);
    const { continue_at } = (await out.json()) as { continue_at: string };
    expect([out.status, new URL(continue_at).pathname]).toEqual([200, '/logout']);
    expect(await statusOf(thief)).toBe(401);
    expect((await browser.go(continue_at)).urls.at(1)).toBe(`${here()}/`);
  });

  test('is needed: without a cookie, and with one of another form', async () => {
    expect(await statusOf(new Browser())).toBe(401);
    const browser = new Browser();
    browser.setCookie(host(), sessionCookie, 'x');
    expect(await (await session(browser)).json()).toMatchObject({ code: 'session.required' });
  });
});
