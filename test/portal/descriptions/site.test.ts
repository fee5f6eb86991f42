import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import descriptions from '../../../lib/generated/openapi.generated.json';
import {
  docsEdge,
  healthEdge,
  openApiEdge,
} from '../../../lib/portal/descriptions/descriptions.http.ts';

const asked = (path: string, headers: Readonly<Record<string, string>> = {}, portalPath = '') => {
  const edge = docsEdge(
    {},
    { origin: 'https://bus.example', isLocal: false, region: '', portalPath },
  );
  const pathParameters = path === '/docs' ? {} : { proxy: path.replace('/docs/', '') };
  return edge({ requestId: 'r', pathParameters, query: {}, headers, body: new Uint8Array() });
};

const textOf = ({ body }: { readonly body: unknown }): string =>
  body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '';

const { files }: { files: Readonly<Record<string, { content: string }>> } = JSON.parse(
  readFileSync('lib/generated/docs-site.generated.json', 'utf8'),
);

/** The path of a file of the site, without the digest in its name. */
const pathOf = (name: RegExp): string => `/docs/${Object.keys(files).find(one => name.test(one))}`;

/** What a page loads or leads to, on the site. */
const linksOf = (html: string): readonly string[] =>
  [...html.matchAll(/\s(?:href|src)="(\/[^"#]*)/g)].map(([, url]) => url ?? '');

test('every link of every page leads to a page or a file', async () => {
  const followed = new Set(['/docs']);
  const dead: string[] = [];
  // A set hands out what is added while it is read.
  for (const url of followed) {
    const found = await asked(decodeURI(url));
    if (found.status !== 200) dead.push(url);
    const isPage = found.headers?.['content-type']?.startsWith('text/html');
    for (const link of isPage ? linksOf(textOf(found)) : []) followed.add(link);
  }
  expect(dead).toEqual([]);
  const rulePages = readdirSync('docs/rules').filter(name => name !== 'README.md');
  expect([...followed]).toEqual(
    expect.arrayContaining(rulePages.map(name => `/docs/rules/${name.replace('.md', '')}`)),
  );
});

test.each([
  '/docs',
  '/docs/',
  '/docs/rules/',
  '/docs/rules',
  '/docs/rules/rate.limited',
  '/docs/contract.html',
])('%s is a page', async path => {
  const found = await asked(path);
  expect([found.status, found.headers?.['content-type']]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
});

test('a page has the styles of the site, in its colours', async () => {
  const [, url = ''] =
    /<link rel="preload stylesheet" href="([^"]+)"/.exec(textOf(await asked('/docs'))) ?? [];
  expect(textOf(await asked(url))).toContain('--vp-c-brand-1: #08676f');
});

test('a page may run its own scripts and those of the site, and has no styles in it', async () => {
  const found = await asked('/docs/contract');
  const scripts = [...textOf(found).matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs)];
  expect(scripts.length).toBeGreaterThan(0);
  const policy = found.headers?.['content-security-policy'] ?? '';
  for (const [, script = ''] of scripts)
    expect(policy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self'( 'sha256-[^']+'){2}; style-src 'self'; /,
  );
  expect(policy).not.toContain('unsafe');
  expect(textOf(found)).not.toMatch(/<style| style=/);
});

test('what is not there is a page for a browser, and a refusal for a program', async () => {
  const page = await asked('/docs/nothing', { accept: 'text/html,*/*;q=0.8' });
  expect([page.status, textOf(page).includes('404')]).toEqual([404, true]);
  // A browser that has the page gets it again: a 304 would be of a page that is there.
  const known = { accept: 'text/html', 'if-none-match': String(page.headers?.['etag']) };
  expect(await asked('/docs/nothing', known)).toMatchObject({ status: 404 });
  for (const path of ['/docs/nothing', '/docs/__proto__', '/docs/assets/nothing.js'])
    expect(await asked(path)).toMatchObject({ status: 404, body: { code: 'route.not_found' } });
});

