// Prints the software bill of materials of som-bus (CycloneDX 1.5, JSON): `npm run -s sbom > sbom.json`. It is made from
// package-lock.json alone, so the same lockfile gives the same bytes. `npm sbom --omit dev` cannot be used: it also leaves out
// packages that both the service and its tools need, such as jose.
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

const scopeOf = ({ dev, optional }: LockedPackage): string => {
  if (dev) return 'excluded';
  return optional ? 'optional' : 'required';
};

const component = ([place, locked]: readonly [string, LockedPackage]) => ({
  'bom-ref': place,
  type: 'library',
  name: nameOf(place),
  version: locked.version,
  scope: scopeOf(locked),
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

const dependsOn = (packages: Lockfile['packages'], [place, locked]: readonly [string, LockedPackage]) => ({
  ref: place === '' ? 'som-bus' : place,
  dependsOn: Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })
    .flatMap(name => placeOf(packages, place, name) ?? [])
    .sort(),
});

/** The bill of materials of a lockfile. What only development needs is listed as `excluded`. */
export const billOfMaterials = ({ name, version, packages }: Lockfile) => {
  const entries = Object.entries(packages);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { 'bom-ref': name, type: 'application', name, version, purl: purlOf(name, version) },
    },
    components: entries.filter(([place]) => place !== '').map(component),
    dependencies: entries.map(entry => dependsOn(packages, entry)),
  };
};

if (require.main === module) {
  const lockfile: Lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  process.stdout.write(`${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
}
