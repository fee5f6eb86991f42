import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

// The API viewer is Swagger UI. Of the viewers that were weighed it is the only one that installs without dozens of packages:
// swagger-ui-dist brings one more, whose counting of installations package.json switches off (scarfSettings).

const read = (name: string): string => readFileSync(`node_modules/swagger-ui-dist/${name}`, 'utf8');

/** One script, so that a page needs one request: licences, Swagger UI, its styles, and our start of it. */
const viewerScript = (): string => {
  const { version }: { version: string } = JSON.parse(read('package.json'));
  return [
    `/*! swagger-ui-dist ${version}, Apache-2.0. ${read('NOTICE').trim().replaceAll('\n', '. ')} */`,
    read('swagger-ui-bundle.js.LICENSE.txt'),
    read('swagger-ui-bundle.js'),
    `document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(read('swagger-ui.css'))} }));`,
    readFileSync('lib/descriptions/viewer.js', 'utf8'),
  ].join('\n');
};

/** Quality 11 would save a twelfth of the size and take more than ten seconds. */
const compressed = (script: string): Buffer =>
  brotliCompressSync(script, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });

const declarations = `/** SHA-256 of the script, in hexadecimal. */
export const sha256: string;
/** The script: brotli, in base64. */
export const viewer: string;
`;

/** The script of the documentation page, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const script = viewerScript();
  const sha256 = createHash('sha256').update(script).digest('hex');
  const constants = [
    `export const sha256 = '${sha256}';`,
    `export const viewer = '${compressed(script).toString('base64')}';`,
  ];
  return new Map([
    ['docs-viewer.generated.js', `${constants.join('\n')}\n`],
    ['docs-viewer.generated.d.ts', declarations],
  ]);
};
