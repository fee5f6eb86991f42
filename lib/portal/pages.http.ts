import { brotliDecompressSync } from 'node:zlib';
import { pageAt } from '../contract/portal-pages.ts';
import { files, icon, preloads, script, styles, version } from '../generated/portal-pages.generated.js';
import { answer, type HttpAnswer, notFound } from '../http/answer.ts';
import { type HttpRequest, isNavigation, matchesEtag, takesBrotli } from '../http/request.ts';
import type { Edge, EdgeSettings } from '../http/respond.ts';

/** Nothing from elsewhere, no script or style in the page, and no text that becomes markup (W3C CSP level 3, Trusted Types). */
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

const assetAddress = (base: string, name: string): string => `${base}/assets/${name}`;

/** The page before its script runs: the same for everybody, so that it says nothing about who is signed in. */
const shell = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="portal-base" content="${base}">
<title>som-bus</title>
<link rel="icon" type="image/svg+xml" href="${assetAddress(base, icon)}">
<link rel="stylesheet" href="${assetAddress(base, styles)}">
${preloads.map(name => `<link rel="modulepreload" href="${assetAddress(base, name)}">`).join('\n')}
<script type="module" src="${assetAddress(base, script)}"></script>
</head>
<body>
<noscript>The portal needs JavaScript. The command line does the same: sombus --help.</noscript>
</body>
</html>
`;

type ShellAnswer = (request: Pick<HttpRequest, 'headers'>, status: 200 | 404) => HttpAnswer;

const shellAnswer = ({ portalPath = '' }: EdgeSettings): ShellAnswer => {
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
  return function answerShell(request, status) {
    return status === 200 && matchesEtag(request.headers['if-none-match'], etag)
      ? answer(304, undefined, { headers })
      : answer(status, html, { headers });
  };
};

const assetAnswer = (name: string, { headers: asked }: HttpRequest): HttpAnswer | undefined => {
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
    ? answer(200, compressed, { headers: { ...headers, 'content-encoding': 'br' } })
    : answer(200, brotliDecompressSync(compressed), { headers });
};

export const portalEdge: Edge<object> = (_ports, settings) => {
  const answerShell = shellAnswer(settings);
  return async function portalRoute(request) {
    return answerShell(request, 200);
  };
};

/** `GET` of any other address of the portal: its pages, and the files that these load. */
export const portalPageEdge: Edge<object> = (_ports, settings) => {
  const answerShell = shellAnswer(settings);
  return async function portalPageRoute(request) {
    const path = `/${request.pathParameters['proxy'] ?? ''}`;
    const [, folder = '', name = ''] = path.split('/');
    if (folder === 'assets') return assetAnswer(name, request) ?? notFound('portal', path);
    if (pageAt(path)) return answerShell(request, 200);
    // The page itself says that there is none, and leads on.
    const isPage = isNavigation(request) && folder !== 'api';
    return isPage ? answerShell(request, 404) : notFound('portal', path);
  };
};
