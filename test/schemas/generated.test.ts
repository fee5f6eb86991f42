import { readFileSync } from 'node:fs';
import { files } from '../../scripts/generators/validators.ts';

test.each([...files()])('lib/generated/%s is what the build makes of the schemas', (name, text) => {
  expect(readFileSync(`lib/generated/${name}`, 'utf8') === text).toBe(true);
});
