import { environmentOf, environments } from '../../lib/contract/environments.ts';

test.each(Object.keys(environments))('%s is an environment', name => {
  expect(environmentOf(name)).toBe(name);
});

test.each(['previw', 'Sandbox', '', 'toString'])(
  '"%s" is no environment, and not taken for another',
  name => {
    expect(() => environmentOf(name)).toThrow(`There is no environment "${name}".`);
  },
);
