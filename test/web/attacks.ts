import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { exampleOf } from '../../web/validate/examples.ts';
import { openBrowser } from '../support/browser.ts';
import { bearer, post } from '../support/http-client.ts';
import { signOut, type Visitor, type WebStage } from './portal-in-browser.ts';

const session = 'sombus-session';
const hostile = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';

/** Members that a message must have as they are, so that it is looked at any further. */
const fixed = new Set(['som_version', 'message_id', 'correlation_id', 'message_type', 'timestamp']);

/** The same value with markup in every text, but for the fixed members. */
const infected = (value: unknown, name = ''): unknown => {
  if (typeof value === 'string') return fixed.has(name) || name === 'system_id' ? value : hostile;
  if (Array.isArray(value)) return value.map(one => infected(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, infected(member, key)]),
  );
};

export const describeAttacks = ({ bus, portal }: WebStage): void => {
  const sessionOf = async ({ context }: Visitor) =>
    (await context.cookies()).find(({ name }) => name === session);

  /** The status of a call that the portal's own pages make. */
  const statusOf = ({ page }: Visitor): Promise<number> =>
    page.evaluate<number>("fetch('/api/sign/session').then(({ status }) => status)");

  /** A page of somebody else's, in the browser of somebody who is signed in. */
  const elsewhere = async ({ context }: Visitor, html: string) => {
    const page = await context.newPage();
    await page.route('http://attacker.test/**', route =>
      route.fulfill({ contentType: 'text/html', body: html }),
    );
    await page.goto('http://attacker.test/');
    return page;
  };

  test('a name that was bound to this machine gets no page', async () => {
    const browser = await openBrowser('rebound.test');
    const page = await browser.newPage();
    const url = new URL('/', bus.ready.portal_url);
    url.hostname = 'rebound.test';
    expect((await page.goto(url.href))?.status()).toBe(403);
    expect(await page.locator('main').count()).toBe(0);
    await browser.close();
  });

  test("another site's forms and scripts change nothing, and read nothing", async () => {
    const visitor = await portal.signedIn();
    const out = portal.url('/api/sign/out');
    const form = `<form method="post" enctype="text/plain" action="${out}"><input name='{"a":"' value='"}'></form>
      <script>document.forms[0].submit()</script>`;
    const posted = await elsewhere(visitor, form);
    await posted.waitForURL(out);
    expect(await posted.locator('body').textContent()).toMatch(/request\.(blocked|foreign)/);
    const reading = await elsewhere(visitor, '<p>quiet</p>');
    const tried = await reading.evaluate<string>(
      `fetch(${JSON.stringify(portal.url('/api/sign/session'))}, { credentials: 'include' })
        .then(answer => answer.text(), () => 'nothing')`,
    );
    expect(tried).toBe('nothing');
    const blind = `fetch(${JSON.stringify(out)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then(() => 'sent', () => 'not sent')`;
    await reading.evaluate(blind);
    expect(await statusOf(visitor)).toBe(200);
    await visitor.leave();
  });

  test('a server of another user on this machine gets no session, at whatever host that it can guess', async () => {
    const cookies: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      cookies.push(headers.cookie);
      response.setHeader('content-type', 'text/html').end('<p>quiet</p>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const listening = server.address();
    const visitor = await portal.signedIn();
    const page = await visitor.context.newPage();
    for (const host of ['127.0.0.1', 'localhost', 'sombus.localhost']) {
      await page.goto(
        `http://${host}:${typeof listening === 'object' && listening ? listening.port : 0}/`,
      );
      await page.evaluate("fetch('/again', { credentials: 'include' })");
    }
    expect(cookies.length).toBeGreaterThanOrEqual(6);
    expect(new Set(cookies)).toEqual(new Set([undefined]));
    await visitor.leave();
    server.close();
  });

  test('nobody is signed in at a host that others can guess', async () => {
    const visitor = await portal.visitor();
    for (const host of ['127.0.0.1', 'localhost']) {
      const link = new URL(portal.link('owner'));
      link.hostname = host;
      await visitor.page.goto(link.href);
      expect(await visitor.page.getByRole('alert').textContent()).toContain('sombus portal');
    }
    expect((await visitor.context.cookies()).filter(({ name }) => name === session)).toEqual([]);
    await visitor.leave();
  });

  test('no page is shown in a frame', async () => {
    const visitor = await portal.signedIn();
    const page = await elsewhere(visitor, `<iframe src="${portal.url('/')}"></iframe>`);
    await page.locator('iframe').waitFor();
    await page.waitForFunction('document.readyState === "complete"');
    expect(await page.frameLocator('iframe').locator('main').count()).toBe(0);
    await visitor.leave();
  });

  test('a session that somebody planted before the sign-in is not the one after it', async () => {
    const visitor = await portal.visitor();
    const planted = 'A'.repeat(43);
    const url = portal.url('/');
    await visitor.context.addCookies([{ name: session, value: planted, url }]);
    await visitor.page.goto(portal.link('owner'));
    await visitor.page.getByRole('heading', { level: 1 }).waitFor();
    const cookie = await sessionOf(visitor);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(cookie?.value).not.toBe(planted);
    const attacker = await portal.visitor();
    await attacker.context.addCookies([{ name: session, value: planted, url }]);
    await attacker.open('/');
    expect(await statusOf(attacker)).toBe(401);
    await Promise.all([visitor.leave(), attacker.leave()]);
  });

  test('a stolen session ends with the sign-out, and no script could have stolen it', async () => {
    const visitor = await portal.signedIn();
    expect(await visitor.page.evaluate<string>('document.cookie')).not.toContain(session);
    const cookie = await sessionOf(visitor);
    const thief = await portal.visitor();
    const stolen = { name: session, value: cookie?.value ?? '', url: portal.url('/') };
    await thief.context.addCookies([stolen]);
    await thief.open('/');
    expect(await statusOf(thief)).toBe(200);
    await signOut(visitor.page, 'owner');
    expect(await statusOf(thief)).toBe(401);
    await Promise.all([visitor.leave(), thief.leave()]);
  });

  test('markup in every member of every message type stays text on every page that tells of it', async () => {
    const visitor = await portal.signedIn();
    const { page, open } = visitor;
    const authorization = await bearer(bus.base, bus.ready.producer);
    const below = (path: string) => `/workspaces/${bus.ready.workspace}/${path}`;
    const isHarmless = async (): Promise<void> => {
      expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
      expect(await page.evaluate('window.broken')).toBeUndefined();
    };
    const correlation = randomUUID();
    const families = new Set<string>();
    for (const type of messageTypes) {
      const example = exampleOf(type, { now: '2026-05-04T09:00:00Z' });
      const names = { message_id: randomUUID(), correlation_id: correlation };
      const message = { ...(infected(example) as object), ...names };
      const { status } = await post(`${bus.tenant}/messages`, authorization, message);
      expect([202, 400]).toContain(status);
      // One page shows all types: it is looked at for one of each family.
      const [family = ''] = type.split('.');
      if (families.has(family)) continue;
      families.add(family);
      await open(below(`messages/${names.message_id}`));
      await page
        .locator(status === 202 ? '.code .cm-line' : '.findings')
        .first()
        .waitFor();
      await isHarmless();
    }
    await open(below('activity'));
    await page.locator('tbody th').first().waitFor();
    await isHarmless();
    await open(below(`story?correlation=${correlation}`));
    await page
      .getByRole('columnheader', { name: 'Delivered to' })
      .or(page.getByRole('alert'))
      .first()
      .waitFor();
    await isHarmless();
    await visitor.leave();
  });
};
