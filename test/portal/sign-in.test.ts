import { operatorKeyIn } from '../../lib/local/roles.ts';
import { signInLink } from '../../lib/local/sign-in.ts';
import { serviceHere } from '../support/one-service.ts';
import { sombus } from '../support/service-process.ts';
import { Browser, portalOrigin } from './browser.ts';

const bus = serviceHere();

const here = () => portalOrigin(bus);
const session = () => `${here()}/api/sign/session`;

let links = 0;

/** A new link for a person. */
const link = (name = 'owner', now = Date.now()) => {
  links += 1;
  return signInLink(here(), operatorKeyIn(bus.data), { name, now: now - links });
};

const signedIn = async (name?: string) => {
  const browser = new Browser();
  const { response } = await browser.go(link(name));
  expect(response.status).toBe(200);
  return browser;
};

const post = (browser: Browser, path: string, headers: Record<string, string> = {}, body: object = {}) =>
  browser.request(`${here()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sombus-portal': '1', origin: here(), ...headers },
    body: JSON.stringify(body),
  });

describe('signing in', () => {
  test('with a one-time link opens the session of a person, and the key leaves the address', async () => {
    const browser = new Browser();
    const { urls } = await browser.go(link());
    expect(await (await browser.request(session())).json()).toEqual({
      person: { issuer: 'local', subject: 'owner', name: 'owner', email: 'owner@sombus.localhost' },
      organisations: [{ organisation_id: expect.stringMatching(/^o/), role: 'owner' }],
      is_operator: true,
    });
    expect(urls.map(url => new URL(url).pathname)).toEqual([
      '/api/sign/in',
      '/oauth2/authorize',
      '/api/sign/back',
      '/',
    ]);
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
      expect(await (await browser.request(session())).json()).toMatchObject({ person: { subject: name } });
    }
    expect((await sombus('portal', '--data', bus.data, '--as', 'A b')).code).toBe(2);
  });

  test('ends the session that the browser had, although its cookie does not come back from another site', async () => {
    const older = await signedIn();
    const asked = await older.request(link());
    // What the browser sends with the redirect of a provider elsewhere: the Lax cookie of the attempt, not the Strict one.
    const host = new URL(here()).host;
    const back = new Browser();
    for (const [name, value] of older.cookiesOf(host))
      if (name !== 'sombus-session') back.setCookie(host, name, value);
    const { response } = await back.go(asked.headers.get('location') ?? '');
    expect(response.status).toBe(200);
    expect((await back.request(session())).status).toBe(200);
    expect((await older.request(session())).status).toBe(401);
  });

  test('leads to the page that somebody wanted to see', async () => {
    const wanted = '/workspaces/w1/activity?kind=refused&type=a.b';
    const { urls } = await new Browser().go(`${link()}&to=${encodeURIComponent(wanted)}`);
    expect(urls.at(-1)).toBe(here() + wanted);
  });

  test.each(['https://example.org/', '//example.org', '/\\example.org', '/api/sign/out', '/a b', '/\n', ''])(
    'leads to no other address: %j becomes the first page',
    async wanted => {
      const { urls } = await new Browser().go(`${link()}&to=${encodeURIComponent(wanted)}`);
      expect(urls.at(-1)).toBe(`${here()}/`);
    },
  );

  test('a key works once; then the issuer asks for another', async () => {
    const used = link();
    await new Browser().go(used);
    const { urls, response } = await new Browser().go(used);
    expect([response.status, new URL(urls.at(-1) ?? '').pathname]).toEqual([403, '/oauth2/authorize']);
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
    const { urls } = await browser.go(link());
    expect(urls).toHaveLength(4);
    const again = new Browser();
    let response = await again.request(link());
    const cookies = [...response.headers.getSetCookie()];
    while (response.status === 303) {
      response = await again.request(response.headers.get('location') ?? '');
      cookies.push(...response.headers.getSetCookie());
      if (cookies.length === 3) break;
    }
    expect(cookies).toEqual([
      expect.stringMatching(/^sombus-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^sombus-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
      'sombus-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
  });

  test('a response for another browser is refused: the state is in neither cookie nor session', async () => {
    const victim = new Browser();
    const attacker = new Browser();
    const first = await attacker.request(link('mallory'));
    const second = await attacker.request(first.headers.get('location') ?? '');
    const { response } = await victim.go(second.headers.get('location') ?? '');
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'sign_in.failed' }]);
    await victim.request(link());
    const mixed = await victim.request(second.headers.get('location') ?? '');
    expect(mixed.status).toBe(400);
  });

  test('a browser whose sign-in failed gets a page that leads on', async () => {
    const response = await new Browser().request(`${here()}/api/sign/back?code=x&state=y`, {
      headers: { accept: 'text/html' },
    });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in-failed']);
  });

  test('a session id that was planted before is not used: signing in makes a new one', async () => {
    const browser = new Browser();
    const host = new URL(here()).host;
    browser.setCookie(host, 'sombus-session', 'A'.repeat(43));
    await browser.go(link());
    expect(browser.cookiesOf(host).get('sombus-session')).not.toBe('A'.repeat(43));
  });
});

describe('a session', () => {
  test('ends at once when its person signs out, also for who copied its id', async () => {
    const browser = await signedIn();
    const host = new URL(here()).host;
    const thief = new Browser();
    thief.setCookie(host, 'sombus-session', browser.cookiesOf(host).get('sombus-session') ?? '');
    expect((await thief.request(session())).status).toBe(200);
    const out = await post(browser, '/api/sign/out');
    const { continue_at } = (await out.json()) as { continue_at: string };
    expect([out.status, new URL(continue_at).pathname]).toEqual([200, '/logout']);
    expect((await thief.request(session())).status).toBe(401);
    expect((await browser.go(continue_at)).urls.at(1)).toBe(`${here()}/`);
  });

  test.each([
    ['another origin', { origin: 'http://127.0.0.1:5173' }],
    ['an origin that hides itself', { origin: 'null' }],
    ['a page of the same site on another port', { 'sec-fetch-site': 'same-site' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('changes nothing for %s', async (_who, headers) => {
    const browser = await signedIn();
    expect((await post(browser, '/api/sign/out', headers)).status).toBe(403);
    expect((await browser.request(session())).status).toBe(200);
  });

  test('needs the header that forms cannot send', async () => {
    const browser = await signedIn();
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: here() },
      body: '{}',
    };
    expect((await browser.request(`${here()}/api/sign/out`, init)).status).toBe(403);
  });

  test('is not read by a page of another site, nor over a host that is not ours', async () => {
    const browser = await signedIn();
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await browser.request(session(), { headers: { 'sec-fetch-site': site } })).status).toBe(403);
  });

  test('is needed: without a cookie, and with one of another form', async () => {
    expect((await new Browser().request(session())).status).toBe(401);
    const browser = new Browser();
    browser.setCookie(new URL(here()).host, 'sombus-session', 'x');
    expect(await (await browser.request(session())).json()).toMatchObject({ code: 'session.required' });
  });
});
