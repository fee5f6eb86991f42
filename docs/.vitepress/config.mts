import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { codeColours, colourClasses } from './code-colours.mts';
import { linkedFiles, linksOutside } from './links.mts';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const mark = `data:image/svg+xml,${encodeURIComponent(read('web/mark.svg'))}`;

const titleOf = (file: string): string =>
  /^(?:# |title: )(.+)$/m.exec(read(`docs/${file}`))?.[1] ?? file;

/** A link to a page, which has the page's own title. */
const page = (file: string, text = titleOf(file)) => ({
  text,
  link: `/${file.replace(/(README)?\.md$/, '')}`,
});

const guidePages = [
  ...read('docs/guides/README.md').matchAll(/^\| [^[]*\[.*?\]\(([\w-]+(?:\/[\w-]+)?\.md)\)/gm),
].map(([, name]) => page(`guides/${name}`));

const rulePages = readdirSync(join(root, 'docs/rules'))
  .filter(name => name !== 'README.md')
  .map(name => page(`rules/${name}`));

const decisionPages = readdirSync(join(root, 'docs/decisions'))
  .filter(name => name !== 'README.md')
  .map(name => page(`decisions/${name}`));

const pages = (...files: readonly string[]) => files.map(file => page(file));

/** The API viewer, Swagger UI, is not bundled: VitePress would take its styles for those of the site. */
const viewerFiles = ['swagger-ui-bundle.js', 'swagger-ui.css'].map(
  name => `node_modules/swagger-ui-dist/${name}`,
);

/** The licences of what a page's scripts include are in the package: this says what they include, as esbuild's metafile does. */
const included = {
  name: 'sombus:included',
  generateBundle(
    this: { emitFile(file: object): string },
    _: unknown,
    bundle: Readonly<Record<string, { readonly modules?: Readonly<Record<string, object>> }>>,
  ) {
    const modules = Object.values(bundle).flatMap(({ modules = {} }) => Object.keys(modules));
    const inputs = Object.fromEntries(
      [...modules, ...viewerFiles].flatMap(id => {
        const [path] = /node_modules\/(?!.*node_modules\/)[^?]*/.exec(id) ?? [];
        return path === undefined ? [] : [[path, { bytesInOutput: 1 }]];
      }),
    );
    this.emitFile({
      type: 'asset',
      fileName: 'included.json',
      source: JSON.stringify({ site: { inputs } }),
    });
  },
};

export default defineConfig({
  title: 'som-bus',
  description: 'How to publish, consume and test Story Object Model messages',
  base: '/docs/',
  cleanUrls: true,
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: {
    'guides/README.md': 'guides/index.md',
    'guides/roles/README.md': 'guides/roles/index.md',
    'rules/README.md': 'rules/index.md',
    'decisions/README.md': 'decisions/index.md',
  },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: mark }]],
  // Otherwise VueUse writes a style element, which the content security policy refuses.
  appearance: { disableTransition: false },
  router: { prefetchLinks: false },
  metaChunk: true,
  // The policy refuses styles in the page; these two only matter to browsers without `dvh`, and to nobody.
  transformHtml: html => html.replace(/ style="[^"]*"/g, ''),
  markdown: { theme: codeColours, codeTransformers: [colourClasses], config: linksOutside },
  vite: { plugins: [included], build: { chunkSizeWarningLimit: 2000 } },
  buildEnd({ outDir }) {
    for (const file of [...linkedFiles, ...viewerFiles]) {
      const copy = join(outDir, 'files', file);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(root, file), copy);
    }
  },
  themeConfig: {
    logo: mark,
    search: { provider: 'local' },
    notFound: {
      title: 'Page not found',
      quote: 'There is no page of the documentation at this address.',
      linkText: 'Go to the first page',
      linkLabel: 'Go to the first page',
    },
    outline: [2, 3],
    nav: [
      page('guides/README.md'),
      page('rules/README.md'),
      page('contract.md', 'Contract'),
      page('checks.md', 'Test runs'),
      page('api.md'),
    ],
    sidebar: [
      { text: 'Guides', items: guidePages },
      {
        text: 'Reference',
        items: pages('contract.md', 'routes.md', 'api.md', 'checks.md', 'skills.md', 'delivery.md'),
      },
      {
        text: 'Operating',
        items: pages('runbook.md', 'permissions.md', 'portal-access.md', 'scale.md', 'cost.md'),
      },
      { text: 'How it is built', items: pages('architecture.md') },
      { text: 'Decisions', link: '/decisions/', collapsed: true, items: decisionPages },
      { text: 'Rules', link: '/rules/', collapsed: true, items: rulePages },
    ],
  },
});
