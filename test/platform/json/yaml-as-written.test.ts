import { readYaml } from '../../../lib/platform/json/yaml.ts';
import { yamlAsWritten } from '../../../lib/platform/json/yaml-as-written.ts';

test.each([
  ['a member that looks like a merge key', { '<<': { a: 1 }, b: '<<' }],
  ['one in a list', [{ '<<': 'x' }]],
  ['the same object twice', (one => ({ a: one, b: one }))({ c: 1 })],
  ['texts that look like something else', { a: 'yes', b: '012', c: 'null', '1': '~', d: '' }],
])('%s is read as it was', (_, value) => {
  const text = yamlAsWritten({ value }, 120);
  expect(readYaml(text)).toMatchObject({ kind: 'value', value: { value } });
});
