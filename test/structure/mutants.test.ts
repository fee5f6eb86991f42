import { type Mutant, mutantsOf, mutated, withProbes } from '../../scripts/mutate/mutants.ts';

const changesOf = (text: string): readonly string[] =>
  mutantsOf('a.ts', text).map(mutant => mutated(text, mutant));

test.each([
  ['a < b;', ['a <= b;', 'a >= b;', ';']],
  ['a === b;', ['a !== b;', ';']],
  ['f(-1);', ['f(1);', 'f(-2);', ';']],
  ['a ?? b;', ['b;', 'a || b;', ';']],
  ['x = !y;', ['x = y;', ';']],
  ["x = '';", ["x = 'x';", ';']],
  ["x = 'word';", ["x = '';", ';']],
  ["x = 'several words';", [';']],
  ['x = [a, ...b];', ['x = [...b];', 'x = [a, ];', ';']],
  ['x = { a, b: c, ...d, };', ['x = { b: c, ...d, };', 'x = { a, ...d, };', 'x = { a, b: c,  };', ';']],
  ['f(await g());', ['f(g());', ';']],
  ['x.y.some(z);', ['x.y.every(z);', ';']],
  ['i += 2;', ['i -= 2;', 'i += 3;', ';']],
])('%s is changed in every way', (text, changes) => {
  expect([...changesOf(text)].sort()).toEqual([...changes].sort());
});

test('conditions, returns and throws are changed', () => {
  expect(changesOf('() => { if (a) return; throw b; }')).toEqual(
    expect.arrayContaining([
      '() => { if (true) return; throw b; }',
      '() => { if (false) return; throw b; }',
      '() => { if (!(a)) return; throw b; }',
      '() => { if (a) ; throw b; }',
      '() => { if (a) return; ; }',
    ]),
  );
});

test.each([
  "import { a } from 'b';",
  "export { a } from 'b';",
  "type A = 'x' | 1;",
  'interface A { readonly b: true }',
  "class A { 'b'() {} }",
])('%s is left as it is', text => {
  expect(changesOf(text)).toEqual([]);
});

test('a text with characters of several bytes is changed at the right place', () => {
  const text = Buffer.from("const a = '’…é' + b;").toString('latin1');
  expect(changesOf(text)).toContain(Buffer.from("const a = '’…é' - b;").toString('latin1'));
});

test('probes say which places were run, and change nothing', () => {
  const text = 'if (a < 2) b.push(...[a, 4]); b.push({ a });';
  const places = new Map<number, Mutant>([...mutantsOf('a.ts', text).entries()]);
  const run = (a: number): readonly [unknown, readonly string[]] => {
    const reached: number[] = [];
    const b: unknown[] = [];
    new Function('a', 'b', '__reached', withProbes(text, places, ''))(a, b, (id: number) => reached.push(id));
    return [b, [...new Set(reached)].map(id => mutated(text, places.get(id) as Mutant))];
  };
  const [pushed, all] = run(1);
  expect(pushed).toEqual([1, 4, { a: 1 }]);
  expect(all).toHaveLength(places.size);
  const [later, some] = run(2);
  expect(later).toEqual([{ a: 2 }]);
  expect(some).toContain('if (a < 2) b.push(...[a, 4]); b.push({  });');
  expect(some).not.toContain('if (a < 2) b.push(...[a, 5]); b.push({ a });');
});
