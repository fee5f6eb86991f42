import { createHash } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import descriptions from '../generated/openapi.generated.json';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a browser sends of itself is in the description, and would only lengthen a reader's list. */
const forReaders = ({ head: _, options: __, ...operations }: Paths[string]) => operations;

/** A description for people, with where its requests go. */
const shown = <T extends { readonly paths: object }>(description: T, url: string) => ({
  ...description,
  servers: [{ url }],
  paths: Object.fromEntries(
    Object.entries(description.paths as Paths).map(([path, item]) => [path, forReaders(item)]),
  ),
});

/** What the viewer shows, and that it asks nobody for anything: the bus takes no requests from browsers. */
const configuration = (origin: string) => ({
  sources: [
    {
      title: 'Bus',
      slug: 'bus',
      default: true,
      content: shown(descriptions.bus, origin),
    },
    {
      title: 'Skill catalogue',
      slug: 'skills',
      content: shown(descriptions.portal, '/'),
    },
  ],
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  hideTestRequestButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
});

/** JSON inside a script element: `<` could end it. */
const embedded = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (script: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>som-bus: API</title>
</head>
<body>
<div id="api"></div>
<noscript>This page needs JavaScript. The description itself is at /v1/openapi.json of the bus.</noscript>
<script src="${routes['docs-viewer'].path}"></script>
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
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** `GET /docs`: a page that loads nothing from anywhere else. */
export const docsEdge: Edge<object> = (_ports, { origin }) => {
  const script = `Scalar.createApiReference('#api', ${embedded(configuration(origin))})`;
  const html = Buffer.from(page(script));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
    'content-security-policy': policy(script),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return async () => answer(200, html, { headers });
};
