// Fetches the API viewer from npm and writes it, compressed, into lib/generated. Run by hand when the pin below changes:
// as a dependency it would bring some 250 packages to everybody who installs som-bus, for one file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const pin = {
  package: '@scalar/api-reference@1.72.1',
  integrity:
    'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==',
  file: 'package/dist/browser/standalone.js',
};

const folder = mkdtempSync(join(tmpdir(), 'sombus-viewer-'));
try {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, pin.package]);
  const tarball = join(folder, packed.toString().trim().split('\n').at(-1) ?? '');
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (integrity !== pin.integrity) throw new Error(`${pin.package} has the integrity ${integrity}.`);
  const script = execFileSync('tar', ['-xzOf', tarball, pin.file], { maxBuffer: 64 * 1024 * 1024 });
  const brotli = brotliCompressSync(script, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  });
  const head = `// ${pin.package} (MIT), ${pin.file}, brotli in base64. Written by scripts/vendor-viewer.mjs.\n`;
  writeFileSync(
    'lib/generated/docs-viewer.generated.js',
    `${head}export const sha256 =\n  '${createHash('sha256').update(script).digest('hex')}';\nexport const viewer =\n  '${brotli.toString('base64')}';\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
