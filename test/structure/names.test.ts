import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
