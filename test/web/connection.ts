import { addMember } from '../../lib/registry/members.ts';
import type { WebStage } from './portal-in-browser.ts';

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
    await page.getByText('The connection works again.').first().waitFor();
    expect(await page.getByLabel('Sends as').inputValue()).toBe('demo-ncs\nsecond');
    await leave();
  });

  test('and the others offer a viewer nothing that would be refused', async () => {
    const house = await bus.registry.directory.find('workspace', bus.ready.workspace);
    const organisation = house?.kind === 'workspace' ? house.organisation : '';
    const vera = { issuer: 'local', subject: 'vera', name: 'Vera', organisation, role: 'viewer' } as const;
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
