import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { sombus } from '../support/service-process.ts';
import { type Visitor, webStage } from './portal-in-browser.ts';

/** Where the documentation has its pictures. */
const folder = 'docs/pictures';

/** All of them together: a clone and the package carry them. */
const maxBytes = 512 * 1024;

const view = { width: 1000, height: 640 };

/** PNG: the size stands in the first chunk (W3C PNG, IHDR). */
const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

test('every picture is shown in a document, and together they are small', () => {
  const files = readdirSync('docs/guides', { recursive: true, encoding: 'utf8' });
  const guides = files.filter(name => name.endsWith('.md'));
  const documents = ['README.md', ...guides.map(name => `docs/guides/${name}`)]
    .map(name => readFileSync(name, 'utf8'))
    .join('\n');
  const pictures = readdirSync(folder);
  expect(pictures.length).toBeGreaterThan(3);
  expect(pictures.filter(name => !documents.includes(`pictures/${name}`))).toEqual([]);
  const bytes = pictures.map(name => statSync(join(folder, name)).size);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(maxBytes);
  for (const name of pictures) expect(sizeOf(readFileSync(join(folder, name)))).toEqual(view);
});

/**
 * With SOMBUS_PICTURES=1 they are taken anew; that the pages show what they should, other tests
 * say.
 */
const isAsked = process.env['SOMBUS_PICTURES'] !== undefined;
const notice = isAsked ? '' : '[skipped: SOMBUS_PICTURES=1 takes them anew] ';

(isAsked ? describe : describe.skip)(`${notice}the pictures of the documentation`, () => {
  const { bus, portal } = webStage();
  const story = storyContext({ headline: 'Fire at the old harbour', slug: 'HARBOUR-FIRE' });
  const correlation = String(story['correlation_id']);
  const refused = {
    ...storyContext({ haedline: 'Fire' }),
    message_id: '0197a1b2-c3d4-7e5f-8a6b-0000000000ff',
  };
  let owner: Visitor;

  beforeAll(async () => {
    await sombus('newsroom', '--data', bus.data, '--speed', '1000');
    const authorization = await bearer(bus.base, bus.ready.producer);
    const link = linkCommitted({ correlation_id: correlation });
    for (const message of [story, link, refused])
      await post(`${bus.tenant}/messages`, authorization, message);
    const reading = await bearer(bus.base, bus.ready.consumer);
    const pulled = `${bus.tenant}/consumers/${bus.ready.consumer.client_id}/messages?wait=0`;
    expect((await fetch(pulled, { headers: { authorization: reading } })).status).toBe(200);
    owner = await portal.signedIn();
    await owner.page.setViewportSize(view);
  });

  const below = (path: string) => `/workspaces/${bus.ready.workspace}/${path}`;

  /** What each picture shows: a URL, and what is there when it is loaded. */
  test.each([
    ['portal-overview', () => ['/', 'h2:has-text("Volume")'] as const],
    ['portal-activity', () => [below('activity'), 'tbody th a'] as const],
    ['portal-message', () => [below(`messages/${story['message_id']}`), '.code .cm-line'] as const],
    ['portal-refusal', () => [below(`messages/${refused.message_id}`), '.findings'] as const],
    [
      'portal-story',
      () => [below(`story?correlation=${correlation}`), 'text=Delivered to'] as const,
    ],
    [
      'portal-connection',
      () => [below(`connections/${bus.ready.producer.client_id}`), 'text=May send'] as const,
    ],
  ])('%s', async (name, page) => {
    const [path, ready] = page();
    await owner.open(path);
    await owner.page.waitForSelector(ready);
    const picture = await owner.page.screenshot();
    expect(sizeOf(picture)).toEqual(view);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.png`), picture);
  });
});
