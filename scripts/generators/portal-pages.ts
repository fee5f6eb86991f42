import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildSync } from 'esbuild';

/** One file of the portal's pages: its name has a digest of its content, so that a browser keeps it for good. */
interface Asset {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The pages, bundled: the part that every page needs, and one more file for each part of the portal. */
const build = (): { readonly assets: readonly Asset[]; readonly script: string; readonly styles: string } => {
  const { outputFiles, metafile } = buildSync({
    entryPoints: { portal: 'web/main.tsx', styles: 'web/styles.css' },
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
  const assets = outputFiles.map(({ path, text }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { name, type: types[extname(name)] ?? '', text };
  });
  const outputOf = (entry: string): string => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
    if (!found) throw new Error(`esbuild made nothing of ${entry}.`);
    return found[0].slice(found[0].lastIndexOf('/') + 1);
  };
  return { assets, script: outputOf('web/main.tsx'), styles: outputOf('web/styles.css') };
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
/** Changes when any file does. */
export const version: string;
`;

/** The portal's pages, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const { assets, script, styles } = build();
  const named = assets.map(({ name, type, text }) => [name, { type, content: compressed(text) }] as const);
  const version = createHash('sha256')
    .update(assets.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 16);
  const text = [
    `export const files = ${JSON.stringify(Object.fromEntries(named), null, 1)};`,
    `export const script = '${script}';`,
    `export const styles = '${styles}';`,
    `export const version = '${version}';`,
  ];
  return new Map([
    ['portal-pages.generated.js', `${text.join('\n')}\n`],
    ['portal-pages.generated.d.ts', declarations],
  ]);
};
