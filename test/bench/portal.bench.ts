import { performance } from 'node:perf_hooks';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { browserHost, signInLink } from '../../lib/local/sign-in.ts';
import { browserLacks, openBrowser } from '../support/browser.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';
import { fillArchive } from './archive-fill.ts';
import { digits, type Figure, isMet, median, print, table } from './figures.ts';

// The portal in a browser on the built service, over an archive of 100,000 messages
// (`-- --archived 20000` for fewer): the first page, a published message, filters, and messages
// that are hard to show.

const at = process.argv.indexOf('--archived');
const archived = at === -1 ? 100_000 : Number(process.argv[at + 1]);

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const folder = temporaryFolder();
const figures: Figure[] = [];

const note = (name: string, unit: string, value: number, most: number): void =>
  void figures.push({ name, unit, value, goal: { atMost: most } });

/** The median of some tries. */
const tried = async (tries: number, take: () => Promise<number>): Promise<number> => {
  const taken: number[] = [];
  for (let count = 0; count < tries; count += 1) taken.push(await take());
  return median(taken);
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const tokenOf = async ({ ready }: ServiceProcess): Promise<string> => {
  const { client_id, client_secret } = ready.producer;
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const response = await fetch(`${ready.base_url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return access_token;
};

/** When somebody at a line of 50 KB/s, with nothing in the cache, sees the shell and the numbers. */
const onSlowLine = async (
  browser: Browser,
  { url, state }: { readonly url: string; readonly state: StorageState },
): Promise<{ readonly painted: number; readonly usable: number }> => {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 20,
    downloadThroughput: 50 * 1024,
    uploadThroughput: 50 * 1024,
  });
  const usable = await timed(async () => {
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByText('Messages waiting').waitFor();
  });
  const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;
  const painted = await page.evaluate<number>(paint);
  await context.close();
  return { painted, usable };
};

/** The longest time in which the page could not draw while some work was done. */
const longestFrame = async (page: Page, work: () => Promise<unknown>): Promise<number> => {
  await work();
  return page.evaluate<number>(
    `new Promise(done => {
      const seen = [];
      new PerformanceObserver(list => seen.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });
      requestAnimationFrame(() => setTimeout(() => done(Math.max(0, ...seen.map(({ duration }) => duration))), 500));
    })`,
  );
};

/** So deep and so wide as the bus accepts them, on one line. */
const hardMessages = (): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => [
  ['an ordinary one, and CodeMirror for the first time', storyContext()],
  ['one text of 230,000 characters', storyContext({ headline: 'x'.repeat(230_000) })],
  ['12,000 links on one line', storyContext({ headline: 'https://example.org '.repeat(11_500) })],
  [
    '70,000 characters that turn the direction',
    storyContext({ headline: '\u202e\u2066'.repeat(35_000) }),
  ],
  [
    '40,000 numbers',
    storyContext({
      extensions: {
        'com.example.numbers': { list: Array.from({ length: 40_000 }, (_none, at) => at) },
      },
    }),
  ],
];

const measure = async (service: ServiceProcess): Promise<void> => {
  const { ready } = service;
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const address = (path: string): string => {
    const url = new URL(path, ready.portal_url);
    url.hostname = browserHost(operatorKeyIn(folder.path));
    return url.href;
  };
  const below = (path: string): string => address(`/workspaces/${ready.workspace}/${path}`);
  await page.goto(
    signInLink(ready.portal_url, operatorKeyIn(folder.path), { name: 'owner', now: Date.now() }),
  );
  await page.waitForSelector('h1');

  const firstPaint = async (): Promise<number> => {
    const fresh = await browser.newPage();
    await fresh.goto(address('/'));
    await fresh.waitForSelector('h1');
    const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;
    const taken = await fresh.evaluate<number>(paint);
    await fresh.close();
    return taken;
  };
  await firstPaint();
  note('First paint, nothing in the cache', 'ms', await tried(5, firstPaint), 700);
  await page.goto(address('/'));
  await page.waitForSelector('h1');
  const scripts = await page.evaluate<number>(
    `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, one) => sum + one.encodedBodySize, 0)`,
  );
  note('Scripts of the first page, compressed', 'KB', scripts / 1024, 300);

  const slow = await onSlowLine(browser, {
    url: address('/'),
    state: await context.storageState(),
  });
  note('Shell painted, at 50 KB/s', 'ms', slow.painted, 300);
  note('First page usable, at 50 KB/s', 'ms', slow.usable, 6_000);

  const token = await tokenOf(service);
  const publish = (message: object): Promise<Response> =>
    fetch(`${ready.base_url}/tenants/${ready.workspace}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  await page.goto(below('activity'));
  await page.waitForSelector('tbody th a');
  const shown = async (): Promise<number> => {
    const message = linkCommitted();
    await publish(message);
    return timed(() => page.waitForSelector(`[title="${message['message_id']}"]`));
  };
  note('A published message shows', 'ms', await tried(5, shown), 2_500);

  for (const query of [
    '',
    'kind=refused',
    'type=link.withdrawn',
    'rule=message.not_json',
    'connection=c',
  ]) {
    const ask = `fetch('/api/workspace/${ready.workspace}/activity?${query}').then(answer => answer.json())`;
    const filter = () => timed(() => page.evaluate(ask));
    note(`Activity, ${query || 'everything'}`, 'ms', await tried(3, filter), 300);
  }

  for (const [name, message] of hardMessages()) {
    if ((await publish(message)).status !== 202)
      throw new Error(`The message with ${name} was refused.`);
    const open = async () => {
      await page.goto(below(`messages/${message['message_id']}`));
      await page.waitForSelector('.code .cm-line');
    };
    note(`Longest frame: ${name}`, 'ms', await longestFrame(page, open), 100);
  }
  await browser.close();
};

const main = async (): Promise<void> => {
  const lack = browserLacks();
  if (lack !== undefined) throw new Error(lack);
  const first = await startService(folder.path, '--no-limits');
  const { workspace, producer } = first.ready;
  await first.stop();
  print(`portal: an archive of ${archived} messages is made`);
  await fillArchive(folder.path, {
    workspace,
    producer: producer.client_id,
    count: archived,
    until: Date.now() - 60_000,
  });
  const service = await startService(folder.path, '--no-limits');
  try {
    await measure(service);
  } finally {
    await service.stop();
    folder.remove();
  }
  const rows = figures.map(figure => [
    figure.name,
    `${digits(figure.value)} ${figure.unit}`,
    figure.goal && 'atMost' in figure.goal ? `${figure.goal.atMost}` : '',
    isMet(figure) ? 'yes' : 'NO',
  ]);
  print(table(['Figure', 'Measured', 'At most', 'Met'], rows));
  if (!figures.every(isMet)) process.exitCode = 1;
};

void main();
