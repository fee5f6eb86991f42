import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeFacts } from '../../scripts/code-facts.ts';

const files = execFileSync('git', ['ls-files', 'lib'], { encoding: 'utf8' })
  .split('\n')
  .filter(path => path.endsWith('.ts'));

const exported = /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm;

test('within a folder, an exported name exists only once', () => {
  const seen = new Map<string, string>();
  const repeated: string[] = [];
  for (const path of files) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(exported)) {
      const key = `${dirname(path)}: ${name}`;
      const other = seen.get(key);
      if (other !== undefined && other !== path) repeated.push(`${key} (${other}, ${path})`);
      seen.set(key, path);
    }
  }
  expect(seen.size).toBeGreaterThan(500);
  expect(repeated).toEqual([]);
});

/** No name may join these, and one that leaves them leaves this list. */
const inTwoFiles = ['SkillRegistration', 'Verdict', 'Violation'];

test('an exported name stands in one file, but for these', () => {
  const filesOf = new Map<string, number>();
  for (const path of files)
    for (const name of codeFacts(readFileSync(path, 'utf8')).exportedNames)
      filesOf.set(name, (filesOf.get(name) ?? 0) + 1);
  const repeated = [...filesOf].filter(([, count]) => count > 1).map(([name]) => name);
  expect(filesOf.size).toBeGreaterThan(1_000);
  expect(repeated.sort()).toEqual(inTwoFiles);
});
