import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What tools installed is not ours. */
const isOurs = (path: string): boolean =>
  path.split(sep).every(part => part !== 'node_modules' && !part.startsWith('.'));

const tests = join(__dirname, '..');

const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && isOurs(path))
  .filter(
    path => !path.startsWith(`bench${sep}`) && path !== join('structure', 'no-clocks.test.ts'),
  )
  .map(path => [path, readFileSync(join(tests, path), 'utf8')] as const);

/**
 * What measures time, lets some of it pass, or sets a limit of it. `Date.now` may say what time it
 * is.
 */
const clocks = [
  /performance\.now|hrtime|cpuUsage|console\.time/,
  // A test with a clock of its own may look at what is asked of the machine's.
  /(?<!spyOn\(globalThis, ')set(Timeout|Interval)\b/,
  /Date\.now\(\) - (?![\d_]|count\b)/,
  /^ *\}, *[\d_]+\);$/m,
];

test.each(clocks)(
  'nothing in test/ outside of bench/ matches %s: a test that asks a clock is a benchmark',
  clock => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter(([, text]) => clock.test(text)).map(([path]) => path)).toEqual([]);
  },
);
