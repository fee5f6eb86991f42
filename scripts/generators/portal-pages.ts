import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildResult, buildSync } from 'esbuild';

/** One file of the portal's pages: its name has a digest of its content, so that a browser keeps it for good. */
interface Asset {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

type Outputs = BuildResult<{ metafile: true }>['metafile']['outputs'];

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const entry = { script: 'web/main.tsx', styles: 'web/styles.css' } as const;

const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The file that an entry point became. */
const outputOf = (outputs: Outputs, wanted: string): string => {
  const found = Object.keys(outputs).find(path => outputs[path]?.entryPoint === wanted);
  if (found === undefined) throw new Error(`esbuild made nothing of ${wanted}.`);
  return found;
};

/** What a script needs before it can run: the browser fetches these at the same time. */
const importsOf = (outputs: Outputs, path: string): readonly string[] => [
  ...new Set(
    (outputs[path]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(one => [one.path, ...importsOf(outputs, one.path)]),
  ),
];

/** The pages, bundled: the part that every page needs, and one more file for each part of the portal. */
const build = () => {
  const { outputFiles, metafile } = buildSync({
    entryPoints: { portal: entry.script, styles: entry.styles },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: '{}',
    legalComments: 'eof',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    outdir: 'assets',
    write: false,
    metafile: true,
  });
  const assets = outputFiles.map(({ path, text }): Asset => {
    const name = fileOf(path);
    return { name, type: types[extname(name)] ?? '', text };
  });
  const script = outputOf(metafile.outputs, entry.script);
  return {
    assets,
    script: fileOf(script),
    styles: fileOf(outputOf(metafile.outputs, entry.styles)),
    preloads: importsOf(metafile.outputs, script).map(fileOf),
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
/** What the script imports at once. */
export const preloads: readonly string[];
/** Changes when any file does. */
export const version: string;
`;

/** The portal's pages, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const { assets, script, styles, preloads, outputs } = build();
  const named = assets.map(({ name, type, text }) => [name, { type, content: compressed(text) }] as const);
  const version = createHash('sha256')
    .update(assets.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 16);
  const text = [
    `export const files = ${JSON.stringify(Object.fromEntries(named), null, 1)};`,
    `export const script = '${script}';`,
    `export const styles = '${styles}';`,
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
