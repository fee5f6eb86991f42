import { suspendOrganisation } from '../../lib/access/people/approval.ts';
import { inviteMember } from '../../lib/access/people/invitations.ts';
import { addMember } from '../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../lib/access/people/organisations.ts';
import { settled } from '../support/running-registry.ts';
import { choose, type Visitor, type WebStage } from './portal-in-browser.ts';

export const describeOrganisation = ({ bus, portal }: WebStage): void => {
  /** A house with an owner of its own. */
  const houseOf = async (person: string, name: string): Promise<string> => {
    const { id } = await createOrganisation(bus.registry, { name, tier: 'standard' });
    await addMember(bus.registry, {
      issuer: 'local',
      subject: person,
      name: person,
      organisation: id,
      role: 'owner',
    });
    return id;
  };

  test('the operator gives an allowance in numbers, within what anybody gets, and takes it back', async () => {
    await houseOf('nora', 'North TV');
    const { page, open, leave } = await portal.signedIn();
    await open('/operator');
    const row = page.locator('tr').filter({ hasText: 'North TV' });
    await row.getByText('standard').first().waitFor();
    const dialog = page.getByRole('dialog');
    const change = dialog.getByRole('button', { name: 'Change allowance' });
    await row.getByRole('button', { name: 'Allowance' }).click();
    await choose(dialog, 'Tier', /^custom/);
    await dialog.getByLabel('Requests a second').fill('201');
    await change.click();
    await dialog.getByText('A whole number from 1 to 200.').waitFor();
    await dialog.getByLabel('Requests a second').fill('150');
    await dialog.getByLabel('In a burst').fill('300');
    await dialog.getByLabel('A day').fill('2000000');
    await change.click();
    await row.getByText('150/s, 2,000,000 a day').waitFor();
    await page.reload();
    await row.getByText('150/s, 2,000,000 a day').waitFor();
    await row.getByRole('button', { name: 'Allowance' }).click();
    await choose(dialog, 'Tier', /^minimal/);
    await change.click();
    await row.getByText('minimal').waitFor();
    await leave();
  });

  test('invitations say for whom they are, also to whom withdraws one', async () => {
    const o = await houseOf('wilma', 'West TV');
    const { page, open, leave } = await portal.signedIn('wilma');
    await open(`/organisations/${o}`);
    await page.getByRole('tab', { name: 'Invitations' }).click();
    for (const email of ['ada@west.example', 'bob@west.example']) {
      await page.getByLabel('Only for this e-mail address').fill(email);
      await page.getByRole('button', { name: 'Create invitation' }).click();
      await page.getByRole('cell', { name: email, exact: true }).waitFor();
    }
    await page
      .getByRole('button', { name: 'Withdraw the invitation for ada@west.example (West TV;' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText('The link for ada@west.example (West TV; Member: editor) stops working')
      .waitFor();
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await page
      .getByRole('cell', { name: 'ada@west.example', exact: true })
      .waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'bob@west.example', exact: true }).waitFor();
    await leave();
  });

  test('somebody joins by an invitation; of two who then change his role the second is told', async () => {
    const o = await houseOf('anna', 'Day TV');
    const invitation = settled(
      await inviteMember(bus.registry, { organisation: o, role: 'editor' }),
    );
    const guest = await portal.signedIn('bela');
    await guest.page.goto(portal.url(`/join#${invitation}`));
    await guest.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.page.getByRole('heading', { level: 1, name: 'Day TV' }).waitFor();
    const members = async ({ page, open }: Visitor) => {
      await open(`/organisations/${o}`);
      await page.reload();
      await page.getByRole('tab', { name: 'Members' }).click();
      await page.getByLabel('Role of bela').waitFor();
    };
    const [first, second] = [await portal.signedIn('anna'), await portal.signedIn('anna')];
    await Promise.all([first, second].map(members));
    await choose(first.page, 'Role of bela', /^viewer/);
    // A choice is no change yet: the keyboard passes through every entry.
    await choose(second.page, 'Role of bela', /^owner/);
    await first.page.getByRole('button', { name: 'Save role' }).click();
    await first.page.getByText('bela is now viewer.').waitFor();
    await second.page.getByRole('button', { name: 'Save role' }).click();
    await second.page.getByText('Somebody else changed this member').first().waitFor();
    await members(second);
    expect(await second.page.getByLabel('Role of bela').textContent()).toContain('viewer');
    await Promise.all([guest, first, second].map(one => one.leave()));
  });

  test('every page of a suspended organisation says so; another’s page says only that it is not to be seen', async () => {
    const o = await houseOf('sam', 'South TV');
    const studio = settled(
      await createWorkspace(bus.registry, { name: 'Studio', organisation: o }),
    );
    await suspendOrganisation(bus.registry, o);
    const { page, open, leave } = await portal.signedIn('sam');
    await page.getByText('South TV is suspended: its connections are refused').first().waitFor();
    await page.getByText('All are refused').waitFor();
    await open(`/workspaces/${studio.id}/activity`);
    await page.getByText('South TV is suspended').first().waitFor();
    await open(`/workspaces/${bus.ready.workspace}/activity`);
    await page.getByText('This does not exist, or you have no access to it.').waitFor();
    await page.getByRole('link', { name: 'Go to the overview' }).first().waitFor();
    expect(await page.getByText('Nothing has happened yet').count()).toBe(0);
    await leave();
  });

  test('the link of a second invitation, opened in the same tab, shows that one', async () => {
    const o = await houseOf('ida', 'Isle TV');
    const { page, leave } = await portal.signedIn('guest');
    for (const [role, words] of [
      ['viewer', 'a viewer'],
      ['editor', 'an editor'],
    ] as const) {
      const invitation = settled(await inviteMember(bus.registry, { organisation: o, role }));
      await page.goto(portal.url(`/join#${invitation}`));
      await page.getByText(`Isle TV invites you to join as ${words}`).waitFor();
      expect(await page.evaluate('location.hash')).toBe('');
    }
    await leave();
  });

  test('an owner closes an organisation by typing its name; it is still seen, and nothing of it can be changed', async () => {
    const o = await houseOf('carl', 'Coast TV');
    await createWorkspace(bus.registry, { name: 'Studio', organisation: o });
    const { page, open, leave } = await portal.signedIn('carl');
    await open(`/organisations/${o}`);
    await page.getByRole('link', { name: 'Studio' }).first().waitFor();
    await page.getByRole('tab', { name: 'Close organisation' }).click();
    await page.getByLabel('Type its name: Coast TV').fill('Coast');
    await page.getByRole('button', { name: 'Close organisation' }).click();
    await page.getByText('type its name exactly as it is').waitFor();
    await page.getByText('Active', { exact: true }).first().waitFor();
    await page.getByLabel('Type its name: Coast TV').fill('Coast TV');
    await page.getByRole('button', { name: 'Close organisation' }).click();
    await page.getByText('Closed', { exact: true }).waitFor();
    expect(await page.getByRole('tab', { name: 'Close organisation' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Workspaces' }).click();
    expect(await page.getByText('New workspace').count()).toBe(0);
    await page.getByRole('tab', { name: 'Invitations' }).click();
    expect(await page.getByText('Invite a person').count()).toBe(0);
    await page.reload();
    await page.getByRole('tab', { name: 'Record of changes' }).click();
    await page.getByText('closed the organisation').first().waitFor();
    expect(await bus.registry.directory.find('organisation', o)).toMatchObject({
      status: 'revoked',
    });
    await leave();
  });

  test('a change that could not be recorded says so on whatever page one is, until it is closed', async () => {
    const { page, open, leave } = await portal.signedIn();
    await open(`/workspaces/${bus.ready.workspace}/connections/${bus.ready.producer.client_id}`);
    await page.route('**/secrets/rotate', async route => {
      // Only the browser knows the names below localhost.
      const url = route
        .request()
        .url()
        .replace(/sombus-\w+\.localhost/, '127.0.0.1');
      const headers = { ...(await route.request().allHeaders()), origin: new URL(url).origin };
      const response = await route.fetch({ url, headers });
      await route.fulfill({ response, json: { ...(await response.json()), not_recorded: true } });
    });
    await page.getByRole('tab', { name: 'Secrets' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('This is the only time that it is shown').first().waitFor();
    const notice = page.getByText('could not be written to the record of changes');
    await notice.waitFor();
    await page.getByRole('button', { name: 'I have saved the secret' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await notice.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await notice.waitFor({ state: 'detached' });
    await leave();
  });
};
