import { browserLacks } from '../support/browser.ts';
import { bearer, post, requestToken } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { newRole } from '../support/running-registry.ts';
import { signedPost } from '../support/signed-client.ts';
import { describeUnless } from '../support/where.ts';
import { type Keyboard, keyboardOf } from './keyboard.ts';
import { portalInBrowser, type Visitor } from './portal-in-browser.ts';

interface Issued {
  readonly client_id: string;
  readonly client_secret: string;
  readonly workspace: string;
}

/** What a page shows once: the variables of a new secret. */
const issuedOn = async ({ page }: Visitor): Promise<Issued> => {
  await page.getByText('This is the only time that it is shown').first().waitFor();
  const text = String(await page.locator('pre').first().textContent());
  const variable = (name: string): string => new RegExp(`${name}='([^']*)'`).exec(text)?.[1] ?? '';
  return {
    client_id: variable('SOMBUS_CLIENT_ID'),
    client_secret: variable('SOMBUS_CLIENT_SECRET'),
    workspace: variable('SOMBUS_WORKSPACE'),
  };
};

describeUnless(browserLacks(), 'by keyboard alone', () => {
  const bus = oneService('--no-limits');
  const portal = portalInBrowser(bus);

  /** Somebody with a browser and a keyboard. */
  const visit = async (name: string) => {
    const visitor = await portal.signedIn(name);
    return { ...visitor, keys: keyboardOf(visitor.page) };
  };

  const publish = async (issued: Issued, message: object) =>
    (await post(`${bus.base}/tenants/${issued.workspace}/messages`, await bearer(bus.base, issued), message))
      .status;

  const makeConnection = async (
    visitor: Visitor & { readonly keys: Keyboard },
    wanted: { readonly app: string; readonly kind: 'producer' | 'consumer'; readonly types: string },
  ): Promise<Issued> => {
    const { keys } = visitor;
    await keys.follow('Connections', 'Connections');
    await visitor.page.getByRole('link', { name: 'Make a connection' }).waitFor();
    await keys.follow('Make a connection', 'Make a connection');
    await visitor.page.getByLabel('App').waitFor();
    if (wanted.kind === 'consumer') {
      await keys.reach(/^Producer/);
      await keys.press('ArrowDown');
    }
    await keys.fill('App', wanted.app);
    await keys.fill(wanted.kind === 'producer' ? 'May send' : 'Receives', wanted.types);
    await keys.press('Enter');
    const issued = await issuedOn(visitor);
    await keys.use('I have kept the secret');
    await visitor.page.getByRole('heading', { name: `Connection of ${wanted.app}` }).waitFor();
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
    await operator.keys.follow('Operator', 'Operator');
    await operator.page.getByRole('button', { name: 'Approve' }).waitFor();
    await operator.keys.use('Approve');
    await operator.page.locator('tr').filter({ hasText: 'Key TV' }).getByText('Active').first().waitFor();

    await page.reload();
    await page.getByRole('navigation').getByRole('link', { name: 'Key TV' }).waitFor();
    await keys.follow('Key TV', 'Key TV');
    await page.getByText('Make a workspace').first().waitFor();
    await keys.use('Make a workspace');
    await keys.fill('Name', 'Desk');
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Desk' }).waitFor();

    const sender = await makeConnection(kim, { app: 'Rundown', kind: 'producer', types: '*' });
    const reader = await makeConnection(kim, { app: 'Playout', kind: 'consumer', types: '*' });
    expect(reader.client_id).not.toBe('');

    await keys.follow('Activity', 'Activity');
    await page.getByText('made', { exact: false }).first().waitFor();
    const from = (system_id: string) => ({ originating_system: { system_id, system_type: 'ncs' } });
    expect(await publish(sender, linkCommitted(from('Rundown')))).toBe(202);
    await page.locator('.line').filter({ hasText: 'Accepted' }).waitFor();
    expect(await publish(sender, linkCommitted(from('Somebody')))).toBe(403);
    await page.locator('.line').filter({ hasText: 'Refused' }).waitFor();
    await keys.use('link.committed');
    await page.getByRole('heading', { name: 'Why it was refused' }).waitFor();
    await page.getByText('originating_system.system_id').first().waitFor();

    await keys.follow('Connections', 'Connections');
    await page.getByRole('link', { name: 'Rundown' }).waitFor();
    await keys.follow('Rundown', 'Connection of Rundown');
    await page.getByRole('button', { name: 'Rotate the secret' }).waitFor();
    await keys.use('Rotate the secret');
    const rotated = await issuedOn(kim);
    expect(rotated.client_secret).not.toBe(sender.client_secret);
    await keys.use('I have kept the secret');

    const role = newRole(bus.data, 'key-role');
    await page.getByLabel('ARN of a role').waitFor();
    await keys.fill('ARN of a role', role.role_arn);
    await keys.press('Enter');
    const curl = String(await page.locator('.copyable pre').last().textContent());
    const [, body = '', url = ''] = /-d '([^']*)' '([^']*)'/.exec(curl) ?? [];
    expect((await signedPost(role, url, body)).body).toMatchObject({ verified: true });
    await page.reload();
    await page.locator('.badge').filter({ hasText: 'verified' }).waitFor();

    await keys.follow('Key TV', 'Key TV');
    await page.getByText('Invite a vendor').first().waitFor();
    await keys.use('Invite a vendor');
    await keys.use('Make a link');
    const link = String(await page.locator('.copyable pre').textContent());
    const vic = await visit('vic');
    await vic.page.goto(link);
    await vic.page.getByLabel('Name of a new vendor').waitFor();
    await vic.keys.fill('Name of a new vendor', 'Clips');
    await vic.keys.press('Enter');
    await vic.page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    const vendor = await makeConnection(vic, { app: 'Cutter', kind: 'producer', types: 'link.*' });
    await keys.follow('Activity', 'Activity');
    await page.locator('.line').first().waitFor();
    expect(await publish(vendor, linkCommitted(from('Cutter')))).toBe(202);
    await page.locator('.line').filter({ hasText: 'Cutter' }).filter({ hasText: 'Accepted' }).waitFor();

    await keys.follow('Connections', 'Connections');
    await page.getByRole('link', { name: 'Playout', exact: true }).waitFor();
    await keys.follow('Playout', 'Connection of Playout');
    await page.getByRole('link', { name: 'Its queue' }).waitFor();
    await keys.follow('Its queue', 'Queue of Playout');
    await page.getByRole('button', { name: 'Count first' }).waitFor();
    await keys.use('Count first');
    await page.getByText('It would send 2 messages.').first().waitFor();
    await keys.use('Start the replay');
    await page.locator('.badge').filter({ hasText: 'finished' }).waitFor();

    await keys.follow('Connections', 'Connections');
    await page.getByRole('link', { name: 'Rundown' }).waitFor();
    await keys.follow('Rundown', 'Connection of Rundown');
    await page.getByText('The current one').first().waitFor();
    await keys.use('End it');
    await keys.use('End it');
    await page.getByText('There is no current secret').first().waitFor();
    expect((await requestToken(bus.base, rotated)).status).toBe(401);
    await Promise.all([kim, operator, vic].map(({ context }) => context.close()));
  });
});
