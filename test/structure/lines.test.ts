import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const folders = ['lib', 'lambdas', 'bin', 'scripts', 'web'];

const files = execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' })
  .split('\n')
  .filter(path => /\.(tsx?|mjs)$/.test(path));

const lines = files.flatMap(file =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, place: `${file}:${index + 1}` })),
);

/** Nobody can break one. */
const isRegularExpression = (line: string): boolean => /^ *\/.*\/[a-z]*;$/.test(line);

test('no line is longer than 110 columns', () => {
  expect(lines.length).toBeGreaterThan(40_000);
  const long = lines.filter(({ text }) => text.length > 110 && !isRegularExpression(text));
  expect(long.map(({ place }) => place)).toEqual([]);
});

test('parameters are named where they are declared: no signature is a tuple', () => {
  const tuples = lines.filter(({ text }) => /\.\.\.\[.*\]: Parameters</.test(text));
  expect(tuples.map(({ place }) => place)).toEqual([]);
});
