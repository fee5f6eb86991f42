import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { pageAt } from '../contract/portal/portal-pages.ts';
import { files, shellHashes, shells } from '../generated/portal-pages.generated.js';
import {
  type HttpRequest,
  isNavigation,
  matchesEtag,
  takesBrotli,
} from '../platform/http/request.ts';
import type { Edge, EdgeSettings } from '../platform/http/respond.ts';
import { type HttpResponse, notFound, response } from '../platform/http/response.ts';

/**
 * Nothing from elsewhere, no script or style in the page but the shell's own, and no text that
 * becomes markup (W3C CSP level 3, Trusted Types).
 */
const policy = [
  "default-src 'none'",
  `script-src 'self' ${shellHashes.script}`,
  `style-src 'self' ${shellHashes.style}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const guarded = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

type ShellResponse = (
  request: Pick<HttpRequest, 'headers'>,
  shown: { readonly path: string; readonly status: 200 | 404 },
) => HttpResponse;

const shellResponse =
  ({ portalPath = '' }: EdgeSettings): ShellResponse =>
  (request, { path, status }) => {
    const place = pageAt(path);
    const w = encodeURIComponent(place?.names['w'] ?? '');
    const shell = shells[place?.page ?? 'none'];
    const html = Buffer.from(shell.replaceAll('{base}', portalPath).replaceAll('{w}', w));
    const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
    const headers = {
      ...guarded,
      etag,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // Its assets change with every release.
      'cache-control': 'no-cache',
    };
    if (status === 200 && matchesEtag(request.headers['if-none-match'], etag))
      return response(304, undefined, { headers });
    return response(status, html, { headers });
  };

const assetResponse = (name: string, { headers: asked }: HttpRequest): HttpResponse | undefined => {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) return undefined;
  const headers = {
    ...guarded,
    'content-type': file.type,
    // The name has a digest of the content: whatever changes has another name.
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  const compressed = Buffer.from(file.content, 'base64');
  if (!takesBrotli(asked['accept-encoding']))
    return response(200, brotliDecompressSync(compressed), { headers });
  return response(200, compressed, { headers: { ...headers, 'content-encoding': 'br' } });
};

/**
 * `GET` of the portal's root and of any URL that no other route is for: its pages, and the files
 * that these load.
 */
export const portalPageEdge: Edge<object> = (_ports, settings) => {
  const respondWithShell = shellResponse(settings);
  return async function portalPageRoute(request) {
    const path = `/${request.pathParameters['proxy'] ?? ''}`;
    const [, folder = '', name = ''] = path.split('/');
    if (folder === 'assets') return assetResponse(name, request) ?? notFound('portal', path);
    if (pageAt(path)) return respondWithShell(request, { path, status: 200 });
    // The page itself says that there is none, and leads on.
    const isPage = isNavigation(request) && folder !== 'api';
    return isPage ? respondWithShell(request, { path, status: 404 }) : notFound('portal', path);
  };
};
