import { codeFacts } from '../../scripts/code-facts.ts';

const text = `import { a } from './a.ts';
// A comment, and an empty line.

export { b, c as d } from './b.ts';
export const word = (a: number) =>
  a > 1 ? 'more' : a === 1 ? 'one' : 'none';
export interface Word { readonly text: string }
export const [first, other] = [1, 2], second = \`
  \${first}\`;
const inner = 1;
export { inner as outer };
`;

test('tokens, lines of code, ternaries and exported names are counted', () => {
  const { tokens, codeLines, ternaries, exportedNames } = codeFacts(
    'const a = b ? 1 : 2; // c\n\n',
  );
  expect({ tokens, codeLines, ternaries, names: [...exportedNames] }).toEqual({
    tokens: 9,
    codeLines: 1,
    ternaries: 1,
    names: [],
  });
});

test('a name is exported where it is declared, not where it is passed on', () => {
  const { codeLines, ternaries, exportedNames } = codeFacts(text);
  expect([...exportedNames].sort()).toEqual(['Word', 'outer', 'second', 'word']);
  expect(ternaries).toBe(2);
  expect(codeLines).toBe(9);
});
