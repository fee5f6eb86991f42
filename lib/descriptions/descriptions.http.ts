import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { crossOriginHeaders } from '../contract/addresses.ts';
import { limits } from '../contract/limits.ts';
import { health } from '../contract/message-types.ts';
import { routes } from '../contract/routes.ts';
import { sha256, viewer } from '../generated/docs-viewer.generated.js';
import descriptions from '../generated/openapi.generated.json';
import { answer } from '../http/answer.ts';
import { matchesEtag, takesBrotli } from '../http/request.ts';
import type { Edge, EdgeSettings } from '../http/respond.ts';

/** `GET /v1/health`. */
export const healthEdge: Edge<object> = () =>
  async function healthRoute() {
    return answer(200, health);
  };

const cached = {
  ...crossOriginHeaders,
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
};

/** `GET /v1/openapi.json`: the bus's description, with the address it was asked at. */
export const openApiEdge: Edge<object> = (_ports, { origin }) =>
  async function openApiRoute() {
    return answer(200, { ...descriptions.bus, servers: [{ url: origin }] }, { headers: cached });
  };

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Headers that browsers add themselves are in the description, but would only lengthen a reader's list. */
const forReaders = ({ head: _, options: __, ...operations }: Paths[string]) => operations;

/** A description for people, with the address that its requests go to. */
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

/** No "send" button, because the bus takes no requests from browsers, and no choice of another server. */
const settings = {
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: [],
  validatorUrl: null,
};

/** JSON inside a script element: an unescaped `<` could end it. */
const embedded = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (script: string, viewerAddress: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>som-bus: API</title>
</head>
<body>
<main></main>
<noscript>This page needs JavaScript. The description itself is at /v1/openapi.json of the bus.</noscript>
<script src="${viewerAddress}"></script>
<script>${script}</script>
</body>
</html>
`;

const policy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'", // the viewer writes its styles into the page
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** `GET /docs`: a page that loads nothing from anywhere else. */
export const docsEdge: Edge<object> = (_ports, deployed) => {
  const script = `showDescriptions(${embedded(shownDescriptions(deployed))}, ${embedded(settings)})`;
  const html = Buffer.from(page(script, (deployed.portalPath ?? '') + routes['docs-viewer'].path));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
    'content-security-policy': policy(script),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return async function docsRoute() {
    return answer(200, html, { headers });
  };
};

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
};

/** A strong tag names one form of the content: the compressed script has a different one (RFC 9110 section 8.8.3.3). */
const tags = { br: `"${sha256}-br"`, identity: `"${sha256}"` } as const;

/** `GET /docs/viewer.js`: the viewer. A browser that has it revalidates every five minutes, and gets 304. */
export const docsViewerEdge: Edge<object> = () => {
  const compressed = Buffer.from(viewer, 'base64');
  return async function docsViewerRoute(request) {
    const encoding = takesBrotli(request.headers['accept-encoding']) ? 'br' : 'identity';
    const tagged = { ...headers, etag: tags[encoding] };
    if (matchesEtag(request.headers['if-none-match'], tags[encoding]))
      return answer(304, undefined, { headers: tagged });
    return encoding === 'br'
      ? answer(200, compressed, { headers: { ...tagged, 'content-encoding': 'br' } })
      : answer(200, brotliDecompressSync(compressed), { headers: tagged });
  };
};
