import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { type PortalPage, portalPages } from '../../lib/contract/portal/portal-pages.ts';
import { files, preloads, script, sheets } from '../../lib/generated/portal-pages.generated.js';
import built from '../../lib/generated/portal-pages.generated.json';
import { portalPageEdge } from '../../lib/portal/pages.http.ts';
import { pageTitles } from '../../web/places.ts';

const settings = { origin: 'https://bus.example.org', portalPath: '/app' };
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const asked = (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const pathParameters = path === '/' ? {} : { proxy: path.slice(1) };
  return portalPageEdge(
    {},
    settings,
  )({ requestId: '', headers, query: {}, body: Buffer.of(), pathParameters });
};

const textOf = ({ body }: { readonly body: unknown }): string =>
  body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '';

const filled = (pattern: string): string => pattern.replace(/\{\w+\}/g, 'x1');

describe('the shell', () => {
  test.each(Object.entries(portalPages))('is at the address of %s', async (page, pattern) => {
    const found = await asked(filled(pattern));
    expect([found.status, found.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(textOf(found)).toContain(`<p class="title">${pageTitles[page as PortalPage]}</p>`);
  });

  test('has navigation, title and skeleton, and no more than a packet or three', async () => {
    const html = textOf(await asked('/workspaces/w1/connections/c1'));
    expect(html).toContain('<a href="/app/workspaces/w1/activity">Activity</a>');
    expect(html).toContain(
      '<a href="/app/workspaces/w1/connections" aria-current="page">Connections</a>',
    );
    expect(html).toContain('<div class="bone">');
    expect(html.indexOf('id="shell"')).toBeLessThan(html.indexOf('rel="stylesheet"'));
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(6 * 1024);
  });

  test('leads nowhere that it does not know, and repeats nothing of a URL as markup', async () => {
    const home = textOf(await asked('/'));
    expect(home).toContain('<span>Activity</span>');
    expect(home).toContain('<a href="/app/" aria-current="page">Overview</a>');
    expect(textOf(await asked('/join'))).not.toContain('Activity');
    const hostile = textOf(await asked('/workspaces/%22%3E%3Cscript%3Ealert(1)/activity'));
    expect(hostile).toContain('href="/app/workspaces/%22%3E%3Cscript%3Ealert(1)/activity"');
    expect(hostile.match(/<script/g)).toHaveLength(2);
  });

  test('names files that are there, below the URL of the portal', async () => {
    const html = textOf(await asked('/'));
    const addresses = [...html.matchAll(/(?:src|href|content)="(\/[^"]*)"/g)].map(
      ([, address]) => address ?? '',
    );
    const assets = addresses.filter(address => address.includes('/assets/'));
    expect(assets.length).toBeGreaterThan(4);
    for (const address of addresses) expect(address).toMatch(/^\/app(\/|$)/);
    for (const address of assets)
      expect((await asked(address.replace('/app', ''))).status).toBe(200);
  });

  test('lets nothing run or load that is not of the portal, and lets nobody frame it', async () => {
    const { headers, ...shell } = await asked('/');
    const hashOf = (tag: 'style' | 'script') => {
      const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(textOf(shell)) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(headers['content-security-policy']?.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'",
      `script-src 'self' ${hashOf('script')}`,
      `style-src 'self' ${hashOf('style')}`,
      "trusted-types 'none'",
    ]);
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test('is revalidated each time, because its files change with a release', async () => {
    const { headers } = await asked('/');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await asked('/', { 'if-none-match': headers['etag'] ?? '' });
    expect([again.status, again.body]).toEqual([304, undefined]);
    const other = await asked('/skills', { 'if-none-match': headers['etag'] ?? '' });
    expect(other.status).toBe(200);
  });
});

describe('an address without a page', () => {
  test('is a page for a browser, with status 404', async () => {
    const found = await asked('/nothing', browser);
    expect([found.status, found.headers['cache-control']]).toEqual([404, 'no-cache']);
    expect(textOf(found)).toContain('<p class="title">Page not found</p>');
  });

  test.each([
    ['/nothing', {}],
    ['/api/nothing', browser],
    ['/assets/nothing.js', browser],
    ['/assets/__proto__', {}],
    ['/skills/%zz', {}],
  ])('%s is refused to a program', async (path, headers) => {
    expect(await asked(path, headers)).toMatchObject({
      status: 404,
      body: { code: 'route.not_found' },
    });
  });

  test('that is a route with slashes too many says which one was meant', async () => {
    expect((await asked('/docs//viewer.js')).body).toMatchObject({
      message: expect.stringMatching(/ at \/docs\/viewer\.js\.$/),
    });
  });
});

describe('a file of the pages', () => {
  test.each(Object.keys(files))('%s is kept for good, and is the same compressed', async name => {
    const plain = await asked(`/assets/${name}`);
    const compressed = await asked(`/assets/${name}`, { 'accept-encoding': 'gzip, br' });
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toMatch(
      /^text\/(javascript|css); charset=utf-8$|^image\/svg\+xml$/,
    );
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(compressed.headers['vary']).toBe('accept-encoding');
    expect(brotliDecompressSync(compressed.body as Buffer).toString('utf8')).toBe(textOf(plain));
  });
});

const sizeOf = (name: string): number =>
  Buffer.from(files[name]?.content ?? '', 'base64').length / 1024;

describe('the weight of the pages, compressed', () => {
  interface Output {
    readonly entryPoint?: string;
    readonly imports: readonly { readonly path: string; readonly kind: string }[];
  }
  const { outputs }: { outputs: Readonly<Record<string, Output>> } = built;
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const kilobytes = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + sizeOf(name), 0);

  /** A part, and what it imports before it can run. */
  const partsOf = (path: string, found = new Set<string>()): ReadonlySet<string> => {
    found.add(path);
    for (const one of outputs[path]?.imports ?? [])
      if (one.kind === 'import-statement' && !found.has(one.path)) partsOf(one.path, found);
    return found;
  };
  const at = (entry: RegExp) =>
    Object.keys(outputs).filter(path => entry.test(outputs[path]?.entryPoint ?? ''));
  const partsAt = (entry: RegExp) =>
    new Set(at(entry).flatMap(path => [...partsOf(path)].map(nameOf)));

  /** What the overview shows after its first paint: charts and tables. */
  const later = /overview\/(charts|connection-tables|last-run)|components\/segmented-control/;

  test('the part that every page needs has at most 200 KB, its styles at most 45 KB', () => {
    expect(kilobytes([script, ...preloads])).toBeLessThanOrEqual(200);
    expect(kilobytes(sheets.slice(0, 1))).toBeLessThanOrEqual(45);
  });

  test('all scripts of the first page have at most 300 KB, its styles at most 60 KB', () => {
    const parts = new Set([script, ...preloads, ...partsAt(later)]);
    expect(parts.size).toBeGreaterThan(4);
    expect(kilobytes([...parts])).toBeLessThanOrEqual(300);
    expect(kilobytes(sheets.slice(0, 2))).toBeLessThanOrEqual(60);
  });

  test.each(at(/-page\.tsx$/).map(path => [outputs[path]?.entryPoint ?? '', path] as const))(
    '%s takes at most 60 KB more than the overview',
    (_entry, path) => {
      const known = new Set([...partsAt(/web\/main/), ...partsAt(later)]);
      const added = [...partsOf(path)].map(nameOf).filter(name => !known.has(name));
      expect(added.length).toBeGreaterThan(0);
      expect(kilobytes(added)).toBeLessThanOrEqual(60);
    },
  );
});
