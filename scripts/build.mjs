// Makes lib/generated, then bundles the command line (and with it the local service) and what the
// package exports into dist. esbuild leaves out modules of ours that nobody uses, because
// package.json says that none of them has side effects: a file that does something when it is
// imported must be an entry point.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildExports } from './build-exports.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
};

/**
 * A part of lib/generated: a script that exports `files` (from name to text), and what that script
 * reads. In this order: the descriptions show the responses of the validators.
 */
const parts = [
  { name: 'check-cases', reads: ['checks'] },
  { name: 'validators', reads: ['schemas'] },
  { name: 'message-types', reads: ['schemas'] },
  { name: 'message-members', reads: ['schemas'] },
  {
    name: 'openapi',
    reads: ['schemas', 'skills/schemas', 'scripts/descriptions/examples.yaml', 'package.json'],
  },
  {
    name: 'portal-pages',
    reads: [
      ...['web', 'lib/skills', 'lib/checks', 'lib/platform/json', 'lib/contract'],
      ...['skills', 'schemas', 'checks'],
    ],
  },
  // It also carries the files that its pages link to.
  {
    name: 'docs-site',
    reads: ['docs', 'web/mark.svg', 'schemas', 'skills/schemas', 'examples/newsroom.yaml'],
  },
];

/** What the portal's function and the local service read beside their bundles. */
const site = 'docs-site.generated.json';

const filesIn = path =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap(name => filesIn(join(path, name)))
    : [path];

const sha256 = (...contents) =>
  contents.reduce((hash, content) => hash.update(content), createHash('sha256')).digest('hex');

/**
 * What a part is made of: the script with all that it imports, the files it reads, the versions of
 * packages.
 */
const digest = (script, reads) => {
  const paths = [...reads.flatMap(filesIn), 'package-lock.json'];
  return sha256(script, ...paths.flatMap(path => [path, readFileSync(path)]));
};

const folder = 'lib/generated';

const isWritten = ([file, hash]) =>
  existsSync(join(folder, file)) && sha256(readFileSync(join(folder, file))) === hash;

/** Runs a part's script, unless what it wrote last is there and was made of the same. */
const makePart = async ({ name, reads }) => {
  const entryPoints = [`scripts/generators/${name}.ts`];
  const { outputFiles } = await build({
    ...options,
    entryPoints,
    packages: 'external',
    write: false,
  });
  const script = outputFiles[0].text;
  const stamp = join(folder, `${name}.made.json`);
  const made = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { files: {} };
  const of = digest(script, reads);
  if (made.of === of && Object.entries(made.files).every(isWritten)) return;

  const runnable = join('dist', `make-${name}.cjs`);
  writeFileSync(runnable, script);
  const written = [...(await createRequire(import.meta.url)(resolve(runnable)).files())];
  rmSync(runnable);
  for (const [file, text] of written) writeFileSync(join(folder, file), text);
  const files = Object.fromEntries(written.map(([file, text]) => [file, sha256(text)]));
  writeFileSync(stamp, JSON.stringify({ of, files }));
};

/** Lets a command run once, so that what V8 compiled for it can be kept. */
const keepCompiled = program => {
  const env = { ...process.env, SOMBUS_KEEP_COMPILED: 'yes' };
  const { status, stderr } = spawnSync(process.execPath, [program, '--version'], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
};

const bundle = async () => {
  rmSync('dist/main.cache', { force: true });
  const { metafile } = await build({
    ...options,
    metafile: true,
    entryPoints: { main: 'bin/sombus.ts' },
    outdir: 'dist',
    // A native program: npm installs the one of the platform.
    external: ['libsql'],
    // Compiled code that was kept cannot import: what is left of imports becomes calls of require.
    supported: { 'dynamic-import': false },
    sourcemap: true,
  });
  const pages = JSON.parse(readFileSync(join(folder, 'portal-pages.generated.json'), 'utf8'));
  const included = JSON.parse(
    readFileSync(join(folder, 'docs-site.included.generated.json'), 'utf8'),
  );
  const outputs = { ...metafile.outputs, ...pages.outputs, ...included };
  writeFileSync('dist/third-party-licenses.txt', thirdPartyLicenses({ outputs }));
  copyFileSync(join(folder, site), join('dist', site));
  copyFileSync('bin/launch.cjs', 'dist/sombus.js');
  chmodSync('dist/sombus.js', 0o755);
  keepCompiled('dist/sombus.js');
};

// `npm ci` also runs this where only the two package files are, to install what an image needs.
if (existsSync('bin/sombus.ts')) {
  for (const path of [folder, 'dist']) mkdirSync(path, { recursive: true });
  for (const part of parts) await makePart(part);
  await bundle();
  // A native program: npm installs the one of the platform.
  await buildExports({ ...options, external: ['libsql'] });
}
