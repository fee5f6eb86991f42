import type { Locator, Page } from 'playwright-core';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { browserLacks } from '../support/browser.ts';
import { bearer, post } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { describeUnless } from '../support/where.ts';
import { keyboardOf } from '../web/keyboard.ts';
import { chooseTypes, problemsOf, type Visitor, webStage } from '../web/portal-in-browser.ts';

/** Somebody whose clicks are counted. */
const clicking = (page: Page) => {
  let count = 0;
  const click = async (on: Locator): Promise<void> => {
    count += 1;
    await on.first().click();
  };
  return {
    click,
    link: (name: string | RegExp) => click(page.getByRole('link', { name })),
    button: (name: string | RegExp) => click(page.getByRole('button', { name })),
    count: () => count,
  };
};

describeUnless(browserLacks(), 'work that people come for', () => {
  const { bus, portal } = webStage();
  let owner: Visitor;
  let late = '';

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor();

  beforeAll(async () => {
    const authorization = await bearer(bus.base, bus.ready.producer);
    for (const headline of ['Quay shut', 'Quay open', 'Quay sold'])
      expect(
        (await post(`${bus.tenant}/messages`, authorization, storyContext({ headline }))).status,
      ).toBe(202);
    const nothing = { systemIds: [], grants: [], sources: [] };
    const wanted = { ...nothing, kind: 'consumer', workspace: bus.ready.workspace } as const;
    const player = { ...wanted, app: 'Late player', receives: ['*'] };
    late = settled(await createConnection(bus.registry, player)).connection.id;
    owner = await portal.signedIn();
  });

  test('three missing stories are found, explained and sent in six clicks', async () => {
    const { page, open } = owner;
    const { link, button, count, click } = clicking(page);
    await open('/');
    await link('Stories');
    await link('Quay shut');
    await click(page.locator('tbody th a'));
    await page.getByText('Created later (1)').waitFor();
    await link(/^Send all that they missed since/);
    await heading(page, 'Queue of Late player');
    await button('Count first');
    await page.getByText('It would send 3 messages.').waitFor();
    await button('Start replay');
    await page.getByText('finished', { exact: true }).waitFor();
    expect(count()).toBeLessThanOrEqual(6);
  });

  test('a vendor comes to his first accepted message in fifteen clicks, with those of the house, and stays until his place ends', async () => {
    const { page, open } = owner;
    await open('/');
    const house = clicking(page);
    await house.link('Settings');
    await page.getByText('Invite a vendor').waitFor();
    await house.click(page.getByText('Invite a vendor'));
    await chooseTypes(page, 'It may publish', ['link.*']);
    await house.button('Create invitation');
    const invitation = String(await page.locator('pre').textContent());
    expect(await problemsOf(page)).toEqual([]);

    const vendor = await portal.signedIn('vera', '/');
    const vera = clicking(vendor.page);
    await vendor.page.goto(invitation);
    await vendor.page.getByText('invites you as a vendor into').waitFor();
    await vendor.page.getByLabel('Name of your organisation').fill('Prompter Ltd');
    await vera.button('Accept the invitation');
    await heading(vendor.page, 'Connections');
    await vera.link('Create connection');
    await vendor.page.getByLabel('App', { exact: true }).fill('Prompter');
    await vendor.page.getByText('link.*').first().waitFor();
    await vera.click(
      vendor.page.getByRole('main').getByRole('button', { name: 'Create connection' }),
    );
    await vendor.page.getByText('This is the only time that it is shown').first().waitFor();
    await vera.button('I have saved the secret');
    await vera.link('Publish a message');
    await vera.button('Publish');
    await vendor.page.getByText('The bus has accepted this message.').waitFor();
    expect(await problemsOf(vendor.page)).toEqual([]);
    // Two in the list of types.
    expect(house.count() + 2 + vera.count()).toBeLessThanOrEqual(15);
    await vera.link('Show the message');
    await vendor.page.getByRole('heading', { level: 2, name: /^Who got it/ }).waitFor();

    await open('/');
    await house.link('Settings');
    const place = page.locator('tr').filter({ hasText: 'Prompter Ltd' });
    await place.getByText('link.*').waitFor();
    await place.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await place.waitFor({ state: 'detached' });
    await vendor.open(`/workspaces/${bus.ready.workspace}/activity`);
    await vendor.page
      .getByText('This does not exist, or you have no access to it.')
      .first()
      .waitFor();
    await vendor.leave();
  });

  test('who is slow is one click from the overview, and why one more', async () => {
    const { page, open } = owner;
    const { link, click, count } = clicking(page);
    await open('/');
    await click(page.getByRole('table').getByRole('link', { name: 'demo-playout' }));
    await heading(page, 'Queue of demo-playout');
    await page.getByRole('columnheader', { name: 'Age', exact: true }).waitFor();
    await link('Quay shut');
    await page.getByRole('heading', { level: 2, name: 'Who got it' }).waitFor();
    expect(count()).toBe(2);
  });

  test('a message is published again with a new id, as the next of its story', async () => {
    const { page, open } = owner;
    const { link, button, count } = clicking(page);
    await open(`/workspaces/${bus.ready.workspace}/activity`);
    await link('Quay sold');
    await page.getByRole('heading', { level: 2, name: 'Who got it' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await link('Publish again with a new id');
    await heading(page, 'Validate and publish');
    await button(/^Publish$/);
    await page.getByText('The bus has accepted this message.').waitFor();
    await page.locator('.cm-line').filter({ hasText: '"sequence_number": 2' }).waitFor();
    expect(count()).toBe(3);
    await page.goBack();
    await page.getByRole('link', { name: 'Open as a page' }).click();
    await heading(page, 'Quay sold');
  });

  test('a report for a manager is saved in four clicks', async () => {
    const { page, open } = owner;
    await open(`/workspaces/${bus.ready.workspace}/runs/${bus.ready.producer.client_id}`);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('button', { name: 'Stop run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop run' }).click();
    await page.getByRole('button', { name: 'Download report' }).waitFor();
    const run = page.url().split('/').at(-1) ?? '';
    await open('/');
    const { link, button, click, count } = clicking(page);
    await link('Test runs');
    await click(page.locator('tbody th a'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button('Download report'),
    ]);
    expect(download.suggestedFilename()).toBe(`${run}.html`);
    expect(count()).toBeLessThanOrEqual(4);
  });

  test('what people do most is done with the keyboard alone', async () => {
    const visitor = await portal.signedIn();
    const { page } = visitor;
    const keys = keyboardOf(page);
    await keys.follow('Publish', 'Validate and publish');
    await keys.use('Insert example');
    await keys.pick('story.context');
    await page
      .getByRole('textbox', { name: 'Message' })
      .getByText('message_type')
      .first()
      .waitFor();
    await keys.use('Publish');
    await page.getByText('The bus has accepted this message.').waitFor();
    await keys.press('/');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.type('quay shut');
    await page
      .getByRole('option', { name: /Quay shut/ })
      .first()
      .waitFor();
    await keys.press('Enter');
    await heading(page, 'Quay shut');
    await visitor.open(`/workspaces/${bus.ready.workspace}/activity`);
    await page.getByRole('link', { name: 'Smoke seen over the old harbour' }).waitFor();
    await keys.use('Smoke seen over the old harbour');
    await page.getByRole('heading', { level: 2, name: 'Who got it' }).waitFor();
    await visitor.open(`/workspaces/${bus.ready.workspace}/queues/${late}`);
    await page.getByRole('button', { name: 'Skip the head' }).waitFor();
    await keys.use('Skip the head');
    await page.getByRole('dialog').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await keys.use('Skip the head');
    await page.getByText('The message was skipped.').first().waitFor();
    await keys.follow('Message types', 'Message types');
    await keys.follow('story.context', 'story.context');
    await page.getByText('sequence_number').first().waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await visitor.leave();
  });
});
