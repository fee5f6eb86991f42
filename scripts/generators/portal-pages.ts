import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, type BuildResult, build, buildSync, type Plugin } from 'esbuild';
import { shellHashes, shellsOf } from './portal-shell.ts';

/**
 * One file of the portal's pages: its name has a digest of its content, so that a browser keeps it
 * for good.
 */
interface Asset {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

type Metafile = BuildResult<{ metafile: true }>['metafile'];

const entry = {
  script: 'web/main.tsx',
  theme: 'web/theme.ts',
  mark: 'web/mark.svg',
  wordmark: 'web/wordmark.svg',
  noDrag: 'web/no-drag.cjs',
} as const;

/** What the first page shows after its first paint. */
const later = /web\/overview\/|components\/segmented-control/;

const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The file that the entry point became. */
const outputOf = ({ outputs }: Metafile): string => {
  const found = Object.keys(outputs).find(path => outputs[path]?.entryPoint === entry.script);
  if (found === undefined) throw new Error(`esbuild made nothing of ${entry.script}.`);
  return found;
};

/** What a script needs before it can run: the browser fetches these at the same time. */
const importsOf = ({ outputs }: Metafile, path: string): readonly string[] => {
  const found = new Set<string>();
  const add = (from: string): void => {
    for (const one of outputs[from]?.imports ?? []) {
      if (one.kind !== 'import-statement' || found.has(one.path)) continue;
      found.add(one.path);
      add(one.path);
    }
  };
  add(path);
  return [...found];
};

const shared = {
  bundle: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  tsconfigRaw: '{}',
  legalComments: 'eof' as const,
  write: false as const,
} satisfies BuildOptions;

const named = (name: string, extension: 'css' | 'svg', type: string, text: string): Asset => {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return { name: `${name}-${digest}.${extension}`, type, text };
};

/** The stylesheet of our theme, made by the design system itself. */
const themeStyles = (): string => {
  const { outputFiles } = buildSync({
    ...shared,
    entryPoints: [entry.theme],
    platform: 'node',
    format: 'cjs',
    loader: { '.css': 'empty' },
  });
  const exported: { stylesheet?: () => string } = {};
  const run = runInThisContext(`(function (module, exports, require) {${outputFiles[0]?.text}\n})`);
  const module = { exports: exported };
  run(module, exported, createRequire(resolve(entry.theme)));
  return module.exports.stylesheet?.() ?? '';
};

/** Components by name, as the pages import them. */
const componentImport = /@cloudscape-design\/components\/([\w-]+)'/g;

const componentsOfPages = (): ReadonlySet<string> => {
  const sources = readdirSync('web', { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => readFileSync(`web/${name}`, 'utf8'));
  return new Set(
    sources.flatMap(text => [...text.matchAll(componentImport)].map(one => `${one[1]}`)),
  );
};

/** Components with many words, which no other component is made of. */
const wordy = [
  'annotation-context',
  'code-editor',
  'collection-preferences',
  'file-upload',
  'prompt-input',
  's3-resource-selector',
  'tag-editor',
  'tutorial-panel',
  'wizard',
];

/** The words of the components, without those of components that no page has. */
const wordsOf = (text: string): string => {
  const all: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(
    text.replace(/^export default /, '').replace(/;?\s*$/, ''),
  );
  const used = componentsOfPages();
  for (const languages of Object.values(all))
    for (const words of Object.values(languages))
      for (const name of wordy) if (!used.has(name)) delete words[name];
  return `export default ${JSON.stringify(all)};`;
};

/** What the layout could do and does not here: it would bring a list and a calendar with it. */
const noNotifications =
  'export const RuntimeContentPart = () => null; export default function None() { return null; }';

/** Leaves out of the design system what nobody sees, and every page would load. */
const leaner: Plugin = {
  name: 'leaner',
  setup({ onLoad }) {
    onLoad({ filter: /i18n[\\/]messages[\\/]all\.en\.js$/ }, ({ path }) => ({
      contents: wordsOf(readFileSync(path, 'utf8')),
    }));
    onLoad({ filter: /feature-notifications-drawer-content\.js$/ }, () => ({
      contents: noNotifications,
    }));
  },
};

/** Styles of components, in one text; without fonts: the system's are shown. */
const stylesOf = (paths: readonly string[]): string => {
  const imports = [...paths]
    .sort((a, b) => Number(b.startsWith('web/')) - Number(a.startsWith('web/')))
    .map(path => `@import "./${path}";`);
  const { outputFiles } = buildSync({
    ...shared,
    stdin: { contents: imports.join('\n'), loader: 'css', resolveDir: '.' },
  });
  return (outputFiles[0]?.text ?? '').replace(/@font-face\s*\{[^}]*\}/g, '');
};

/** A variable of the design system's: its name ends with a digest. */
const declaration = /(--[\w-]+-[a-z\d]{6}):[^;{}]*(?:;|(?=\}))/g;

