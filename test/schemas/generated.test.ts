import { readFileSync } from 'node:fs';
import { validatorModules } from '../../scripts/validators-source.ts';

test.each([...validatorModules()])(
  'lib/generated/%s is what `npm run generate` makes of the schemas',
  (name, text) => {
    expect(readFileSync(`lib/generated/${name}`, 'utf8') === text).toBe(true);
  },
);
