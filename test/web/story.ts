import { bearer, post, requestToken } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { newRole } from '../support/running-registry.ts';
import { signedPost } from '../support/signed-client.ts';
import { type Keyboard, keyboardOf } from './keyboard.ts';
import type { Visitor, WebStage } from './portal-in-browser.ts';

interface Issued {
  readonly client_id: string;
  readonly client_secret: string;
  readonly workspace: string;
}

/** What a page shows once: the variables of a new secret. */
const issuedOn = async ({ page }: Visitor): Promise<Issued> => {
  await page.getByText('This is the only time that it is shown').first().waitFor();
  const text = String(await page.locator('pre').first().textContent());
  expect(text).toMatch(/SOMBUS_CLIENT_SECRET='sbs_[\w-]{43}'/);
  const variable = (name: string): string => new RegExp(`${name}='([^']*)'`).exec(text)?.[1] ?? '';
  return {
    client_id: variable('SOMBUS_CLIENT_ID'),
    client_secret: variable('SOMBUS_CLIENT_SECRET'),
    workspace: variable('SOMBUS_WORKSPACE'),
  };
};

export const describeStory = ({ bus, portal }: WebStage): void => {
  /** Somebody with a browser and a keyboard. */
  const visit = async (name: string) => {
    const visitor = await portal.signedIn(name);
    return { ...visitor, keys: keyboardOf(visitor.page) };
  };

  const publish = async (issued: Issued, message: object) =>
    (
      await post(
        `${bus.base}/tenants/${issued.workspace}/messages`,
        await bearer(bus.base, issued),
        message,
      )
    ).status;

  const createConnection = async (
    visitor: Visitor & { readonly keys: Keyboard },
    wanted: {
      readonly app: string;
      readonly kind: 'producer' | 'consumer';
      readonly types?: string;
    },
  ): Promise<Issued> => {
    const { keys, page } = visitor;
    await keys.navigate('Connections', 'Connections');
    await page.getByRole('link', { name: 'Create connection' }).waitFor();
    await keys.follow('Create connection', 'Create connection');
    await page.getByRole('combobox', { name: 'App' }).waitFor();
    if (wanted.kind === 'consumer') {
      await keys.use(/^Kind/);
      await keys.pick('consumer');
    }
    await keys.fill('App', wanted.app);
    if (wanted.types !== undefined) {
      await keys.use(/^(May send|Receives)/);
      await keys.pick(wanted.types);
    }
    await keys.use('Create connection');
    const issued = await issuedOn(visitor);
    await keys.use('I have saved the secret');
    await page.getByRole('heading', { level: 1, name: wanted.app }).waitFor();
    expect(`${page.url()} ${await page.content()}`).not.toContain(issued.client_secret);
    return issued;
  };

  test('an owner goes from a request to a secret that has ended', async () => {
    const kim = await visit('kim');
    const { page, keys } = kim;
    await page.getByLabel('Name of the organisation').waitFor();
    await keys.fill('Name of the organisation', 'Key TV');
    await keys.press('Enter');
    await page.getByText('You asked for Key TV').first().waitFor();

    const operator = await visit('owner');
    await operator.keys.navigate('Operator', 'Operator');
    await operator.page.getByRole('button', { name: 'Approve' }).waitFor();
    await operator.keys.use('Approve Key TV');
    await operator.page
      .locator('tr')
      .filter({ hasText: 'Key TV' })
      .getByText('Active')
      .first()
      .waitFor();

    await page.reload();
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).waitFor();
    await keys.navigate('Settings', 'Key TV');
    await page.getByLabel('New workspace').waitFor();
    await keys.fill('New workspace', 'Desk');
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Desk' }).first().waitFor();

    const sender = await createConnection(kim, { app: 'Rundown', kind: 'producer', types: '*' });
    const reader = await createConnection(kim, { app: 'Playout', kind: 'consumer', types: '*' });
    expect(reader.client_id).not.toBe('');

    await keys.navigate('Activity', 'Activity');
    await page.locator('tbody th').first().waitFor();
    const from = (system_id: string) => ({ originating_system: { system_id, system_type: 'ncs' } });
    expect(await publish(sender, linkCommitted(from('Rundown')))).toBe(202);
    await page.locator('tbody tr').filter({ hasText: 'Accepted' }).waitFor();
    expect(await publish(sender, linkCommitted(from('Somebody')))).toBe(403);
    await page.locator('tbody tr').filter({ hasText: 'Refused' }).waitFor();
    await keys.use('link.committed');
    await page.getByRole('heading', { name: 'Why it was refused' }).waitFor();
    await page.getByText('originating_system.system_id').first().waitFor();

    await keys.navigate('Connections', 'Connections');
    await page.getByRole('link', { name: 'Rundown' }).waitFor();
    await keys.follow('Rundown', 'Rundown');
    await keys.reach('Permissions');
    await keys.press('ArrowRight');
    await page.getByRole('button', { name: 'Rotate secret' }).waitFor();
    await keys.use('Rotate secret');
    const rotated = await issuedOn(kim);
    expect(rotated.client_secret).not.toBe(sender.client_secret);
    await keys.use('I have saved the secret');

    const role = newRole(bus.data, 'key-role');
    await keys.reach('Secrets');
    await keys.press('ArrowRight');
    await page.getByLabel('ARN of a role').waitFor();
    await keys.fill('ARN of a role', role.role_arn);
    await keys.press('Enter');
    const curl = String(await page.locator('pre').last().textContent());
    const [, body = '', url = ''] = /-d '([^']*)' '([^']*)'/.exec(curl) ?? [];
    expect((await signedPost(role, url, body)).body).toMatchObject({ verified: true });
    await page.reload();
    await page.getByRole('tab', { name: 'Permissions' }).waitFor();
    await keys.reach('Permissions');
    await keys.press('ArrowRight');
    await keys.reach('Secrets');
    await keys.press('ArrowRight');
    await page.getByText('verified', { exact: true }).waitFor();

    await keys.navigate('Settings', 'Key TV');
    await page.getByText('Invite a vendor').first().waitFor();
    await keys.use(/^Invite a vendor/);
    await keys.use(/^It may publish/);
    await keys.pick('link.*');
    await keys.use('Create invitation');
    const link = String(await page.locator('pre').textContent());
    const vic = await visit('vic');
    await vic.page.goto(link);
    await vic.page.getByLabel('Name of your organisation').waitFor();
    await vic.keys.fill('Name of your organisation', 'Clips');
    await vic.keys.press('Enter');
    await vic.page.getByRole('heading', { level: 1, name: 'Create connection' }).waitFor();
    // What it was invited for is chosen already.
    const vendor = await createConnection(vic, { app: 'Cutter', kind: 'producer' });
    await keys.navigate('Activity', 'Activity');
    await page.locator('tbody th').first().waitFor();
    expect(await publish(vendor, linkCommitted(from('Cutter')))).toBe(202);
    await page
      .locator('tbody tr')
      .filter({ hasText: 'Cutter' })
      .filter({ hasText: 'Accepted' })
      .waitFor();

    await keys.navigate('Connections', 'Connections');
    await page.getByRole('link', { name: 'Playout', exact: true }).waitFor();
    await keys.follow('Playout', 'Playout');
    await page.getByRole('link', { name: 'Queue', exact: true }).waitFor();
    await keys.follow('Queue', 'Queue of Playout');
    await page.getByRole('button', { name: 'Count first' }).waitFor();
    await keys.use('Count first');
    await page.getByText('It would send 2 messages.').first().waitFor();
    await keys.use('Start replay');
    await page.getByText('finished', { exact: true }).waitFor();

    await keys.navigate('Connections', 'Connections');
    await page.getByRole('link', { name: 'Rundown' }).waitFor();
    await keys.follow('Rundown', 'Rundown');
    await keys.reach('Permissions');
    await keys.press('ArrowRight');
    await page.getByRole('button', { name: 'Revoke the current secret' }).waitFor();
    await keys.use('Revoke the current secret');
    await keys.use('Revoke');
    await page
      .getByRole('button', { name: 'Revoke the current secret' })
      .waitFor({ state: 'detached' });
    expect((await requestToken(bus.base, rotated)).status).toBe(401);
    await Promise.all([kim, operator, vic].map(one => one.leave()));
  });
};
