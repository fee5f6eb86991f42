import type { Arbitrary } from 'fast-check';
import { anyValue, bytes, distinct, fc, number, oneOf, rarely, set, text } from './generate.ts';

/** An expression, with the names and values that it uses. */
export interface Expression {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

type Part = Expression;

const part = (text: string): Part => ({ text, names: {}, values: {} });

const join = (parts: readonly Part[], write: (texts: readonly string[]) => string): Part => ({
  text: write(parts.map(({ text }) => text)),
  names: Object.assign({}, ...parts.map(({ names }) => names)),
  values: Object.assign({}, ...parts.map(({ values }) => values)),
});

let numbered = 0;

/** Values get names of their own: two parts of an expression never share one. */
const valuePart = (value: unknown): Part => {
  numbered = (numbered + 1) % 100_000;
  const name = `:v${numbered}`;
  return { text: name, names: {}, values: { [name]: value } };
};

const alias = (name: string): Part => ({ text: `#${name}`, names: { [`#${name}`]: name }, values: {} });

const path: Arbitrary<Part> = rarely(
  fc.oneof(
    { weight: 6, arbitrary: oneOf('a', 'b', 'l', 'm', 'ss', 'n', 'g').map(part) },
    oneOf('status', 'a', 'm').map(alias),
  ),
  oneOf('pk', 'sk', 'status', '#undefined', 'missing').map(part),
  30,
);

const operandValue = rarely(anyValue.map(valuePart), fc.constant(part(':undefined')), 200);

const numberValue = number.map(N => valuePart({ N }));

/** What can be compared by order. */
const orderedValue = fc.oneof(
  numberValue,
  text.map(S => valuePart({ S })),
  bytes.map(B => valuePart({ B })),
);

const size = path.map(each => join([each], ([name]) => `size(${name})`));

const compared = (first: Arbitrary<Part>, signs: Arbitrary<string>, second: Arbitrary<Part>) =>
  fc.tuple(first, signs, second).map(([a, sign, b]) => join([a, b], ([x, y]) => `${x} ${sign} ${y}`));

const comparison: Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: compared(path, oneOf('=', '<>'), operandValue) },
  { weight: 3, arbitrary: compared(path, oneOf('<', '<=', '>', '>='), orderedValue) },
  compared(path, oneOf('=', '<>', '<', '<=', '>', '>='), fc.constant(part('c'))),
  compared(size, oneOf('=', '<>', '<', '<=', '>', '>='), numberValue),
  fc
    .tuple(path, fc.array(operandValue, { minLength: 1, maxLength: 3 }))
    .map(([first, rest]) => join([first, ...rest], ([x, ...others]) => `${x} IN (${others.join(', ')})`)),
  fc
    .tuple(oneOf('attribute_exists', 'attribute_not_exists'), path)
    .map(([name, each]) => join([each], ([x]) => `${name}(${x})`)),
  fc
    .tuple(path, fc.oneof(operandValue, orderedValue))
    .map(parts => join(parts, ([x, y]) => `contains(${x}, ${y})`)),
);

const { condition: wholeCondition } = fc.letrec<{ condition: Part }>(tie => ({
  condition: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'condition' },
    { weight: 4, arbitrary: comparison },
    fc
      .tuple(tie('condition'), oneOf('AND', 'OR', 'and', 'or'), tie('condition'))
      .map(([a, word, b]) => join([a, b], ([x, y]) => `${x} ${word} ${y}`)),
    tie('condition').map(each => join([each], ([text]) => `NOT ${text}`)),
    tie('condition').map(each => join([each], ([text]) => `(${text})`)),
  ),
}));

const symbols = oneOf('', '(', ')', 'AND', ',', '=', 'foo(a)', '5', '::', 'size(a)', '+', ' #', 'NOT');