test('the search knows every guide', async () => {
  const index = textOf(await asked(pathOf(/localSearchIndex/)));
  const guides = readdirSync('docs/guides', { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.md') && !name.endsWith('README.md'),
  );
  expect(guides.length).toBeGreaterThan(3);
  for (const guide of guides) expect(index).toContain(`/docs/guides/${guide.replace('.md', '')}`);
});

test('a file comes compressed to those who take that, and a current one is not sent again', async () => {
  const plain = await asked('/docs/checks');
  const compressed = await asked('/docs/checks', { 'accept-encoding': 'gzip, br' });
  expect(compressed.headers?.['content-encoding']).toBe('br');
  expect(brotliDecompressSync(compressed.body as Uint8Array).toString('utf8')).toBe(textOf(plain));
  // As it was built, with the best compression, not once more for each request.
  expect(compressed.body).toEqual(Buffer.from(files['checks.html']?.content ?? '', 'base64'));
  const etag = plain.headers?.['etag'] ?? '';
  expect(compressed.headers?.['etag']).toBe(etag.replace(/"$/, '-br"'));
  const again = await asked('/docs/checks', { 'if-none-match': etag });
  expect([again.status, again.body]).toEqual([304, undefined]);
  const older = await asked('/docs/checks', { 'if-none-match': '"older"' });
  expect([older.status, textOf(older)]).toEqual([200, textOf(plain)]);
});

test('a page takes scripts, styles and pictures from here alone, and no page may frame it', async () => {
  const { headers } = await asked('/docs/checks');
  const policy = String(headers?.['content-security-policy']).split('; ');
  expect(policy.filter(one => !one.startsWith('script-src '))).toEqual([
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  const scripts = policy.filter(one => one.startsWith('script-src '));
  expect(scripts).toEqual([expect.stringMatching(/^script-src 'self'( 'sha256-[\w+/=]+')+$/)]);
});

test('below the stage of an API without a domain, every URL begins with the stage', async () => {
  const links = linksOf(textOf(await asked('/docs/contract', {}, '/app')));
  expect(links.filter(link => !link.startsWith('/app/docs/'))).toEqual([]);
  for (const script of [/^assets\/app\..*js$/, /^assets\/chunks\/framework/])
    expect(textOf(await asked(pathOf(script), {}, '/app'))).not.toMatch(/["'`(=]\/docs\//);
});

test('below a stage, pages are compressed quickly, and pictures stay as they are', async () => {
  const br = { 'accept-encoding': 'br' };
  const page = textOf(await asked('/docs/checks', {}, '/app'));
  const { body } = await asked('/docs/checks', br, '/app');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  expect(body).toEqual(brotliCompressSync(page, { params }));
  const picture = await asked(pathOf(/\.png$/), br, '/app');
  const built = Object.entries(files).find(([name]) => name.endsWith('.png'));
  expect(picture.body).toEqual(Buffer.from(built?.[1].content ?? '', 'base64'));
});

test('the viewer of the API reference is the pinned package, and all licences are handed on', async () => {
  expect(textOf(await asked(pathOf(/swagger-ui-bundle/)))).toBe(
    readFileSync('node_modules/swagger-ui-dist/swagger-ui-bundle.js', 'utf8'),
  );
  const licenses = readFileSync('dist/third-party-licenses.txt', 'utf8');
  for (const file of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
    expect(licenses).toContain(readFileSync(`node_modules/swagger-ui-dist/${file}`, 'utf8').trim());
  for (const included of ['vue', 'vitepress', 'minisearch'])
    expect(licenses).toContain(`${included}@`);
});

test('a file with a digest in its name is kept for a year, any other is asked for again', async () => {
  const headersOf = async (path: string) => (await asked(path)).headers;
  const kept = 'public, max-age=31536000, immutable';
  const styles = await headersOf(pathOf(/^assets\/.*css$/));
  expect(styles?.['cache-control']).toBe(kept);
  // Scripts and styles are no pages: a policy says nothing about them.
  expect(styles).not.toHaveProperty('content-security-policy');
  const page = await headersOf('/docs/checks');
  expect(page).toMatchObject({
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'accept-encoding',
  });
});

test('the descriptions are those of both APIs, at the addresses of this bus, for five minutes', async () => {
  const found = await asked('/docs/descriptions.json', {}, '/app');
  const [bus, portal] = found.body as unknown as readonly {
    readonly servers: unknown;
    readonly paths: Readonly<Record<string, object>>;
  }[];
  expect(found.status).toBe(200);
  expect(found.headers).toEqual({
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'accept-encoding',
  });
  // All that they say of themselves, and every path.
  const known = [descriptions.bus, descriptions.portal];
  [bus, portal].forEach((told, at) => {
    const { paths, servers: _own, ...rest } = known[at] as unknown as typeof told & object;
    expect(told).toMatchObject(rest);
    expect(Object.keys(told?.paths ?? {})).toEqual(Object.keys(paths));
  });
  expect([bus?.servers, portal?.servers]).toEqual([
    [{ url: 'https://bus.example' }],
    [{ url: '/app/' }],
  ]);
  const methods = Object.values(bus?.paths ?? {}).flatMap(item => Object.keys(item));
  expect(methods).toContain('post');
  // Browsers add these themselves.
  expect(methods.filter(method => ['head', 'options'].includes(method))).toEqual([]);
});

test('the bus tells that it is up, and describes itself to pages of any origin', async () => {
  const settings = { origin: 'https://bus.example', isLocal: false, region: '' };
  const request = { requestId: 'r', pathParameters: {}, query: {}, headers: {}, body: Buffer.of() };
  expect(await healthEdge({}, settings)(request)).toMatchObject({
    status: 200,
    body: { ok: true, som_version: '1.0.0' },
  });
  expect(await openApiEdge({}, settings)(request)).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' },
    body: { ...descriptions.bus, servers: [{ url: 'https://bus.example' }] },
  });
});
