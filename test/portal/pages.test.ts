import { brotliDecompressSync } from 'node:zlib';
import { portalPages } from '../../lib/contract/portal/portal-pages.ts';
import { files, preloads, script, styles } from '../../lib/generated/portal-pages.generated.js';
import built from '../../lib/generated/portal-pages.generated.json';
import { portalPageEdge } from '../../lib/portal/pages.http.ts';

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
  test.each(Object.entries(portalPages))('is at the address of %s', async (_page, pattern) => {
    const found = await asked(filled(pattern));
    expect([found.status, found.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(textOf(found)).toBe(textOf(await asked('/')));
  });

  test('names files that are there, below the URL of the portal', async () => {
    const addresses = [...textOf(await asked('/')).matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address ?? '',
    );
    expect(addresses.length).toBeGreaterThan(1);
    for (const address of addresses) {
      expect(address).toMatch(/^\/app\/assets\//);
      expect((await asked(address.replace('/app', ''))).status).toBe(200);
    }
  });

  test('lets nothing run or load that is not of the portal, and lets nobody frame it', async () => {
    const { headers } = await asked('/');
    expect(headers['content-security-policy']?.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
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
    const again = await asked('/skills', { 'if-none-match': headers['etag'] ?? '' });
    expect([again.status, again.body]).toEqual([304, undefined]);
  });
});

describe('an address without a page', () => {
  test('is a page for a browser, with status 404', async () => {
    const found = await asked('/nothing', browser);
    expect([found.status, textOf(found)]).toEqual([404, textOf(await asked('/'))]);
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

  test('the first page paints with at most 330 KB, its styles included', () => {
    expect(kilobytes([script, ...preloads, styles])).toBeLessThanOrEqual(330);
  });

  test.each(at(/-page\.tsx$/).map(path => [outputs[path]?.entryPoint ?? '', path] as const))(
    '%s takes at most 60 KB more than the overview',
    (_entry, path) => {
      const known = new Set([...partsAt(/web\/main|overview\/(charts|connection-tables)/)]);
      const added = [...partsOf(path)].map(nameOf).filter(name => !known.has(name));
      expect(added.length).toBeGreaterThan(0);
      expect(kilobytes(added)).toBeLessThanOrEqual(60);
    },
  );
});
