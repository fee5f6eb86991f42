import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { limits } from '../../contract/limits.ts';
import { health } from '../../contract/message-types.ts';
import { crossOriginHeaders } from '../../contract/paths.ts';
import descriptions from '../../generated/openapi.generated.json';
import {
  type HttpRequest,
  isNavigation,
  matchesEtag,
  takesBrotli,
} from '../../platform/http/request.ts';
import type { Edge, EdgeSettings } from '../../platform/http/respond.ts';
import { type HttpResponse, notFound, response } from '../../platform/http/response.ts';
import { type SiteFile, site } from './site.file.ts';

export const healthEdge: Edge<object> = () =>
  async function healthRoute() {
    return response(200, health);
  };

const cached = {
  ...crossOriginHeaders,
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
};

/** `GET /v1/openapi.json`: the bus's description, with the address it was asked at. */
export const openApiEdge: Edge<object> = (_ports, { origin }) =>
  async function openApiRoute() {
    return response(200, { ...descriptions.bus, servers: [{ url: origin }] }, { headers: cached });
  };

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Headers that browsers add themselves are in the description, but would only lengthen a reader's
 * list.
 */
const forReaders = ({ head: _, options: __, ...operations }: Paths[string]) => operations;

const shown = <T extends { readonly paths: object }>(description: T, url: string) => ({
  ...description,
  servers: [{ url }],
  paths: Object.fromEntries(
    Object.entries(description.paths as Paths).map(([path, item]) => [path, forReaders(item)]),
  ),
});

const shownDescriptions = ({ origin, portalPath = '' }: EdgeSettings) => [
  shown(descriptions.bus, origin),
  shown(descriptions.portal, `${portalPath}/`),
];

const guarded = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept-encoding',
} as const;

const policy = (): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${site()
      .scripts.map(hash => `'sha256-${hash}'`)
      .join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * The site is built for `/docs/`; below the stage of an API without a domain, all its URLs begin
 * with that.
 */
const below = (path: string, { type, content }: SiteFile): Buffer => {
  const built = Buffer.from(content, 'base64');
  if (path === '' || !/^text\/(html|javascript|css)/.test(type)) return built;
  const text = brotliDecompressSync(built).toString('utf8');
  return brotliCompressSync(text.replace(/(["'`(=])\/docs\//g, `$1${path}/docs/`), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
  });
};

const cacheControl = (name: string): string =>
  // The names of assets have a digest of their content.
  name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';

const nameAt = (path: string): string | undefined => {
  const plain = path.replace(/\/$/, '');
  const names = [plain, `${plain}.html`, `${plain}/index.html`.replace(/^\//, '')];
  return names.find(name => Object.hasOwn(site().files, name));
};

const fileResponse = (
  portalPath: string,
  name: string,
  { headers: asked }: HttpRequest,
): HttpResponse => {
  const file = site().files[name];
  if (!file) throw new Error(`The site has no ${name}.`);
  const status = name === '404.html' ? 404 : 200;
  const isCompressed = takesBrotli(asked['accept-encoding']);
  // A strong tag names one form of the content (RFC 9110 section 8.8.3.3).
  const etag = `"${file.tag}${isCompressed ? '-br' : ''}"`;
  const headers = {
    ...guarded,
    etag,
    'content-type': file.type,
    'cache-control': cacheControl(name),
    ...(file.type.startsWith('text/html') && { 'content-security-policy': policy() }),
  };
  if (status === 200 && matchesEtag(asked['if-none-match'], etag))
    return response(304, undefined, { headers });
  const content = below(portalPath, file);
  if (!isCompressed) return response(status, brotliDecompressSync(content), { headers });
  return response(status, content, { headers: { ...headers, 'content-encoding': 'br' } });
};

const descriptionsResponse = (settings: EdgeSettings): HttpResponse =>
  response(200, shownDescriptions(settings), {
    headers: { ...guarded, 'cache-control': `public, max-age=${limits.documentationCacheSeconds}` },
  });

export const docsEdge: Edge<object> = (_ports, settings) => {
  const { portalPath = '' } = settings;
  return async function docsRoute(request) {
    const path = request.pathParameters['proxy'] ?? '';
    if (path === 'descriptions.json') return descriptionsResponse(settings);
    const name = nameAt(path) ?? (isNavigation(request) ? '404.html' : undefined);
    if (name === undefined) return notFound('portal', `/docs/${path}`);
    return fileResponse(portalPath, name, request);
  };
};
