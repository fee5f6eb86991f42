// Prints the software bill of materials of som-bus (CycloneDX 1.5, JSON): `npm run -s sbom > sbom.json`. It is made from
// package-lock.json alone, so the same lockfile gives the same bytes. `npm sbom --omit dev` cannot be used: it leaves out what is
// bundled.
import { readFileSync } from 'node:fs';

/** What the lockfile says about one installed package. */
export interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly inBundle?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A lockfile: packages by their folder, som-bus itself under the empty name. */
export interface Lockfile {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const nameOf = (place: string): string => place.split('node_modules/').at(-1) ?? '';

/** https://github.com/package-url/purl-spec: only the scope's `@` needs escaping in a name of npm. */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** The SHA-512 of the package as published; a bundled package is covered by that of the package around it. */
const hashesOf = ({ integrity }: LockedPackage) => {
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
  return digest === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
};

/** An expression such as `(MIT OR Apache-2.0)` is no single SPDX id. */
const licensesOf = ({ license }: LockedPackage) => {
  if (license === undefined) return {};
  return { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] };
};

/** What the build puts into the service, the functions and the package: for npm, these are packages of development. */
export const bundledPackages = [
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  '@aws-sdk/client-api-gateway',
  '@aws-sdk/client-cloudwatch',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-kms',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-sqs',
  '@aws-sdk/client-ssm',
  '@aws-sdk/client-sts',
  '@aws-sdk/client-wafv2',
  '@aws-sdk/util-dynamodb',
  '@cloudscape-design/collection-hooks',
  '@cloudscape-design/components',
  '@cloudscape-design/global-styles',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/merge',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  'ajv',
  'commander',
  'jose',
  'oauth4webapi',
  'react',
  'react-dom',
  'swagger-ui-dist',
  'yaml',
];

const component = (
  [place, locked]: readonly [string, LockedPackage],
  isRunning: (place: string) => boolean,
) => ({
  'bom-ref': place,
  type: 'library',
  name: nameOf(place),
  version: locked.version,
  scope: isRunning(place) ? (locked.optional ? 'optional' : 'required') : 'excluded',
  purl: purlOf(nameOf(place), locked.version),
  ...hashesOf(locked),
  ...licensesOf(locked),
});

/** Where Node finds a package that another one imports: in its own folder, or in one further out. */
const placeOf = (packages: Lockfile['packages'], from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (folder === '') return undefined;
  }
};

/** The folders of what a package runs with. */
const neededBy = (packages: Lockfile['packages'], [place, locked]: readonly [string, LockedPackage]) => {
  const names = Object.keys({ ...locked.dependencies, ...locked.optionalDependencies });
  return [...names, ...(place === '' ? bundledPackages : [])]
    .flatMap(name => placeOf(packages, place, name) ?? [])
    .sort();
};

/** The folders of everything that som-bus runs with. */
const runningPlaces = (packages: Lockfile['packages']): ReadonlySet<string> => {
  const places = new Set(['']);
  // A set's iterator also visits what is added on the way.
  for (const place of places) {
    const locked = packages[place];
    for (const needed of locked ? neededBy(packages, [place, locked]) : []) places.add(needed);
  }
  return places;
};

/** The bill of materials of a lockfile. What only development needs is listed as `excluded`. */
export const billOfMaterials = ({ name, version, packages }: Lockfile) => {
  const entries = Object.entries(packages);
  const running = runningPlaces(packages);
  const isRunning = (place: string) => running.has(place);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { 'bom-ref': name, type: 'application', name, version, purl: purlOf(name, version) },
    },
    components: entries.filter(([place]) => place !== '').map(entry => component(entry, isRunning)),
    dependencies: entries.map(entry => ({
      ref: entry[0] === '' ? name : entry[0],
      dependsOn: neededBy(packages, entry),
    })),
  };
};

if (require.main === module) {
  const lockfile: Lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  process.stdout.write(`${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
}
