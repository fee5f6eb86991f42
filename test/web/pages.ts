import { bearer, post } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { describeLooks, type PagesToLookAt } from './looks.ts';
import { problemsOf, signOut, type Visitor, type WebStage } from './portal-in-browser.ts';

export const describePages = ({ bus, portal }: WebStage): void => {
  const accepted = storyContext();
  const refused = storyContext({ unknown: 1 });
  let owner: Visitor;
  let organisation: string;
  let authorization: string;

  const publish = (message: object) => post(`${bus.tenant}/messages`, authorization, message);

  beforeAll(async () => {
    authorization = await bearer(bus.base, bus.ready.producer);
    expect([(await publish(accepted)).status, (await publish(refused)).status]).toEqual([202, 400]);
    owner = await portal.signedIn();
    const house = await bus.registry.directory.find('workspace', bus.ready.workspace);
    organisation = house?.kind === 'workspace' ? house.organisation : '';
  });

  const activity = () => `/workspaces/${bus.ready.workspace}/activity`;
  const messageOf = ({ message_id: id }: { readonly message_id?: unknown }) =>
    `/workspaces/${bus.ready.workspace}/messages/${id}`;

  /** Every page, and what shows that it is loaded. */
  const pages: PagesToLookAt = {
    overview: () => ['/', 'h2:has-text("Producers")'],
    activity: () => [activity(), 'tbody th a'],
    'an accepted message': () => [messageOf(accepted), '.code .cm-line'],
    'a refused message': () => [messageOf(refused), '.findings'],
    organisation: () => [`/organisations/${organisation}`, 'text=New workspace'],
    operator: () => ['/operator', 'th:has-text("Demo")'],
    'an invitation': () => ['/join', 'text=Link of the invitation'],
    skills: () => ['/skills', 'td'],
    'one skill': () => ['/skills/flag-on-mismatch', 'text=instance_label'],
    'check skills': () => ['/skills/check', 'textarea'],
    'a sign-in that failed': () => ['/sign-in-failed', 'text=Start again'],
    'no page': () => ['/nothing', 'text=Page not found'],
  };

  describeLooks(() => owner, pages);

  test('the documentation is accessible by day and by night, but for the viewer of its APIs', async () => {
    const { page, context } = await portal.newcomer();
    for (const path of ['', '/nothing', '/runbook', '/checks', '/guides/', '/contract'])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(portal.url(`/docs${path}`));
        await page.waitForSelector('main, [role="main"]');
        expect([path, colorScheme, await problemsOf(page)]).toEqual([path, colorScheme, []]);
      }
    await context.close();
  });

  test('on a phone, a button opens the navigation, which marks the place that is open; in a wide window it is open again', async () => {
    const { page, open } = owner;
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [path, name] of [
      ['/skills', 'Skills'],
      ['/operator', 'Operator'],
      [activity(), 'Activity'],
    ] as const) {
      await open(path);
      await page.getByRole('button', { name: 'Open side navigation' }).click();
      await page.locator('nav a[aria-current="page"]').filter({ hasText: name }).waitFor();
      await page.getByRole('button', { name: 'Close side navigation' }).click();
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('nav').getByRole('link', { name: 'Skills' }).waitFor();
    await page.getByRole('button', { name: 'Open side navigation', expanded: true }).waitFor();
  });

  test.each([
    ['one line of 200,000 characters', 'x'.repeat(200_000)],
    ['12,000 links', 'https://a.example '.repeat(12_000)],
    ['35,000 characters that turn the direction', '\u202e\u2066'.repeat(17_500)],
  ])(
    'a message with %s shows in short lines, and is copied as it was sent',
    async (_what, headline) => {
      const { page, open } = owner;
      const sent = storyContext({ headline });
      expect((await publish(sent)).status).toBe(202);
      await open(messageOf(sent));
      await page.getByText('continues the line above').waitFor();
      await page.getByRole('button', { name: 'As sent' }).click();
      await page.waitForSelector('[aria-label="The message, exactly as it was sent"]');
      // What takes time is to lay out long lines, and elements: a browser hung on the third of
      // these messages.
      const lengths = await page
        .locator('.code .cm-line')
        .evaluateAll(lines => lines.map(line => line.textContent.length));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(130);
      expect(await page.locator('.code *').count()).toBeLessThan(4_000);
      await page.locator('.code .cm-content').focus();
      await page.keyboard.press('Control+a');
      await page.evaluate(
        `addEventListener('copy', event => { window.copied = event.clipboardData.getData('text/plain'); })`,
      );
      await page.evaluate(`document.execCommand('copy')`);
      expect((await page.evaluate<string>('window.copied')) === JSON.stringify(sent)).toBe(true);
    },
  );

  /** The link of a message in the list of what happened. */
  const shown = ({ message_id: id }: { readonly message_id?: unknown }) => `span[title="${id}"] a`;

  test('after a pause, what came meanwhile is read over as many pages as it needs, and the rest can be loaded', async () => {
    const { page, open } = owner;
    await open(activity());
    await page.waitForSelector('tbody th a');
    await page.getByRole('button', { name: 'Pause' }).click();
    const messages = Array.from({ length: 200 }, () => storyContext());
    for (const message of messages) expect((await publish(message)).status).toBe(202);
    await page.getByRole('button', { name: 'Resume' }).click();
    const more = page.getByRole('button', { name: 'Load what happened in between' });
    await more.waitFor();
    // On a slow machine, a read may be refused for its rate: then the button stays.
    while ((await more.count()) > 0) await more.click({ timeout: 1_000 }).catch(() => undefined);
    for (const message of [messages[0], messages[99]].filter(one => one !== undefined))
      await page.waitForSelector(shown(message));
  });

  test('filters are in the URL, and a colleague who opens it sees the same', async () => {
    const { page, open } = owner;
    await open(activity());
    await page.getByLabel('Filter the activity').fill('Event = Refused');
    await page.keyboard.press('Enter');
    await page.waitForFunction("location.search === '?kind=refused'");
    const colleague = await portal.signedIn('owner', `${activity()}?kind=refused`);
    await colleague.page.waitForSelector('tbody th');
    const rows = colleague.page.locator('tbody tr');
    expect(await rows.count()).toBe(await rows.filter({ hasText: 'Refused' }).count());
    await colleague.leave();
  });

  test('a message goes to one consumer again, and its life says so', async () => {
    const { page, open } = owner;
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(messageOf(accepted));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The replay has started.').first().waitFor();
    await page.getByText('Replayed').or(page.getByText('Not received yet')).first().waitFor();
  });

  test('a session that has ended keeps what was typed, and goes on after signing in again', async () => {
    const { page, open, context, leave } = await portal.signedIn('late');
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Night Desk');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Request organisation' }).click();
    await page.getByText('What you typed is still here').waitFor();
    const tab = await context.newPage();
    await tab.goto(portal.link('late', '/signed-in'));
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByText('What you typed is still here').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name of the organisation').inputValue()).toBe('Night Desk');
    await page.getByRole('button', { name: 'Request organisation' }).click();
    await page.getByText('Your request is with the operator').first().waitFor();
    await leave();
  });

  test('without network the page says so, and keeps what was typed', async () => {
    const { page, context, open, leave } = await portal.signedIn('far');
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Far Desk');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Request organisation' }).click();
    await page.getByText('The service cannot be reached').first().waitFor();
    expect(await page.getByLabel('Name of the organisation').inputValue()).toBe('Far Desk');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Request organisation' }).click();
    await page.getByText('Your request is with the operator').first().waitFor();
    await leave();
  });

  test('after too many requests the page says when to try again', async () => {
    const { page, open, leave } = await portal.signedIn('busy');
    await page.route('**/api/organisation/request', route =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '7' },
        contentType: 'application/json',
        body: JSON.stringify({ code: 'x', message: 'Too many requests in a short time.' }),
      }),
    );
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Busy Desk');
    await page.getByRole('button', { name: 'Request organisation' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Too many requests in a short time.' });
    await alert.filter({ hasText: 'try again in 7 s' }).waitFor();
    await leave();
  });

  test('a page that asked too often goes on by itself, and tells nobody that he belongs nowhere', async () => {
    const { page, open, leave } = await portal.signedIn();
    const refused = new Set<string>();
    await page.route('**/api/**', route => {
      const { pathname } = new URL(route.request().url());
      if (refused.has(pathname)) return route.continue();
      refused.add(pathname);
      const body = JSON.stringify({ code: 'session.busy', message: 'Too many requests.' });
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '1' },
        contentType: 'application/json',
        body,
      });
    });
    await open('/');
    await page.getByRole('heading', { level: 2, name: 'Consumers' }).waitFor();
    expect(await page.getByLabel('Name of the organisation').count()).toBe(0);
    expect([...refused].some(path => path.startsWith('/api/organisation/'))).toBe(true);
    await leave();
  });

  test('a search by keys says what each result is, and adds one entry to the history', async () => {
    const { page, open, leave } = await portal.signedIn();
    await open('/');
    const before = await page.evaluate<number>('history.length');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('demo-play');
    const found = page.getByRole('option').filter({ hasText: 'Connection' });
    await found.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction("location.pathname.includes('/connections/')");
    expect(await page.evaluate('history.length')).toBe(before + 1);
    await leave();
  });

  test('the shell is painted before any script or style has come, and gone with the first of the page', async () => {
    const { page, context } = await portal.newcomer();
    let release = () => {};
    const held = new Promise<void>(done => {
      release = done;
    });
    await page.route('**/assets/*', async route => {
      await held;
      await route.continue();
    });
    await page.goto(portal.link('owner', activity()), { waitUntil: 'commit' });
    await page.waitForSelector('#shell .title:has-text("Activity")');
    await page.waitForFunction(
      "performance.getEntriesByName('first-contentful-paint').length === 1",
    );
    const box = await page.locator('#shell nav').boundingBox();
    expect([box?.x, box?.width]).toEqual([0, 230]);
    release();
    await page.waitForSelector('tbody th a');
    expect(await page.locator('#shell').count()).toBe(0);
    await context.close();
  });

  test('whoever is not signed in is led to the sign-in, and back to the page', async () => {
    const { page, open, leave } = await portal.visitor();
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
    await page.goto(portal.link('owner', activity()));
    await page.waitForSelector('tbody th');
    expect(await page.evaluate('location.pathname')).toBe(activity());
    await signOut(page, 'owner');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
    await leave();
  });

  test('the scripts of the first page weigh at most 300 KB, and it makes few calls', async () => {
    const { page, context } = await portal.newcomer();
    const sizes: Promise<number>[] = [];
    // A slow machine asks again for what the page keeps up to date.
    const calls = new Set<string>();
    page.on('requestfinished', request => {
      if (request.resourceType() === 'script')
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
      if (request.resourceType() === 'fetch') calls.add(request.url());
    });
    await page.goto(portal.link('owner'));
    await page.getByRole('heading', { level: 2, name: 'Volume' }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(300 * 1_024);
    // The session, the organisation, the workspace, its connections, overview, volume and last run.
    expect([...calls].filter(url => !url.includes('/api/operator/')).length).toBeLessThanOrEqual(7);
    await context.close();
  });
};
