// Adds to package-lock.json the optional platform packages that the registry in use does not carry:
// npm drops them from the lock and `npm ci` then refuses it as incomplete. Also removes download
// addresses. Run it after every `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'ppc64',
  's390x',
  'riscv64',
  'loong64',
  'mips64el',
];

/** `@scope/name-linux-x64-musl` → the `os`, `cpu` and `libc` members npm would have recorded. */
const platformOf = name => {
  const words = name.split(/[-/]/);
  const pick = list => list.filter(item => words.includes(item));
  const libc = words.some(word => /^musl/.test(word))
    ? ['musl']
    : words.some(word => /^gnu/.test(word))
      ? ['glibc']
      : [];
  return { os: pick(systems), cpu: pick(processors), ...(libc.length > 0 ? { libc } : {}) };
};

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = {};
for (const [place, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  if (place === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = platformOf(name);
    const known =
      `node_modules/${name}` in lock.packages || `${place}/node_modules/${name}` in lock.packages;
    if (known || platform.os.length === 0) continue;
    added[`node_modules/${name}`] = {
      version,
      ...platform,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
  }
}
const sorted = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
);
