import { readYaml } from '../../../lib/platform/json/yaml.ts';
import { unwantedYaml } from '../../skills/hostile.ts';

const valueIn = (text: string): unknown => {
  const read = readYaml(text);
  return read.kind === 'value' ? read.value : `error: ${read.reason}`;
};

describe('YAML 1.2 under the core schema', () => {
  test.each<[string, unknown]>([
    [
      'a: [yes, no, on, true, null, ~, 12, 0.2.2, 0x1F, 0o17, 1e3, "12"]',
      { a: ['yes', 'no', 'on', true, null, null, 12, '0.2.2', 31, 15, 1000, '12'] },
    ],
    ['- a\n- b: 1\n  c:\n', ['a', { b: 1, c: null }]],
    ['a: |\n  x\n  y\n', { a: 'x\ny\n' }],
    ['{7: x, 0x10: y, true: z}', { 7: 'x', '0x10': 'y', true: 'z' }],
    ['a: &s [legal, desk]\nb: *s', { a: ['legal', 'desk'], b: ['legal', 'desk'] }],
    ['!!str 12', '12'],
    ['%YAML 1.2\n---\na\n...\n', 'a'],
    ['# nothing', null],
    ['when: 2026-01-01', { when: '2026-01-01' }],
  ])('%j', (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });

  test('a merge key has a sentence of its own, and the same in quotes is a key', () => {
    expect(valueIn('a: &a {x: 1}\nb: {<<: *a}')).toBe(
      'error: line 2, column 5: the merge key << is of YAML 1.1, and this is read as YAML 1.2: write the members of *a out',
    );
    expect(valueIn('<<: {x: 1}')).toContain('write its members out');
    expect(valueIn('{"<<": 1}')).toEqual({ '<<': 1 });
  });

  test('a text that says it is YAML 1.1 is not read as YAML 1.2', () => {
    expect(valueIn('%YAML 1.1\n---\nflag: yes')).toBe(
      'error: it begins with %YAML 1.1, and this is read as YAML 1.2, where yes and no are text: take that line out',
    );
  });

  test('__proto__ is an ordinary member, and no prototype changes', () => {
    const value = valueIn('__proto__: {polluted: true}\nconstructor: 1') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  test('an alias means the anchor before it, also when the name is used again', () => {
    expect(valueIn('[&a 1, *a, &a 2, *a]')).toEqual([1, 1, 2, 2]);
  });

  test('200 instances may share one scale through aliases', () => {
    const users = Array.from({ length: 200 }, (_, index) => `- {label: l${index}, scale: *s}`).join(
      '\n',
    );
    expect(valueIn(`- {label: l, scale: &s [a, b, c, d, e]}\n${users}`)).toHaveLength(201);
  });
});

describe('content that does not belong in a skills file is an error that says where', () => {
  test.each(Object.entries(unwantedYaml))('%s', (_title, [text, reason]) => {
    expect(valueIn(text)).toContain(reason);
    expect(valueIn(text)).toMatch(/^error: /);
  });

  test('the stack traces of other errors stay as long as they were', () => {
    const { stackTraceLimit } = Error;
    readYaml('[,');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });
});
