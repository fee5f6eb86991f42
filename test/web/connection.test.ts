import { addMember } from '../../lib/registry/members.ts';
import { browserLacks } from '../support/browser.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless } from '../support/where.ts';
import { portalInBrowser } from './portal-in-browser.ts';

// With its limits: what a connection used today is counted for them.
describeUnless(browserLacks(), 'the page of a connection in a real browser', () => {
  const bus = oneService();
  const portal = portalInBrowser(bus);

  const below = (path: string) => `/workspaces/${bus.ready.workspace}/${path}`;
  const producer = () => bus.ready.producer.client_id;
  const consumer = () => bus.ready.consumer.client_id;

  test('tells what it used of its allowance today', async () => {
    const authorization = await bearer(bus.base, bus.ready.producer);
    for (let count = 0; count < 3; count += 1)
      expect((await post(`${bus.tenant}/messages`, authorization, linkCommitted())).status).toBe(202);
    const { page, context, open } = await portal.signedIn();
    await open(below(`connections/${producer()}`));
    const used = page.getByText(/requests; .* are left/);
    await used.waitFor();
    const [, requests, left] =
      /([\d,]+) requests; ([\d,]+) are left/.exec((await used.textContent()) ?? '') ?? [];
    expect(Number(requests)).toBeGreaterThanOrEqual(3);
    expect(Number(left?.replaceAll(',', '')) + Number(requests)).toBe(1_000_000);
    await context.close();
  });

  test('keeps what was typed about permissions while somebody pauses and resumes it, and says each aloud', async () => {
    const { page, context, open } = await portal.signedIn();
    await open(below(`connections/${producer()}`));
    await page.getByLabel('Sends as').fill('demo-ncs\nsecond');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByText('The connection is paused.').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText('The connection works again.').first().waitFor();
    expect(await page.getByLabel('Sends as').inputValue()).toBe('demo-ncs\nsecond');
    await context.close();
  });

  test('and the others offer a viewer nothing that would be refused', async () => {
    const house = await bus.registry.directory.find('workspace', bus.ready.workspace);
    const organisation = house?.kind === 'workspace' ? house.organisation : '';
    const vera = { issuer: 'local', subject: 'vera', name: 'Vera', organisation, role: 'viewer' } as const;
    await addMember(bus.registry, vera);
    const { page, context, open } = await portal.signedIn('vera');
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
    await context.close();
  });
});
