import { createConnection, pauseConnection } from '../../lib/access/registry/connections.ts';
import { browserLacks } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { describeUnless } from '../support/where.ts';
import { describeLooks, type PagesToLookAt } from '../web/looks.ts';
import { choose, problemsOf, type Visitor, webStage } from '../web/portal-in-browser.ts';

describeUnless(
  browserLacks(),
  'the pages of connections, queues, skills, dry runs and stories in a real browser',
  () => {
    const { bus, portal } = webStage();
    const message = storyContext();
    const correlation = String(message['correlation_id']);
    let owner: Visitor;

    beforeAll(async () => {
      const authorization = await bearer(bus.base, bus.ready.producer);
      expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
      const link = linkCommitted({ correlation_id: correlation });
      expect((await post(`${bus.tenant}/messages`, authorization, link)).status).toBe(202);
      owner = await portal.signedIn();
    });

    const below = (path: string) => `/workspaces/${bus.ready.workspace}/${path}`;
    const producer = () => bus.ready.producer.client_id;
    const messageText = () => owner.page.getByRole('textbox', { name: 'Message' });
    const selectedText = `document.querySelector('.writing').shadowRoot.getSelection().toString()`;
    const consumer = () => bus.ready.consumer.client_id;

    /** Every page, and what shows that it is loaded. */
    const pages: PagesToLookAt = {
      connections: () => [below('connections'), 'tbody tr'],
      'a new connection': () => [below('connections/new'), 'text=or a new name'],
      'a producer': () => [below(`connections/${producer()}`), 'text=May send'],
      'a consumer': () => [below(`connections/${consumer()}`), 'text=Receives'],
      queue: () => [below(`queues/${consumer()}`), 'tbody tr'],
      executor: () => [below(`executors/${consumer()}`), 'textarea'],
      validate: () => [below('validate'), '.cm-content'],
      story: () => [below(`story?correlation=${correlation}`), 'text=Delivered to'],
      stories: () => [below('story'), 'tbody th'],
      alerts: () => [below('alerts'), 'text=There are no alerts yet'],
    };

    describeLooks(() => owner, pages);

    test('a refused message is corrected from its text once an owner has these kept, its first error marked', async () => {
      const { page, open } = owner;
      const authorization = await bearer(bus.base, bus.ready.producer);
      const refuse = (message_id: string) =>
        post(
          `${bus.tenant}/messages`,
          authorization,
          linkCommitted({ message_id, timestamp: 'yesterday' }),
        );
      const [first, second] = [1, 2].map(at => `a4f0f0c0-0000-4000-8000-00000000000${at}`);
      await refuse(first ?? '');
      await open(below(`messages/${first}`));
      await page.getByRole('link', { name: 'Correct it' }).click();
      await page.getByText('The text of this refusal is not kept').waitFor();
      await open('/');
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('checkbox', { name: 'Not kept' }).click();
      await page.getByText('Refused messages are now kept for 24 hours.').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await refuse(second ?? '');
      await open(below(`messages/${second}`));
      await page.getByRole('link', { name: 'Correct it' }).click();
      await page.getByText('The bus would refuse this message.').waitFor();
      await eventually(async () => (await page.evaluate<string>(selectedText)) === '"yesterday"');
      const marked = page.locator('.cm-lintRange-error');
      expect(await marked.allTextContents()).toEqual(['"yesterday"']);
      expect(await page.locator('.cm-lint-marker-error').count()).toBe(1);
      expect(await problemsOf(page)).toEqual([]);
    });

    test('nothing is published as another producer than the one that was meant, which is paused', async () => {
      const { page, open } = owner;
      const lists = { systemIds: [], grants: ['*'], receives: [], sources: [] };
      const place = { workspace: bus.ready.workspace, app: 'Parked', kind: 'producer' } as const;
      const { connection } = settled(await createConnection(bus.registry, { ...lists, ...place }));
      settled(await pauseConnection(bus.registry, connection.id, { paused: true, by: 'operator' }));
      await open(below(`validate?connection=${connection.id}`));
      await page.getByText(`The producer ${connection.id} is not active.`).waitFor();
      expect(await page.locator('.writing').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
      expect(await problemsOf(page)).toEqual([]);
    });

    test('a secret is rotated with an overlap, and the old one revoked after a question; a leaked one is replaced in two clicks', async () => {
      const { page, open } = owner;
      await open(below(`connections/${producer()}`));
      await page.getByRole('tab', { name: 'Secrets' }).click();
      await choose(page, 'After the rotation, the old secret', 'works for another 7 days');
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.waitForSelector('text=This is the only time that it is shown');
      await page.getByRole('button', { name: 'I have saved the secret' }).click();
      await page.getByRole('button', { name: 'Revoke the previous secret' }).click();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page
        .getByRole('button', { name: 'Revoke the previous secret' })
        .waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Secret leaked' }).click();
      await page.getByRole('dialog').getByText('Tokens already issued stop working').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Secret leaked' }).click();
      await page.waitForSelector('text=This is the only time that it is shown');
      await page.getByRole('button', { name: 'I have saved the secret' }).click();
      await page.getByRole('button', { name: 'Revoke the current secret' }).waitFor();
      expect(await page.getByRole('button', { name: 'Revoke the previous secret' }).count()).toBe(
        0,
      );
    });

    test('an alert is created, its secret shown once, changed and deleted; a test says what went wrong', async () => {
      const { page, open } = owner;
      await open(below('alerts'));
      await page.getByText('Most people begin with one of these').waitFor();
      // Each of the four opens its own form.
      await page.getByRole('button', { name: /^A replaced secret ends within/ }).click();
      await page.getByLabel('Threshold (hours)').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'New alert' }).click();
      await choose(page, 'Alert me when', /^A producer is refused/);
      await page.getByLabel('Threshold (times within an hour)').fill('3');
      // The service answers there, and takes no webhooks.
      await page.getByLabel('Webhook URL').fill(`${bus.ready.base_url}/health`);
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create alert' }).click();
      const secret = await page.locator('pre').textContent();
      expect(secret).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'I have saved the secret' }).click();
      await page.getByText('Quiet').waitFor();
      expect(await page.content()).not.toContain(secret);
      await page.getByRole('button', { name: /^Test A producer/ }).click();
      await page
        .getByText('The webhook did not accept the test: it responded with status 405.')
        .waitFor();
      await page.getByRole('button', { name: /^Change A producer/ }).click();
      await page.getByLabel('Threshold (times within an hour)').fill('4');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('rowheader', { name: 'more than 4 times' }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Delete A producer/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no alerts yet').waitFor();
    });

    test('an example is accepted, and each of its mistakes is explained', async () => {
      const { page, open } = owner;
      await open(below(`validate?connection=${producer()}`));
      await page.getByRole('button', { name: 'Insert example' }).click();
      await page.getByRole('menuitem', { name: 'story.context' }).click();
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.waitForSelector('text=The bus would accept this message.');
      await messageText().getByText('"story.context"').first().click();
      for (const key of ['End', ...Array(4).fill('ArrowLeft'), 'Backspace'])
        await page.keyboard.press(key);
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.getByText('Did you mean "story.context"?').waitFor();
      await page.getByRole('button', { name: 'Insert a common mistake' }).click();
      await page.getByRole('menuitem', { name: 'The payload as text' }).click();
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.waitForSelector('text=The bus would refuse this message.');
      expect(await page.locator('.findings li').count()).toBeGreaterThan(0);
      await page
        .locator('.findings')
        .getByRole('button', { name: /^Line / })
        .first()
        .click();
      await eventually(async () => (await page.evaluate<string>(selectedText)).startsWith('"'));
      expect(await problemsOf(page)).toEqual([]);
    });

    test('a message is written with the keyboard: names and values are offered, and Tab leaves the editor', async () => {
      const { page, open } = owner;
      const { keyboard } = page;
      await open(below(`validate?connection=${producer()}`));
      await messageText().click();
      await keyboard.type('{"mess');
      await page.getByRole('option', { name: /^message_type/ }).waitFor();
      await keyboard.type('age_ty');
      await page.getByRole('option', { name: /^message_id/ }).waitFor({ state: 'detached' });
      await keyboard.press('Enter');
      await keyboard.type('"link.w');
      await page.getByRole('option', { name: /^link\.withdrawn/ }).waitFor();
      await page.getByRole('option', { name: /^link\.committed/ }).waitFor({ state: 'detached' });
      await keyboard.press('Enter');
      await keyboard.type(', "payload": {"withdrawn": {"re');
      await page.getByRole('option', { name: /^reason/ }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await keyboard.press('Enter');
      // A number keeps its digits, and its form.
      await keyboard.type('1.0');
      const written =
        '{"message_type": "link.withdrawn", "payload": {"withdrawn": {"reason": 1.0}}}';
      await eventually(async () => (await messageText().textContent()) === written);
      await keyboard.type('/');
      expect(await page.getByRole('combobox', { name: 'Search' }).count()).toBe(0);
      await keyboard.press('Tab');
      const focused = `document.activeElement.className.includes('writing')`;
      expect(await page.evaluate<boolean>(focused)).toBe(false);
    });

    test('a story is found in the list, by its story_id too', async () => {
      const { page, open } = owner;
      await open(below('story'));
      const find = page.getByLabel('Find a story');
      await page.getByRole('link', { name: 'A headline' }).first().waitFor();
      // All of them are there: nothing says that there may be more.
      expect(await page.getByRole('heading', { name: 'All stories' }).textContent()).not.toContain(
        '+',
      );
      expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
      await find.fill('nothing like it');
      await page.keyboard.press('Enter');
      await page
        .getByText(/No story here has this|Nothing was found so far/)
        .first()
        .waitFor();
      const { payload } = message as { readonly payload?: { readonly story_id?: string } };
      await find.fill(payload?.story_id ?? 'none');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'A headline' }).first().click();
      await page.getByText('clip-1 is to be shown in evening-news').first().waitFor();
    });

    /** Publishes as one of some systems of a producer of its own. */
    const deskOf = async (app: string, ...systemIds: readonly string[]) => {
      const wanted = {
        kind: 'producer',
        workspace: bus.ready.workspace,
        app,
        grants: ['*'],
      } as const;
      const lists = { systemIds, receives: [], sources: [] };
      const { connection, clientSecret } = settled(
        await createConnection(bus.registry, { ...wanted, ...lists }),
      );
      const client = { client_id: connection.id, client_secret: clientSecret };
      const authorization = await bearer(bus.base, client);
      return async (
        message: Readonly<Record<string, unknown>>,
        system_id = systemIds[0],
      ): Promise<string> => {
        const sent = { ...message, originating_system: { system_id, system_type: 'ncs' } };
        expect((await post(`${bus.tenant}/messages`, authorization, sent)).status).toBe(202);
        return String(message['message_id']);
      };
    };

    test('a story tells in order what happened, with the system of each step; twelve steps are on a screen', async () => {
      const { page, open } = owner;
      const systems = Array.from({ length: 8 }, (_, at) => `desk-${at}`);
      const publish = await deskOf('Desks', ...systems);
      const snapshot = storyContext({ headline: 'Pier closed' });
      const of = { correlation_id: snapshot['correlation_id'] };
      await publish(snapshot);
      for (let step = 1; step < 12; step += 1) await publish(linkCommitted(of), systems[step % 8]);
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(below(`story?correlation=${of.correlation_id}`));
      const steps = page.locator('tbody tr');
      await steps.nth(11).waitFor();
      const links = Array.from({ length: 11 }, () => 'clip-1 is to be shown in evening-news');
      expect(await steps.locator('th a').allTextContents()).toEqual(['Pier closed', ...links]);
      expect(await steps.filter({ hasText: 'desk-3' }).count()).toBe(2);
      const picture = page.locator('.picture svg');
      expect((await picture.boundingBox())?.height).toBeLessThanOrEqual(320);
      await picture.getByRole('link').nth(11).waitFor();
      expect(await picture.getByRole('link').count()).toBe(12);
    });

    test('a message has its neighbours, and what changed since a snapshot that is far back in its story', async () => {
      const { page, open } = owner;
      const publish = await deskOf('Harbour desk', 'demo-desk');
      const snapshot = storyContext({ headline: 'Harbour closed', sequence_number: 1 });
      const of = { correlation_id: snapshot['correlation_id'] };
      const first = await publish(snapshot);
      const links: string[] = [];
      for (let count = 0; count < 60; count += 1) links.push(await publish(linkCommitted(of)));
      const next = {
        headline: 'Harbour open',
        sequence_number: 2,
        updated_at: '2026-05-04T10:00:00Z',
      };
      const second = await publish(storyContext({ ...Object(snapshot['payload']), ...next }, of));
      const after = await publish(linkCommitted(of));
      await open(below(`messages/${second}`));
      const neighbours = page.locator('ol.near > li');
      await neighbours.first().waitFor();
      expect(await page.locator('ol.near > li[aria-current]').textContent()).toContain(
        'story.context',
      );
      const ids = await neighbours
        .locator('a')
        .evaluateAll(all => all.map(one => one.getAttribute('href')));
      const near = [...links.slice(-(ids.length - 1)), after];
      expect(ids).toEqual(near.map(id => below(`messages/${id}`)));
      expect(ids).not.toContain(below(`messages/${first}`));
      await page.getByRole('button', { name: 'Changes', exact: true }).click();
      const changed = page.locator('.code').last();
      await changed.locator('.cm-deletedChunk').filter({ hasText: 'Harbour closed' }).waitFor();
      await changed.locator('.cm-changedLine').filter({ hasText: 'Harbour open' }).waitFor();
      await page.locator('ol.near a').last().click();
      await page
        .getByRole('heading', { level: 1, name: 'clip-1 is to be shown in evening-news' })
        .waitFor();
    });

    test('the search finds a message by its id, a story by its headline, and a connection by its name', async () => {
      const { page, open } = owner;
      await open('/');
      await page.getByRole('heading', { level: 2, name: 'Consumers' }).waitFor();
      const search = page.getByRole('combobox', { name: 'Search' });
      for (const [typed, option, heading] of [
        [` ${message['message_id']}`, /story\.context/, 'A headline'],
        ['headline', /A headline/, 'A headline'],
        ['demo-play', /demo-playout/, 'demo-playout'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await search.fill(typed);
        await page.getByRole('option', { name: option }).first().click();
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      }
    });

    test('a skills file with errors says which; a valid one is registered, and comes out again', async () => {
      const { page, open } = owner;
      await open(below(`executors/${consumer()}`));
      const box = page.getByRole('textbox', { name: 'Skills file' });
      await box.fill('- {instance_label: one}');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.waitForSelector('text=skill_id is missing');
      await box.fill(
        '- {skill_id: smart-stories/gate-by-scope, instance_label: one, values: {scope: destination-path, gate_scope_kind: E, path_map: {a: c}}}',
      );
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByRole('heading', { level: 2, name: 'one' }).waitFor();
      await page.waitForSelector('pre:has-text("instance_label: one")');
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
    });

    test('an instance from a form replaces the registered one of its label, once what changes was seen', async () => {
      const { page, open } = owner;
      const fillIn = async (label: string) => {
        await open('/skills/gate-by-scope');
        await page.getByLabel('instance_label', { exact: false }).first().fill(label);
        await choose(page, /^scope/, 'destination-path');
        await page.getByLabel(/^gate_scope_kind/).fill('A');
        await page.getByLabel('path_map, row 1, key').fill('a');
        await page.getByLabel('path_map, row 1, value').fill('c');
        await choose(page, 'Register for', 'demo-playout');
      };
      await fillIn('one');
      await page.getByText('one is registered already. This would change:').waitFor();
      await page.getByText('"gate_scope_kind": "E"').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Replace instance' }).click();
      await page.waitForSelector('pre:has-text("gate_scope_kind: A")');
      await fillIn('two');
      await page.getByText('There is no instance two yet').waitFor();
      await page.getByRole('button', { name: 'Register instance' }).click();
      await page.getByRole('heading', { level: 2, name: 'two' }).waitFor();
    });

    test('two people replace one skill instance: the second is told, keeps what he wrote, and sees what the first made of it', async () => {
      const path = below(`executors/${consumer()}`);
      const gate = (kind: string) =>
        `- {skill_id: smart-stories/gate-by-scope, instance_label: shared, values: {scope: destination-path, gate_scope_kind: ${kind}, path_map: {a: c}}}`;
      await owner.open(path);
      await owner.page.getByRole('textbox', { name: 'Skills file' }).fill(gate('E'));
      await owner.page.getByRole('button', { name: 'Register' }).click();
      await owner.page.getByRole('heading', { level: 2, name: 'shared' }).waitFor();
      const colleague = await portal.signedIn('owner', path);
      const opened = async ({ page }: Visitor) => {
        const replace = page.getByRole('button', { name: 'Replace…' });
        await page.getByRole('heading', { level: 2, name: 'shared' }).waitFor();
        await replace.last().click();
        await page.getByLabel('shared, as JSON or YAML').waitFor();
        return page;
      };
      const [first, second] = [await opened(owner), await opened(colleague)];
      await first.getByLabel('shared, as JSON or YAML').fill(gate('A'));
      await first.getByRole('button', { name: 'Replace', exact: true }).click();
      await first.getByLabel('shared, as JSON or YAML').waitFor({ state: 'detached' });
      const box = second.getByLabel('shared, as JSON or YAML');
      await box.fill(gate('B'));
      await second.getByRole('button', { name: 'Replace', exact: true }).click();
      await second.getByText('Somebody else changed this in the meantime').waitFor();
      await second.getByRole('button', { name: 'Show the current state' }).click();
      await second
        .locator('.cm-deletedChunk')
        .filter({ hasText: '"gate_scope_kind": "A"' })
        .first()
        .waitFor();
      expect(await box.inputValue()).toBe(gate('B'));
      await second.getByRole('button', { name: 'Replace', exact: true }).click();
      await box.waitFor({ state: 'detached' });
      await second.locator('pre:has-text("gate_scope_kind: B")').waitFor();
      await colleague.leave();
    });
  },
);
