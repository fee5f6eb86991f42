import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, sep } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.png': 'image/png',
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(join(folder, name)).isFile(),
  );

/** Quality 11 would save a twelfth of the size and take five times as long. */
const compressed = (content: Buffer): string =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).toString(
    'base64',
  );

const scriptsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script]) => script ?? '',
  );

const hashOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('base64');

/** The site that VitePress makes of `docs`, by file name in lib/generated. */
export const files = async (): Promise<ReadonlyMap<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-docs-'));
  try {
    const { build } = await import('vitepress');
    await build('docs', { outDir: folder });
    const included = readFileSync(join(folder, 'included.json'), 'utf8');
    const contents = filesIn(folder)
      .filter(name => name !== 'included.json')
      .sort()
      .map(name => ({
        name: name.replaceAll(sep, '/'),
        content: readFileSync(join(folder, name)),
      }));
    const pages = contents.filter(({ name }) => name.endsWith('.html'));
    const scripts = pages.flatMap(({ content }) => scriptsIn(content.toString('utf8')));
    const site = {
      scripts: [...new Set(scripts.map(hashOf))],
      files: Object.fromEntries(
        contents.map(({ name, content }) => [
          name,
          {
            type: types[extname(name)],
            tag: hashOf(content).slice(0, 16),
            content: compressed(content),
          },
        ]),
      ),
    };
    return new Map([
      ['docs-site.generated.json', JSON.stringify(site)],
      // What the pages include of other packages, in the form of esbuild's metafile.
      ['docs-site.included.generated.json', included],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