/** Stylesheets without the variables that none of them uses: of all themes, a quarter. */
const withoutUnused = (texts: readonly string[]): readonly string[] => {
  const used = new Set(
    texts.flatMap(text => [...text.matchAll(/var\((--[\w-]+)/g)].map(one => one[1])),
  );
  return texts.map(text => text.replace(declaration, (all, name) => (used.has(name) ? all : '')));
};

/**
 * The styles of what every page needs; of what the first page shows later; and of the rest, which
 * comes with the first page that needs it.
 */
const stylesheets = (metafile: Metafile, script: string): readonly Asset[] => {
  const { outputs } = metafile;
  const stylesIn = (paths: readonly string[]) =>
    paths
      .flatMap(path => [path, ...importsOf(metafile, path)])
      .flatMap(path => Object.keys(outputs[path]?.inputs ?? {}))
      .filter(path => path.endsWith('.css'));
  const laterParts = Object.keys(outputs).filter(path =>
    later.test(outputs[path]?.entryPoint ?? ''),
  );
  const seen = new Set<string>();
  const groups = [[script], laterParts, Object.keys(outputs)].map(paths => {
    const own = [...new Set(stylesIn(paths))].filter(path => !seen.has(path));
    for (const path of own) seen.add(path);
    return stylesOf(own);
  });
  const [first = '', ...rest] = groups;
  return withoutUnused([`${first}\n${themeStyles()}`, ...rest]).map((text, at) =>
    named(['portal', 'later', 'pages'][at] ?? '', 'css', 'text/css; charset=utf-8', text),
  );
};

/**
 * The pages, bundled: the part that every page needs, and one more file for each part of the
 * portal.
 */
const bundle = async () => {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { portal: entry.script },
    // Every part then needs all that the first page needs: that is one file, and not one for each
    // set of parts that share a module. `web/package.json` keeps the import: this package's own
    // `sideEffects` would leave it out.
    inject: [entry.script],
    splitting: true,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.css': 'empty', '.svg': 'dataurl' },
    alias: {
      ...Object.fromEntries(
        ['core', 'sortable', 'utilities'].map(name => [`@dnd-kit/${name}`, `./${entry.noDrag}`]),
      ),
      // The words of the components come parsed.
      '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/lib/no-parser.js',
    },
    plugins: [leaner],
    // The words of the components in other languages: the portal speaks English.
    external: ['./messages/all.*'],
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    outdir: 'assets',
    metafile: true,
  });
  const scripts = outputFiles
    .filter(({ path }) => path.endsWith('.js'))
    .map(
      ({ path, text }): Asset => ({
        name: fileOf(path),
        type: 'text/javascript; charset=utf-8',
        text,
      }),
    );
  const script = outputOf(metafile);
  const sheets = stylesheets(metafile, script);
  const icon = named('portal', 'svg', 'image/svg+xml', readFileSync(entry.mark, 'utf8'));
  return {
    assets: [...scripts, ...sheets, icon],
    script: fileOf(script),
    sheets: sheets.map(({ name }) => name),
    icon: icon.name,
    preloads: importsOf(metafile, script).map(fileOf),
    outputs: metafile.outputs,
  };
};

const compressed = (text: string): string =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).toString('base64');

const declarations = `import type { PortalPage } from '../contract/portal/portal-pages.ts';
/** A file of the pages: brotli, in base64. */
export interface PageFile {
  readonly type: string;
  readonly content: string;
}
/** By name; each name has a digest of its file. */
export const files: Readonly<Record<string, PageFile>>;
/** The files that the shell names. */
export const script: string;
/** Styles: of what every page needs; of what the first shows later; of all other pages. */
export const sheets: readonly [first: string, later: string, pages: string];
/** What the script imports at once. */
export const preloads: readonly string[];
/** Each page as it is before its script runs, and none; with {base} and {w} to be filled in. */
export const shells: Readonly<Record<PortalPage | 'none', string>>;
/** What a content security policy has to allow of a shell. */
export const shellHashes: { readonly style: string; readonly script: string };
`;

/** The portal's pages, by file name in lib/generated. */
export const files = async (): Promise<ReadonlyMap<string, string>> => {
  const { assets, script, sheets, icon, preloads, outputs } = await bundle();
  const files = assets.map(
    ({ name, type, text }) => [name, { type, content: compressed(text) }] as const,
  );
  const wordmark = readFileSync(entry.wordmark, 'utf8').trim();
  const shells = shellsOf({ script, sheets, icon, preloads, wordmark });
  const text = [
    `export const files = ${JSON.stringify(Object.fromEntries(files), null, 1)};`,
    `export const script = '${script}';`,
    `export const sheets = ${JSON.stringify(sheets)};`,
    `export const preloads = ${JSON.stringify(preloads)};`,
    `export const shells = ${JSON.stringify(shells, null, 1)};`,
    `export const shellHashes = ${JSON.stringify(shellHashes)};`,
  ];
  return new Map([
    ['portal-pages.generated.js', `${text.join('\n')}\n`],
    ['portal-pages.generated.d.ts', declarations],
    // What the pages include of other packages, in the form of esbuild's metafile.
    ['portal-pages.generated.json', JSON.stringify({ outputs })],
  ]);
};
