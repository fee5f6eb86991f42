import { createConnection } from '../../lib/registry/connections.ts';
import { browserLacks } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless } from '../support/where.ts';
import { describeLooks, type PagesToLookAt } from './looks.ts';
import { portalInBrowser, problemsOf, type Visitor } from './portal-in-browser.ts';

describeUnless(
  browserLacks(),
  'the pages of connections, queues, skills, dry runs and stories in a real browser',
  () => {
    const bus = oneService('--no-limits');
    const portal = portalInBrowser(bus);
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
    const consumer = () => bus.ready.consumer.client_id;

    /** Every page, and what shows that it is loaded. */
    const pages: PagesToLookAt = {
      connections: () => [below('connections'), 'tbody tr'],
      'a new connection': () => [below('connections/new'), 'form'],
      'a producer': () => [below(`connections/${producer()}`), 'text=Rotate the secret'],
      'a consumer': () => [below(`connections/${consumer()}`), 'text=Its queue'],
      queue: () => [below(`queues/${consumer()}`), 'tbody tr'],
      executor: () => [below(`executors/${consumer()}`), 'textarea'],
      validate: () => [below('validate'), 'textarea'],
      story: () => [below(`story?correlation=${correlation}`), '.said'],
      stories: () => [below('story'), 'h2'],
    };

    describeLooks(() => owner, pages);

    test('a connection is made by keyboard; its secret is shown once', async () => {
      const { page, open } = owner;
      await open(below('connections/new'));
      await page.getByLabel('App').fill('Rundown');
      await page.getByLabel('May send').fill('story.contxt');
      await page.waitForSelector('text=Did you mean "story.context"?');
      expect(await page.getByRole('button', { name: 'Make the connection' }).isDisabled()).toBe(true);
      await page.getByLabel('May send').fill('story.*');
      await page.waitForSelector('text=Matches story.context');
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=The secret of Rundown');
      const shown = (await page.locator('pre').first().textContent()) ?? '';
      const [, secret = ''] = /SOMBUS_CLIENT_SECRET='(sbs_[\w-]{43})'/.exec(shown) ?? [];
      expect(secret).not.toBe('');
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'I have kept the secret' }).click();
      await page.waitForSelector('h1:has-text("Connection of Rundown")');
      expect(await page.content()).not.toContain(secret);
      expect(page.url()).not.toContain(secret);
    });

    test('a secret is rotated with an overlap, and the old one ended after a question', async () => {
      const { page, open } = owner;
      await open(below(`connections/${producer()}`));
      await page
        .getByLabel('After the rotation, the old secret')
        .selectOption({ label: 'works for another 7 days' });
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.waitForSelector('text=This is the only time that it is shown');
      await page.getByRole('button', { name: 'I have kept the secret' }).click();
      await page.waitForSelector('text=The one before works until');
      await page.getByRole('button', { name: 'End it now' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'End it now' }).click();
      await page.waitForSelector('text=The one before works until', { state: 'detached' });
    });

    test('two people change one connection: the second is told, and can look again', async () => {
      const { page, open } = owner;
      const colleague = await portal.signedIn('owner', below(`connections/${producer()}`));
      await open(below(`connections/${producer()}`));
      await Promise.all([page, colleague.page].map(one => one.waitForSelector('text=Rotate the secret')));
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).click();
      // The connection is then shown anew.
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.getByLabel('May send').fill('story.*');
      await page.getByRole('button', { name: 'Change the permissions' }).click();
      await page.waitForSelector('button:has-text("Change the permissions"):disabled');
      await colleague.page.getByLabel('May send').fill('link.*');
      await colleague.page.getByRole('button', { name: 'Change the permissions' }).click();
      await colleague.page.waitForSelector('text=Somebody else changed this in the meantime');
      await colleague.page.getByRole('button', { name: 'Show it as it is now' }).click();
      await eventually(async () => (await colleague.page.getByLabel('May send').inputValue()) === 'story.*');
      await colleague.page.getByLabel('May send').fill('*');
      await colleague.page.getByRole('button', { name: 'Change the permissions' }).click();
      await colleague.page.waitForSelector('button:has-text("Change the permissions"):disabled');
      await colleague.context.close();
    });

    test('an example is accepted, and each of its mistakes is explained', async () => {
      const { page, open } = owner;
      await open(below(`validate?connection=${producer()}`));
      await page.getByRole('button', { name: 'A valid message' }).click();
      await page.getByRole('button', { name: 'What would the bus say?' }).click();
      await page.waitForSelector('text=The bus would accept this message.');
      await page.getByRole('button', { name: 'The payload as text' }).click();
      await page.getByRole('button', { name: 'What would the bus say?' }).click();
      await page.waitForSelector('text=The bus would refuse this message.');
      expect(await page.locator('.findings li').count()).toBeGreaterThan(0);
      await page
        .locator('.findings')
        .getByRole('button', { name: /^Line / })
        .first()
        .click();
      const selected = await page.evaluate<string>(
        `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`,
      );
      expect(selected).toMatch(/^"/);
      expect(await problemsOf(page)).toEqual([]);
    });

    test('a story has a lane for each system, and says what happened', async () => {
      const { page, open } = owner;
      await open(below(`story?correlation=${correlation}`));
      await page.waitForSelector('.said');
      expect(await page.locator('.lanes thead th').allTextContents()).toEqual(['Accepted', 'demo-ncs']);
      expect(await page.locator('.headline').allTextContents()).toEqual([
        'A headline',
        'clip-1 is to be shown in evening-news',
      ]);
    });

    test('a story is found in the list, by its story_id too', async () => {
      const { page, open } = owner;
      await open(below('story'));
      await page.getByRole('link', { name: 'A headline' }).first().waitFor();
      await page.getByRole('searchbox').fill('nothing like it');
      await page.getByRole('button', { name: 'Find the story' }).click();
      await page.getByText('No story here has this').first().waitFor();
      const { payload } = message as { readonly payload?: { readonly story_id?: string } };
      await page.getByRole('searchbox').fill(payload?.story_id ?? 'none');
      await page.getByRole('button', { name: 'Find the story' }).click();
      await page.getByRole('link', { name: 'A headline' }).first().click();
      await page.getByText('clip-1 is to be shown in evening-news').first().waitFor();
    });

    test('a message is skipped after a question, and a replay is counted before it starts', async () => {
      const { page, open } = owner;
      await open(below(`queues/${consumer()}`));
      await page.getByRole('button', { name: 'Skip' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
      await page.waitForSelector('text=skipped');
      const start = page.getByRole('button', { name: 'Start the replay' });
      expect(await start.isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Count first' }).click();
      await page.waitForSelector('text=It would send 2 messages.');
      await start.click();
      await page.waitForSelector('.badge:has-text("finished")');
      await page.waitForSelector('text=2 sent');
    });

    test('a message has its neighbours, and what changed since a snapshot that is far back in its story', async () => {
      const { page, open } = owner;
      const nothing = { systemIds: ['demo-desk'], receives: [], sources: [] };
      const wanted = { ...nothing, kind: 'producer', workspace: bus.ready.workspace } as const;
      const made = await createConnection(bus.registry, { ...wanted, app: 'Harbour desk', grants: ['*'] });
      if (made.kind !== 'issued') throw new Error('The connection could not be made.');
      const authorization = await bearer(bus.base, {
        client_id: made.connection.id,
        client_secret: made.clientSecret,
      });
      const publish = async (message: Readonly<Record<string, unknown>>) => {
        const sent = { ...message, originating_system: { system_id: 'demo-desk', system_type: 'ncs' } };
        return published(sent);
      };
      const published = async (sent: Readonly<Record<string, unknown>>) => {
        expect((await post(`${bus.tenant}/messages`, authorization, sent)).status).toBe(202);
        return String(sent['message_id']);
      };
      const snapshot = storyContext({ headline: 'Harbour closed', sequence_number: 1 });
      const of = { correlation_id: snapshot['correlation_id'] };
      const first = await publish(snapshot);
      const links: string[] = [];
      for (let count = 0; count < 60; count += 1) links.push(await publish(linkCommitted(of)));
      const before = Object(snapshot['payload']);
      const second = await publish(
        storyContext(
          { ...before, headline: 'Harbour open', sequence_number: 2, updated_at: '2026-05-04T10:00:00Z' },
          of,
        ),
      );
      const after = await publish(linkCommitted(of));
      await open(below(`messages/${second}`));
      const neighbours = page.locator('ol.story > li');
      await neighbours.first().waitFor();
      expect(await page.locator('ol.story > li[aria-current]').textContent()).toContain('story.context');
      const ids = await neighbours.locator('a').evaluateAll(all => all.map(one => one.getAttribute('href')));
      const near = [...links.slice(-(ids.length - 1)), after];
      expect(ids).toEqual(near.map(id => below(`messages/${id}`)));
      expect(ids).not.toContain(below(`messages/${first}`));
      await page.getByRole('button', { name: 'What changed since the story.context before' }).click();
      const changed = page.locator('.code').last();
      await changed.locator('.cm-deletedChunk').filter({ hasText: 'Harbour closed' }).waitFor();
      await changed.locator('.cm-changedLine').filter({ hasText: 'Harbour open' }).waitFor();
      await page.locator('ol.story a').last().click();
      await page.getByRole('heading', { level: 1, name: 'link.committed' }).waitFor();
    });

    test('the first page leads to a message by its id, and to what waits in a queue and its messages', async () => {
      const { page, open } = owner;
      await open('/');
      await page.getByLabel('message_id').fill(` ${message['message_id']} `);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'story.context' }).waitFor();
      await open('/');
      await page.getByLabel('message_id').fill(correlation);
      await page.getByRole('button', { name: 'Find it' }).click();
      await page.getByRole('link', { name: 'see its story' }).click();
      await page.getByRole('heading', { level: 1, name: 'A headline' }).waitFor();
      await open('/');
      await page.getByRole('main').getByRole('link', { name: 'demo-playout' }).click();
      await page.getByRole('heading', { level: 1, name: 'Queue of demo-playout' }).waitFor();
      await page.getByRole('link', { name: 'story.context' }).first().click();
      await page.getByRole('heading', { level: 2, name: 'Where it is' }).waitFor();
    });

    test('a skills file with errors says which; a valid one is registered, and comes out again', async () => {
      const { page, open } = owner;
      await open(below(`executors/${consumer()}`));
      const box = page.getByLabel('A skills file, YAML or JSON');
      await box.fill('- {instance_label: one}');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.waitForSelector('text=skill_id is missing');
      await box.fill(
        '- {skill_id: smart-stories/gate-by-scope, instance_label: one, values: {scope: destination-path, gate_scope_kind: E, path_map: {a: c}}}',
      );
      await page.getByRole('button', { name: 'Register' }).click();
      await page.waitForSelector('h3:has-text("one")');
      await page.waitForSelector('pre:has-text("instance_label: one")');
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.waitForSelector('.badge:has-text("paused")');
      expect(await problemsOf(page)).toEqual([]);
    });

    test('two people replace one skill instance: the second is told, keeps what he wrote, and sees what the first made of it', async () => {
      const path = below(`executors/${consumer()}`);
      const gate = (kind: string) =>
        `- {skill_id: smart-stories/gate-by-scope, instance_label: shared, values: {scope: destination-path, gate_scope_kind: ${kind}, path_map: {a: c}}}`;
      await owner.open(path);
      await owner.page.getByLabel('A skills file, YAML or JSON').fill(gate('E'));
      await owner.page.getByRole('button', { name: 'Register' }).click();
      const colleague = await portal.signedIn('owner', path);
      const opened = async ({ page }: Visitor) => {
        const shared = page.locator('.instances > li').filter({ has: page.locator('h3:has-text("shared")') });
        await shared.getByRole('button', { name: 'Replace…' }).click();
        await shared.getByLabel('shared, as JSON or YAML').waitFor();
        return shared;
      };
      const [first, second] = [await opened(owner), await opened(colleague)];
      await first.getByRole('textbox').fill(gate('A'));
      await first.getByRole('button', { name: 'Replace it' }).click();
      await first.getByRole('textbox').waitFor({ state: 'detached' });
      await second.getByRole('textbox').fill(gate('B'));
      await second.getByRole('button', { name: 'Replace it' }).click();
      await second.getByText('Somebody else changed this in the meantime').waitFor();
      await second.getByRole('button', { name: 'Show it as it is now' }).click();
      await second.locator('pre:has-text(\'"gate_scope_kind": "A"\')').waitFor();
      expect(await second.getByRole('textbox').inputValue()).toBe(gate('B'));
      await second.getByRole('button', { name: 'Replace it' }).click();
      await second.getByRole('textbox').waitFor({ state: 'detached' });
      await colleague.page.locator('pre:has-text("gate_scope_kind: B")').waitFor();
      await colleague.context.close();
    });
  },
);
