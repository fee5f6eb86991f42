import { readFileSync } from 'node:fs';
import { billOfMaterials, bundledPackages, type LockedPackage, type Lockfile } from '../../scripts/sbom.ts';
import { outputOf } from '../support/output-of.ts';

interface Locked extends LockedPackage {
  readonly resolved?: string;
  readonly os?: readonly string[];
}

const lockfile: Lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const packages: readonly (readonly [string, Locked])[] = Object.entries(lockfile.packages).filter(
  ([place]) => place !== '',
);

/** A development tool's binary for one platform: `npm ci` refuses a lockfile without it, even where nobody can install it. */
const isToolOfOnePlatform = ({ dev, optional, os }: Locked): boolean => Boolean(dev && optional && os);

/** The packages that npm would install without comparing them with a digest. */
const unchecked = (entries: typeof packages): readonly string[] => {
  const isChecked = (place: string): boolean => {
    const [, entry] = entries.find(([name]) => name === place) ?? [];
    if (entry === undefined) return false;
    if (entry.inBundle) return isChecked(place.slice(0, place.lastIndexOf('/node_modules/')));
    return /^sha512-[\w+/]{86}==$/.test(entry.integrity ?? '');
  };
  return entries
    .filter(([place, entry]) => !isChecked(place) && !isToolOfOnePlatform(entry))
    .map(([place]) => place);
};

describe('package-lock.json', () => {
  test('has a SHA-512 of every package, or of the package that it is bundled with', () => {
    expect(unchecked(packages)).toEqual([]);
  });

  test.each(['node_modules/ajv', 'node_modules/libsql', 'node_modules/aws-cdk-lib', 'node_modules/jest'])(
    'would be noticed without the digest of %s',
    place => {
      const without = packages.map(([name, { integrity, ...rest }]) =>
        name === place
          ? ([name, rest] as const)
          : ([name, integrity ? { ...rest, integrity } : rest] as const),
      );
      expect(unchecked(without)).toContain(place);
    },
  );

  test('has a digest of every package that the service runs with, on every platform', () => {
    const running = packages.filter(([, { dev, inBundle }]) => !dev && !inBundle);
    expect(running.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  test('names no place to download from', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

describe('npm run sbom', () => {
  const bill = billOfMaterials(lockfile);

  test('prints CycloneDX, with the same bytes each time', async () => {
    const { output } = await outputOf(process.execPath, ['node_modules/.bin/tsx', 'scripts/sbom.ts'], {});
    expect(output).toBe(`${JSON.stringify(bill, null, 2)}\n`);
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name: 'som-bus' } },
    });
  });

  test('lists every package of the lockfile once, and says which ones only development needs', () => {
    expect(bill.components.map(component => component['bom-ref'])).toEqual(packages.map(([place]) => place));
    const excluded = bill.components.filter(({ scope }) => scope === 'excluded').map(({ name }) => name);
    expect(excluded).toEqual(expect.arrayContaining(['jest', 'typescript']));
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const required = bill.components.filter(({ scope }) => scope === 'required').map(({ name }) => name);
    expect(required).toEqual(expect.arrayContaining([...Object.keys(dependencies), ...bundledPackages]));
    expect(excluded).toEqual(expect.arrayContaining(['aws-cdk-lib', 'constructs']));
    // What the build found in the bundle: the viewer is read as text, and only a function has the metrics.
    const licenses = readFileSync('dist/third-party-licenses.txt', 'utf8');
    const bundled = Object.keys(devDependencies).filter(name => licenses.includes(`${name}@`));
    expect(required).toEqual(expect.arrayContaining(bundled));
    expect([...bundled, 'swagger-ui-dist', '@aws-sdk/client-cloudwatch']).toEqual(
      expect.arrayContaining(bundledPackages),
    );
  });

  test('has the digest and the license of each package that the service runs with', () => {
    const bundled = new Set(packages.filter(([, { inBundle }]) => inBundle).map(([place]) => place));
    const bare = bill.components.filter(
      component =>
        component.scope !== 'excluded' &&
        !bundled.has(component['bom-ref']) &&
        !('hashes' in component && 'licenses' in component),
    );
    expect(bare).toEqual([]);
  });

  test('says what depends on what, and names only what it lists', () => {
    const refs = new Set(['som-bus', ...bill.components.map(component => component['bom-ref'])]);
    const named = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(named.filter(ref => !refs.has(ref))).toEqual([]);
    const own = bill.dependencies.find(({ ref }) => ref === 'som-bus');
    expect(own?.dependsOn).toContain('node_modules/jose');
    const formats = bill.dependencies.find(({ ref }) => ref === 'node_modules/ajv-formats');
    expect(formats?.dependsOn).toEqual(['node_modules/ajv']);
  });
});
