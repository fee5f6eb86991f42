import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { sceneInService } from '../portal/scene/in-service.ts';
import type { Scene } from '../portal/scene/scene.ts';
import { browserLacks } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post, requestToken } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { newProducer, settled } from '../support/running-registry.ts';
import { describeUnless } from '../support/where.ts';
import { clicking } from '../web/clicks.ts';
import { keyboardOf } from '../web/keyboard.ts';
import { problemsOf, type Visitor, webStage } from '../web/portal-in-browser.ts';

/** A house with all that the scene has, but for a backlog of a day: it is behind no page here. */
const size = { connections: 300, messages: 5_000, waiting: 200, changes: 250 };

const selectedText = `document.querySelector('.writing').shadowRoot.getSelection().toString()`;

/** What a stranger's shell makes of a text that was pasted into it. */
const pasted = async (text: string): Promise<string> => {
  const env = { PATH: process.env['PATH'] };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], { env });
  return stdout;
};

describeUnless(browserLacks(), 'work that people come for, in a busy house', () => {
  const { bus, portal } = webStage();
  const desk = { originating_system: { system_id: 'quay-desk', system_type: 'ncs' } };
  let scene: Scene;
  let sender: { readonly client_id: string; readonly client_secret: string };
  let owner: Visitor;
  let late = '';

  const w = () => scene.cast.workspace;
  const below = (path: string) => `/workspaces/${w()}/${path}`;
  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor();

  beforeAll(async () => {
    scene = await sceneInService(bus, size);
    sender = await newProducer(bus.registry, w(), 'quay-desk');
    const authorization = await bearer(bus.base, sender);
    const publish = (message: object) =>
      post(`${bus.base}/tenants/${w()}/messages`, authorization, message);
    const stories = ['Quay shut', 'Quay open', 'Quay sold'].map(headline =>
      storyContext({ headline }, desk),
    );
    for (const story of stories) expect((await publish(story)).status).toBe(202);
    const wrong = [1, 2, 3].map(() => linkCommitted({ ...desk, timestamp: 'yesterday' }));
    for (const link of wrong) expect((await publish(link)).status).toBe(400);
    const nothing = { systemIds: [], grants: [], sources: [] };
    const wanted = { ...nothing, kind: 'consumer', workspace: w() } as const;
    const player = { ...wanted, app: 'Late player', receives: ['*'] };
    late = settled(await createConnection(bus.registry, player)).connection.id;
    const { stopped } = scene.runs ?? {};
    await eventually(
      async () => (await bus.registry.checkRuns.find(stopped?.id ?? ''))?.status === 'aborted',
    );
    owner = await portal.signedIn('owner', below('activity'));
  });

  test('the overview is of the workspace that was left, even before it was known whose it is', async () => {
    for (const workspace of [w(), bus.ready.workspace]) {
      const visitor = await portal.visitor();
      let answer: () => void = () => undefined;
      const left = new Promise<void>(resolve => {
        answer = resolve;
      });
      await visitor.page.route('**/api/organisation/*', async route => {
        await left;
        await route.continue();
      });
      await visitor.page.goto(portal.link('owner', `/workspaces/${workspace}/activity`));
      await visitor.page.waitForSelector('h1');
      const opened = visitor.open('/');
      await visitor.page.waitForURL(portal.url('/'));
      answer();
      await opened;
      const activity = visitor.page.getByRole('link', { name: 'Activity', exact: true }).first();
      expect(await activity.getAttribute('href')).toBe(`/workspaces/${workspace}/activity`);
      await visitor.leave();
    }
  });

  test('who is slow is seen without a click, on the first screen', async () => {
    const { page, open } = owner;
    await open('/');
    const { read, count, scrolled } = clicking(page);
    const slow = page.locator('li').filter({ hasText: 'slow-analytics' });
    await read(slow.getByText('Slow'));
    await read(slow.getByText(/waiting, the oldest for \d/));
    await read(page.getByText('An organisation is waiting for approval.'));
    expect(count()).toBe(0);
    expect(scrolled()).toEqual([]);
    expect(await problemsOf(page)).toEqual([]);
  });

  test('three missing stories are found, explained and sent in six clicks', async () => {
    const { page, open } = owner;
    await open('/');
    const { link, button, click, read, count, beyond } = clicking(page);
    await link('Stories');
    await link('Quay shut');
    await click(page.locator('tbody th a'));
    await read(page.getByText('Created later (1)'));
    const missed = page.locator('li').filter({ hasText: 'Late player' });
    await click(missed.getByRole('link', { name: /^Send all that they missed since/ }));
    await heading(page, 'Queue of Late player');
    await button('Count first');
    await read(page.getByText('It would send 3 messages.'));
    await button('Start replay');
    await page.getByText('finished', { exact: true }).waitFor();
    expect(count()).toBeLessThanOrEqual(6);
    expect(beyond()).toEqual([]);
  });

  test('a vendor comes from the invitation to his first accepted message in twelve clicks, with those of the house, and stays until his place ends', async () => {
    const { page, open } = owner;
    await open('/');
    const house = clicking(page);
    await house.link('Settings');
    await house.click(page.getByText(/^Invite a vendor to/));
    await house.button('It may publish');
    await house.click(page.getByRole('option', { name: 'link.*' }));
    await page.keyboard.press('Escape');
    await house.button('Create invitation');
    await house.read(page.locator('pre'));
    await house.button('Copy: Invitation');
    const invitation = String(await page.locator('pre').textContent());

    const vendor = await portal.signedIn('vera', '/');
    await vendor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const vera = clicking(vendor.page);
    const exactly = (label: string) => vendor.page.getByLabel(label, { exact: true });
    await vendor.page.goto(invitation);
    await vera.read(vendor.page.getByText('invites you as a vendor into'));
    await vera.type(exactly('Name of your organisation'), 'Prompter Ltd');
    await vera.button('Accept the invitation');
    await heading(vendor.page, 'Create connection');
    await vera.type(exactly('App'), 'Prompter');
    await vera.click(
      vendor.page.getByRole('main').getByRole('button', { name: 'Create connection' }),
    );
    await vera.read(vendor.page.getByText('This is the only time that it is shown'));
    await vera.click(vendor.page.getByRole('tab', { name: 'curl' }));
    await vera.button('Copy: curl');
    await vendor.page.getByText('Copied').first().waitFor();
    const snippet = await vendor.page.evaluate<string>('navigator.clipboard.readText()');
    expect(JSON.parse(await pasted(snippet))).toMatchObject({ accepted: true });
    expect(house.count() + vera.count()).toBeLessThanOrEqual(12);
    expect([...house.beyond(), ...vera.beyond()]).toEqual([]);
    await vera.button('I have saved the secret');
    await heading(vendor.page, 'Prompter');
    await vendor.page.getByRole('link', { name: /is to be shown in/ }).waitFor();

    await open('/');
    await house.link('Settings');
    const place = page.locator('tr').filter({ hasText: 'Prompter Ltd' });
    await place.getByText('link.*').waitFor();
    await place.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await place.waitFor({ state: 'detached' });
    await vendor.open(below('activity'));
    await vendor.page
      .getByText('This does not exist, or you have no access to it.')
      .first()
      .waitFor();
    await vendor.leave();
  });

  test('a refused message is corrected and accepted in three clicks', async () => {
    const { page, open } = owner;
    await open('/');
    const { click, read, button, count, beyond } = clicking(page);
    await click(page.getByRole('link', { name: 'Show refusals: quay-desk' }));
    await click(page.getByRole('link', { name: 'Correct it' }));
    await read(page.getByText('The bus would refuse this message.'));
    // What is wrong is selected: the right one is pasted over it.
    await eventually(async () => (await page.evaluate<string>(selectedText)) === '"yesterday"');
    await page.keyboard.insertText('"2026-05-04T09:00:00Z"');
    await button(/^Publish$/);
    await read(page.getByText('The bus has accepted this message.'));
    expect(count()).toBeLessThanOrEqual(3);
    expect(beyond()).toEqual([]);
  });

  test('a connection is found among 300 by a word of its name in two clicks, or each that has it', async () => {
    const { page, open } = owner;
    await open('/');
    const one = clicking(page);
    await one.button(/^Search/);
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.type('subtitles');
    await one.read(page.getByRole('option', { name: /paused-subtitles/ }));
    await one.enter();
    await heading(page, 'paused-subtitles');
    expect(one.count()).toBeLessThanOrEqual(2);
    expect(one.beyond()).toEqual([]);

    await open('/');
    const all = clicking(page);
    await all.link('Connections');
    await all.type(page.getByLabel('Find by name'), 'fennel');
    await all.read(page.getByText('With “fennel”'));
    const found = page.getByRole('link', { name: 'mam-fennel', exact: true });
    await all.read(found.first());
    await all.read(found.last());
    expect(all.count()).toBeLessThanOrEqual(2);
    expect(all.beyond()).toEqual([]);
  });

  test('a leaked secret is replaced in two clicks where its connection is', async () => {
    const { page, open } = owner;
    const request = () => requestToken(bus.base, sender);
    expect((await request()).status).toBe(200);
    await open(below(`connections/${sender.client_id}`));
    const { button, click, read, count, beyond } = clicking(page);
    await button('Secret leaked');
    await click(page.getByRole('dialog').getByRole('button', { name: 'Secret leaked' }));
    await read(page.getByText('This is the only time that it is shown'));
    const snippet = String(await page.locator('pre').first().textContent());
    const [, client_secret = ''] = /SOMBUS_CLIENT_SECRET='?([^'\n]+)/.exec(snippet) ?? [];
    expect((await request()).status).toBe(401);
    await bearer(bus.base, { ...sender, client_secret });
    expect(count()).toBeLessThanOrEqual(2);
    expect(beyond()).toEqual([]);
  });

  test('a report for a manager is one click from the overview, and speaks in names', async () => {
    const { page, open } = owner;
    await open('/');
    const { button, read, count, beyond } = clicking(page);
    const last = page.locator('li').filter({ hasText: 'Last test run' });
    await read(last.getByText(/tested as consumer, (aborted|finished)/));
    const tested = String(await last.getByRole('link').textContent());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button('Download report'),
    ]);
    expect(count()).toBe(1);
    expect(beyond()).toEqual([]);
    const reader = await owner.context.newPage();
    await reader.setContent(readFileSync(await download.path(), 'utf8'));
    const first = clicking(reader);
    await first.read(reader.getByRole('heading', { level: 1 }));
    await first.read(reader.getByText(tested));
    await first.read(reader.getByText('Newsroom Zürich — الأخبار'));
    expect(first.beyond()).toEqual([]);
    await reader.close();
  });

  test('a message is published again with a new id, as the next of its story', async () => {
    const { page, open } = owner;
    const { link, button, count } = clicking(page);
    await open(below('activity'));
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

  test('what people do most is done with the keyboard alone', async () => {
    const visitor = await portal.signedIn('owner', below('activity'));
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
    await visitor.open(below('activity'));
    await page.getByRole('link', { name: 'Smoke seen over the old harbour' }).waitFor();
    await keys.use('Smoke seen over the old harbour');
    await page.getByRole('heading', { level: 2, name: 'Who got it' }).waitFor();
    await visitor.open(below(`queues/${late}`));
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
