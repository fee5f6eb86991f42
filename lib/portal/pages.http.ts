import { brotliDecompressSync } from 'node:zlib';
import { pageAt } from '../contract/portal/portal-pages.ts';
import {
  files,
  icon,
  preloads,
  script,
  styles,
  version,
} from '../generated/portal-pages.generated.js';
import {
  type HttpRequest,
  isNavigation,
  matchesEtag,
  takesBrotli,
} from '../platform/http/request.ts';
import type { Edge, EdgeSettings } from '../platform/http/respond.ts';
import { type HttpResponse, notFound, response } from '../platform/http/response.ts';

/**
 * Nothing from elsewhere, no script or style in the page, and no text that becomes markup (W3C CSP
 * level 3, Trusted Types).
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
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

const assetUrl = (base: string, name: string): string => `${base}/assets/${name}`;

/**
 * The page before its script runs: the same for everybody, so that it says nothing about who is
 * signed in.
 */
const shell = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="portal-base" content="${base}">
<title>som-bus</title>
<link rel="icon" type="image/svg+xml" href="${assetUrl(base, icon)}">
<link rel="stylesheet" href="${assetUrl(base, styles)}">
${preloads.map(name => `<link rel="modulepreload" href="${assetUrl(base, name)}">`).join('\n')}
<script type="module" src="${assetUrl(base, script)}"></script>
</head>
<body>
<noscript>The portal needs JavaScript. The command line does the same: sombus --help.</noscript>
</body>
</html>
`;

type ShellResponse = (request: Pick<HttpRequest, 'headers'>, status: 200 | 404) => HttpResponse;

const shellResponse = ({ portalPath = '' }: EdgeSettings): ShellResponse => {
  const html = Buffer.from(shell(portalPath));
  const etag = `"${version}"`;
  const headers = {
    ...guarded,
    etag,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    // Its assets change with every release.
    'cache-control': 'no-cache',
  };
  return function respondWithShell(request, status) {
    return status === 200 && matchesEtag(request.headers['if-none-match'], etag)
      ? response(304, undefined, { headers })
      : response(status, html, { headers });
  };
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
  return takesBrotli(asked['accept-encoding'])
    ? response(200, compressed, { headers: { ...headers, 'content-encoding': 'br' } })
    : response(200, brotliDecompressSync(compressed), { headers });
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
    if (pageAt(path)) return respondWithShell(request, 200);
    // The page itself says that there is none, and leads on.
    const isPage = isNavigation(request) && folder !== 'api';
    return isPage ? respondWithShell(request, 404) : notFound('portal', path);
  };
};
