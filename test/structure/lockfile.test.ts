import { readFileSync } from 'node:fs';

interface Locked {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly inBundle?: boolean;
  readonly resolved?: string;
  readonly os?: readonly string[];
}

const lockfile: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const packages: readonly (readonly [string, Locked])[] = Object.entries(lockfile.packages).filter(
  ([place]) => place !== '',
);

/**
 * A development tool's binary for one platform: `npm ci` refuses a lockfile without it, even where
 * nobody can install it.
 */
const isToolOfOnePlatform = ({ dev, optional, os }: Locked): boolean =>
  Boolean(dev && optional && os);

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

  test('has a digest of every package that the service runs with, on every platform', () => {
    const running = packages.filter(([, { dev, inBundle }]) => !dev && !inBundle);
    expect(running.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  test('names no place to download from', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
