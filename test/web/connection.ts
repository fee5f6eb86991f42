import { addMember } from '../../lib/access/people/members.ts';
import { choose, type WebStage } from './portal-in-browser.ts';

export const describeConnection = ({ bus, portal }: WebStage): void => {
  const below = (path: string) => `/workspaces/${bus.ready.workspace}/${path}`;
  const producer = () => bus.ready.producer.client_id;
  const consumer = () => bus.ready.consumer.client_id;

  test('tells what it used of its allowance today', async () => {
    const { page, open, leave } = await portal.signedIn();
    await page.route('**/usage', route => route.fulfill({ json: { used_today: 12_345 } }));
    await open(below(`connections/${producer()}`));
    await page.getByText('12,345 requests, 987,655 left').waitFor();
    await leave();
  });

  test('keeps what was typed about permissions while somebody pauses and resumes it, and says each aloud', async () => {
    const { page, open, leave } = await portal.signedIn();
    await open(below(`connections/${producer()}`));
    await page.getByLabel('Sends as').fill('demo-ncs\nsecond');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByText('The connection was paused.').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText('The connection was resumed.').first().waitFor();
    expect(await page.getByLabel('Sends as').inputValue()).toBe('demo-ncs\nsecond');
    await leave();
  });

  test('is not created without what it needs, which is said at its field; another kind begins without the systems of the one before', async () => {
    const { page, open, leave } = await portal.signedIn();
    await open(below('connections/new'));
    const [main, app] = [page.getByRole('main'), page.getByLabel('App', { exact: true })];
    await page.getByLabel('Sends as (optional)').fill('demo-ncs');
    await main.getByRole('button', { name: 'Create connection' }).click();
    await main.getByText('This field is required.').waitFor();
    await main.getByText('Choose at least one.').waitFor();
    await app.and(page.locator(':focus')).waitFor();
    await app.fill('Rundown');
    await main.getByText('This field is required.').waitFor({ state: 'detached' });
    await choose(main, 'Kind', /^consumer/);
    expect(await page.getByLabel('From (optional)').inputValue()).toBe('');
    expect(await app.inputValue()).toBe('Rundown');
    await leave();
  });

  test('starts no replay of what was counted before a change of the form', async () => {
    const { page, open, leave } = await portal.signedIn();
    await open(below(`queues/${consumer()}`));
    const count = page.getByRole('button', { name: 'Count first' });
    let release = () => {};
    const typed = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/replays/count', async route => {
      await typed;
      await route.fulfill({ json: { messages: 3 } });
    });
    const [counted] = [page.waitForResponse('**/replays/count'), await count.click()];
    await page.getByLabel('Only this type').fill('link.*');
    release();
    await counted;
    await count.and(page.locator(':not([aria-disabled])')).waitFor();
    expect(await page.getByRole('button', { name: 'Start replay' }).count()).toBe(0);
    await page.unroute('**/replays/count');
    await count.click();
    await page.getByText(/It would send/).waitFor();
    await leave();
  });

  test('and the others offer a viewer nothing that would be refused', async () => {
    const house = await bus.registry.directory.find('workspace', bus.ready.workspace);
    const organisation = house?.kind === 'workspace' ? house.organisation : '';
    const vera = {
      issuer: 'local',
      subject: 'vera',
      name: 'Vera',
      organisation,
      role: 'viewer',
    } as const;
    await addMember(bus.registry, vera);
    const { page, open, leave } = await portal.signedIn('vera');
    const shown: readonly (readonly [path: string, ready: string])[] = [
      [below(`connections/${producer()}`), 'text=May send'],
      [below(`connections/${consumer()}`), 'text=Receives'],
      [below('connections'), 'tbody th a'],
      [below(`queues/${consumer()}`), 'h2:has-text("Replays")'],
      [below(`executors/${consumer()}`), 'text=It runs no instances yet'],
      [`/organisations/${organisation}`, 'text=Your role'],
    ];
    const changes =
      /^(Create|Save|Rotate|Revoke|Remove|Pause|Resume|Skip|Start|Count|Register|Invite|Secret|Bind)/;
    for (const [path, ready] of shown) {
      await open(path);
      await page.waitForSelector(ready);
      expect(await page.locator('main').getByRole('button', { name: changes }).count()).toBe(0);
      expect(await page.locator('main').getByRole('link', { name: changes }).count()).toBe(0);
    }
    await leave();
  });
};