/** Sometimes a token is added or lost. */
const corrupt = (expressions: Arbitrary<Part>): Arbitrary<Part> =>
  rarely(
    expressions,
    fc.tuple(expressions, symbols, fc.nat()).map(([each, symbol, random]) => {
      const words = each.text.split(' ');
      words.splice(random % (words.length + 1), symbol === '' ? 1 : 0, symbol);
      return { ...each, text: words.join(' ') };
    }),
    40,
  );

export const condition = corrupt(wholeCondition);

const orElse = (value: Arbitrary<Part>): Arbitrary<Part> =>
  fc.tuple(path, value).map(parts => join(parts, ([x, y]) => `if_not_exists(${x}, ${y})`));

const setValue: Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: operandValue },
  path,
  orElse(operandValue),
  compared(fc.oneof(path, numberValue, orElse(numberValue)), oneOf('+', '-'), fc.oneof(numberValue, path)),
);

const list = (parts: Arbitrary<Part>): Arbitrary<Part> =>
  fc.array(parts, { minLength: 1, maxLength: 3 }).map(all => join(all, texts => texts.join(', ')));

const withValue = (value: Arbitrary<Part>) =>
  fc.tuple(path, value).map(parts => join(parts, ([x, y]) => `${x} ${y}`));

const setValues = set.map(valuePart);

const sections: Readonly<Record<string, Arbitrary<Part>>> = {
  SET: list(compared(path, fc.constant('='), setValue)),
  REMOVE: list(path),
  ADD: list(withValue(fc.oneof(numberValue, setValues, setValues, operandValue))),
  DELETE: list(withValue(fc.oneof({ weight: 8, arbitrary: setValues }, operandValue))),
};

const section = (word: string): Arbitrary<Part> =>
  (sections[word] ?? list(path)).map(each => join([each], ([text]) => `${word} ${text}`));

export const update: Arbitrary<Expression> = corrupt(
  fc
    .array(oneOf('SET', 'SET', 'SET', 'REMOVE', 'ADD', 'DELETE'), { minLength: 1, maxLength: 3 })
    .chain(words => fc.tuple(...distinct(words).map(section)))
    .map(parts => join(parts, texts => texts.join(' '))),
);

/** A condition on the keys of a table or an index. */
export const keyCondition = (
  partition: Part,
  sort: { readonly name: string; readonly values: Arbitrary<unknown> },
): Arbitrary<Expression> => {
  const value = sort.values.map(valuePart);
  const onSort = fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(oneOf('=', '<', '<=', '>', '>='), value)
        .map(([sign, each]) => join([part(sort.name), each], ([x, y]) => `${x} ${sign} ${y}`)),
    },
    fc
      .tuple(value, value)
      .map(each => join([part(sort.name), ...each], ([x, y, z]) => `${x} BETWEEN ${y} AND ${z}`)),
    value.map(each => join([part(sort.name), each], ([x, y]) => `begins_with(${x}, ${y})`)),
    rarely(value, fc.constant(part('a')), 3).map(each =>
      join([part(sort.name), each], ([x, y]) => `${x} <> ${y}`),
    ),
  );
  const whole = onSort.map(each => (each ? join([partition, each], ([x, y]) => `${x} AND ${y}`) : partition));
  return rarely(whole, compared(path, oneOf('=', '<>', '<', '>='), operandValue), 60);
};

export const partitionIs = (name: string, value: unknown): Expression =>
  join([part(name), valuePart(value)], ([x, y]) => `${x} = ${y}`);

/** The members of a call that hold its expressions. */
export const parameters = (
  expressions: Readonly<Record<string, Expression | undefined>>,
): Readonly<Record<string, unknown>> => {
  const given = Object.entries(expressions).flatMap(([name, each]) => (each ? [[name, each] as const] : []));
  const names = Object.assign({}, ...given.map(([, { names }]) => names));
  const values = Object.assign({}, ...given.map(([, { values }]) => values));
  return {
    ...Object.fromEntries(given.map(([name, { text }]) => [name, text])),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
};
