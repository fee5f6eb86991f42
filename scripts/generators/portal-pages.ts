import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, type BuildResult, buildSync } from 'esbuild';

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
  noDrag: 'web/no-drag.cjs',
} as const;

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

const named = (extension: 'css' | 'svg', type: string, text: string): Asset => {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return { name: `portal-${digest}.${extension}`, type, text };
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

/**
 * The styles of all components that any page uses, in one file; without fonts: the system's are
 * shown.
 */
const stylesOf = ({ inputs }: Metafile): Asset => {
  const imports = Object.keys(inputs)
    .filter(path => path.endsWith('.css'))
    .sort((a, b) => Number(b.startsWith('web/')) - Number(a.startsWith('web/')))
    .map(path => `@import "./${path}";`);
  const { outputFiles } = buildSync({
    ...shared,
    stdin: { contents: imports.join('\n'), loader: 'css', resolveDir: '.' },
  });
  const text = (outputFiles[0]?.text ?? '').replace(/@font-face\s*\{[^}]*\}/g, '');
  return named('css', 'text/css; charset=utf-8', `${text}\n${themeStyles()}`);
};

/**
 * The pages, bundled: the part that every page needs, and one more file for each part of the
 * portal.
 */
const build = () => {
  const { outputFiles, metafile } = buildSync({
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
    alias: Object.fromEntries(
      ['core', 'sortable', 'utilities'].map(name => [`@dnd-kit/${name}`, `./${entry.noDrag}`]),
    ),
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
  const styles = stylesOf(metafile);
  const icon = named('svg', 'image/svg+xml', readFileSync(entry.mark, 'utf8'));
  const script = outputOf(metafile);
  return {
    assets: [...scripts, styles, icon],
    script: fileOf(script),
    styles: styles.name,
    icon: icon.name,
    preloads: importsOf(metafile, script).map(fileOf),
    outputs: metafile.outputs,
  };
};

const compressed = (text: string): string =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).toString('base64');

const declarations = `/** A file of the pages: brotli, in base64. */
export interface PageFile {
  readonly type: string;
  readonly content: string;
}
/** By name; each name has a digest of its file. */
export const files: Readonly<Record<string, PageFile>>;
/** The files that the shell names. */
export const script: string;
export const styles: string;
export const icon: string;
/** What the script imports at once. */
export const preloads: readonly string[];
/** Changes when any file does. */
export const version: string;
`;

/** The portal's pages, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const { assets, script, styles, icon, preloads, outputs } = build();
  const files = assets.map(
    ({ name, type, text }) => [name, { type, content: compressed(text) }] as const,
  );
  const version = createHash('sha256')
    .update(assets.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 16);
  const text = [
    `export const files = ${JSON.stringify(Object.fromEntries(files), null, 1)};`,
    `export const script = '${script}';`,
    `export const styles = '${styles}';`,
    `export const icon = '${icon}';`,
    `export const preloads = ${JSON.stringify(preloads)};`,
    `export const version = '${version}';`,
  ];
  return new Map([
    ['portal-pages.generated.js', `${text.join('\n')}\n`],
    ['portal-pages.generated.d.ts', declarations],
    // What the pages include of other packages, in the form of esbuild's metafile.
    ['portal-pages.generated.json', JSON.stringify({ outputs })],
  ]);
};
