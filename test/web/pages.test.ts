import { randomUUID } from 'node:crypto';
import { browserLacks } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless } from '../support/where.ts';
import { describeLooks, type PagesToLookAt } from './looks.ts';
import { portalInBrowser, signOut, type Visitor } from './portal-in-browser.ts';

const hostile = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>\u202e';

describeUnless(browserLacks(), 'the portal in a real browser', () => {
  const bus = oneService('--no-limits');
  const portal = portalInBrowser(bus);
  const accepted = storyContext({ headline: hostile });
  const refused = { ...storyContext({ [hostile]: 1 }), message_id: randomUUID() };
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
    home: () => ['/', 'text=See what happens'],
    activity: () => [activity(), '.line'],
    'an accepted message': () => [messageOf(accepted), '.code .cm-line'],
    'a refused message': () => [messageOf(refused), '.violations'],
    organisation: () => [`/organisations/${organisation}`, 'th:has-text("owner")'],
    operator: () => ['/operator', 'th:has-text("Demo")'],
    'an invitation': () => ['/join', 'text=Accept the invitation'],
    skills: () => ['/skills', 'td'],
    'one skill': () => ['/skills/flag-on-mismatch', 'form'],
    'check skills': () => ['/skills/check', 'textarea'],
    'a sign-in that failed': () => ['/sign-in-failed', 'text=Start again'],
    'no page': () => ['/nothing', 'text=There is no such page'],
  };

  describeLooks(() => owner, pages);

  test('on a phone, a button opens the navigation, which marks the place that is open', async () => {
    const { page, open } = owner;
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [path, name] of [
      ['/skills', 'Skills'],
      ['/operator', 'Operator'],
      [activity(), 'Activity'],
    ] as const) {
      await open(path);
      await page.getByRole('button', { name: 'Open side navigation' }).click();
      await page.locator('nav [aria-current="page"]').filter({ hasText: name }).waitFor();
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('what a message says is text, never markup', async () => {
    const { page, open } = owner;
    for (const [one, ready] of [
      [accepted, '.cm-content'],
      [refused, '.violations'],
    ] as const) {
      await open(messageOf(one));
      await page.waitForSelector(ready);
      expect(await page.locator(ready).textContent()).toContain('onerror');
      expect(await page.locator('main img[src], main script').count()).toBe(0);
      expect(await page.evaluate('window.broken')).toBeUndefined();
    }
  });

  test.each([
    ['one line of 200,000 characters', 'x'.repeat(200_000)],
    ['12,000 links', 'https://a.example '.repeat(12_000)],
    ['35,000 characters that turn the direction', '\u202e\u2066'.repeat(17_500)],
    ['escapes', '\\"\u0001'.repeat(20_000)],
  ])('a message with %s shows in short lines, and is copied as it was sent', async (_what, headline) => {
    const { page, open } = owner;
    const sent = storyContext({ headline });
    expect((await publish(sent)).status).toBe(202);
    await open(messageOf(sent));
    await page.getByText('goes on with the line above').waitFor();
    await page.getByLabel('exactly as sent').check();
    await page.waitForSelector('[aria-label="The message, exactly as it was sent"]');
    // What takes time is to lay out long lines, and elements: a browser hung on the third of these messages.
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
  });

  test('a published message shows by itself; a pause holds the next one back', async () => {
    const { page, open } = owner;
    await open(activity());
    await page.waitForSelector('.line');
    const first = storyContext();
    await publish(first);
    await page.waitForSelector(`a[title="${first['message_id']}"]`);
    await page.getByRole('button', { name: 'Pause' }).click();
    const second = storyContext();
    await publish(second);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForSelector(`a[title="${second['message_id']}"]`);
  });

  test('after a pause, what came meanwhile is read over as many pages as it needs, and the rest can be loaded', async () => {
    const { page, open } = owner;
    await open(activity());
    await page.waitForSelector('.line');
    await page.getByRole('button', { name: 'Pause' }).click();
    const messages = Array.from({ length: 200 }, () => storyContext());
    for (const message of messages) expect((await publish(message)).status).toBe(202);
    await page.getByRole('button', { name: 'Go on' }).click();
    const more = page.getByRole('button', { name: 'More happened here: load it' });
    await more.waitFor();
    // On a slow machine, a read may be refused for its rate: then the button stays.
    while ((await more.count()) > 0) await more.click({ timeout: 1_000 }).catch(() => undefined);
    for (const { message_id: id } of [messages[0], messages[99]].filter(one => one !== undefined))
      await page.waitForSelector(`a[title="${id}"]`);
  });

  test('filters are in the address, and a colleague who opens it sees the same', async () => {
    const { page, open } = owner;
    await open(activity());
    await page.getByLabel('What').selectOption('refused');
    await page.waitForSelector('.line:has-text("Refused")');
    expect(await page.evaluate('location.search')).toBe('?kind=refused');
    const colleague = await portal.signedIn('owner', `${activity()}?kind=refused`);
    await colleague.page.waitForSelector('.line');
    expect(await colleague.page.locator('.line').count()).toBe(
      await colleague.page.locator('.line .wrong').count(),
    );
    await colleague.context.close();
  });

  test('a message goes to one consumer again, and its life says so', async () => {
    const { page, open } = owner;
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(messageOf(accepted));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The replay has started.').first().waitFor();
    await page.getByText('Replayed at').or(page.getByText('Not received yet')).first().waitFor();
  });

  test('a session that has ended keeps what was typed, and goes on after signing in again', async () => {
    const { page, open, context } = await portal.signedIn('late');
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Night Desk');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await page.getByText('What you typed is still here').waitFor();
    const tab = await context.newPage();
    await tab.goto(portal.link('late', '/signed-in'));
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByText('What you typed is still here').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name of the organisation').inputValue()).toBe('Night Desk');
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await page.getByText('Your request is with the operator').first().waitFor();
    await context.close();
  });

  test('without network the page says so, and keeps what was typed', async () => {
    const { page, context, open } = await portal.signedIn('far');
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Far Desk');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await page.getByText('The service cannot be reached').first().waitFor();
    expect(await page.getByLabel('Name of the organisation').inputValue()).toBe('Far Desk');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await page.getByText('Your request is with the operator').first().waitFor();
    await context.close();
  });

  test.each([
    [429, 'Too many requests in a short time.', 'try again in 7 s'],
    [503, 'Something behind the portal failed.', 'try again in 7 s'],
  ])('after a %i the page says when to try again', async (status, message, words) => {
    const { page, context, open } = await portal.signedIn('busy');
    await page.route('**/api/organisation/request', route =>
      route.fulfill({
        status,
        headers: { 'retry-after': '7' },
        contentType: 'application/json',
        body: JSON.stringify({ code: 'x', message }),
      }),
    );
    await open('/');
    await page.getByLabel('Name of the organisation').fill('Busy Desk');
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain(message);
    await context.close();
  });

  test('a page that asked too often goes on by itself, and tells nobody that he belongs nowhere', async () => {
    const { page, context, open } = await portal.signedIn();
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
    await page.getByText('See what happens').first().waitFor();
    await page.getByRole('heading', { name: 'Where is my message?' }).waitFor();
    expect(await page.getByLabel('Name of the organisation').count()).toBe(0);
    expect([...refused].some(path => path.startsWith('/api/organisation/'))).toBe(true);
    await context.close();
  });

  test('the operator approves a request; its owner invites somebody, whose role changes', async () => {
    const asker = await portal.signedIn('anna');
    await asker.page.getByLabel('Name of the organisation').fill('Day Desk');
    await asker.page.getByRole('button', { name: 'Ask for it' }).click();
    await asker.page.getByText('You asked for Day Desk').first().waitFor();
    await asker.page.reload();
    await asker.page.getByText('You asked for Day Desk').first().waitFor();

    await owner.page.setViewportSize({ width: 1440, height: 900 });
    await owner.open('/operator');
    const request = owner.page.locator('.cards > li').filter({ hasText: 'Day Desk' });
    await request.getByLabel('Tier').selectOption('minimal');
    await request.getByRole('button', { name: 'Approve' }).click();
    await owner.page.locator('tr').filter({ hasText: 'Day Desk' }).getByText('Active').first().waitFor();

    await asker.open('/');
    await asker.page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await asker.page.getByRole('heading', { name: 'Day Desk' }).waitFor();
    await asker.page.getByText('Make a workspace').click();
    await asker.page.getByLabel('Name', { exact: true }).fill('Day Studio');
    await asker.page.getByRole('button', { name: 'Make it' }).click();
    await asker.page.getByRole('link', { name: 'Day Studio' }).waitFor();
    await asker.page.getByText('Invite a person').click();
    await asker.page.getByRole('button', { name: 'Make a link' }).click();
    const link = String(await asker.page.locator('.copyable pre').textContent());

    const guest = await portal.signedIn('bela');
    await guest.page.goto(link);
    await guest.page.getByRole('button', { name: 'Accept the invitation' }).waitFor();
    expect(await guest.page.evaluate('location.hash')).toBe('');
    await guest.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.page.getByRole('heading', { name: 'Day Desk' }).waitFor();

    await asker.page.reload();
    const row = asker.page.locator('tr').filter({ hasText: 'bela' });
    await row.getByLabel('Role of bela').selectOption('viewer');
    // A choice is no change yet: the keyboard passes through every entry.
    const colleague = await portal.signedIn('anna');
    await colleague.open(new URL(asker.page.url()).pathname);
    await colleague.page.getByLabel('Role of bela').selectOption('owner');
    await row.getByRole('button', { name: 'Give this role' }).click();
    await row.getByRole('button', { name: 'Give this role' }).waitFor({ state: 'detached' });
    await colleague.page.getByRole('button', { name: 'Give this role' }).click();
    await colleague.page.getByText('Somebody else changed this member').first().waitFor();
    await colleague.page.getByRole('button', { name: 'Give this role' }).waitFor({ state: 'detached' });
    expect(await colleague.page.getByLabel('Role of bela').inputValue()).toBe('viewer');
    await asker.page.reload();
    await asker.page.getByText('member.role').first().waitFor();

    await asker.page.getByText('Invite a person').click();
    await asker.page.getByRole('button', { name: 'Make a link' }).click();
    const second = String(await asker.page.locator('.copyable pre').textContent());
    await asker.page.getByRole('button', { name: 'Withdraw' }).click();
    await asker.page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await asker.page.getByText('No invitation is open.').first().waitFor();
    const late = await portal.signedIn('cleo');
    await late.page.goto(second);
    await late.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await late.page.getByText('was withdrawn').first().waitFor();
    await Promise.all([colleague.context.close(), late.context.close()]);
    await Promise.all([asker.context.close(), guest.context.close()]);
  });

  test('an owner invites a vendor, who finds the workspace, until its place ends', async () => {
    const { page, open } = owner;
    await open(`/organisations/${organisation}`);
    await page.getByText('Invite a vendor').click();
    await page.getByLabel('Message types that it may publish').fill('link.*');
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = String(await page.locator('.copyable pre').textContent());

    const vendor = await portal.signedIn('vera');
    await vendor.page.goto(link);
    await vendor.page.getByLabel('Name of a new vendor').fill('Prompter Ltd');
    await vendor.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await vendor.page.getByRole('heading', { name: 'Activity' }).waitFor();
    expect(await vendor.page.evaluate('location.pathname')).toBe(activity());
    await vendor.open('/');
    await vendor.page.getByText('You are invited here').first().waitFor();

    await open(`/organisations/${organisation}`);
    const line = page.locator('.vendors li').filter({ hasText: 'Prompter Ltd' });
    await line.getByText('It may connect producers; publish link.*').first().waitFor();
    await line.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await line.waitFor({ state: 'detached' });
    await vendor.open(activity());
    await vendor.page.getByText('This does not exist, or not for you.').first().waitFor();
    await vendor.context.close();
  });

  test('whoever is not signed in is led to the sign-in, and back to the page', async () => {
    const { page, context, open } = await portal.visitor();
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
    await page.goto(portal.link('owner', activity()));
    await page.waitForSelector('.line');
    expect(await page.evaluate('location.pathname')).toBe(activity());
    await signOut(page, 'owner');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
    await context.close();
  });

  test('the first page weighs at most 330 KB', async () => {
    const { page, context } = await portal.visitor();
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', request => {
      if (['script', 'stylesheet'].includes(request.resourceType()))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(portal.link('owner'));
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(330 * 1_024);
    await context.close();
  });
});
