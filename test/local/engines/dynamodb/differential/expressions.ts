import type { Arbitrary } from 'fast-check';
import { anyValue, bytes, distinct, fc, number, oneOf, rarely, set, text } from './values.ts';

/*
 * An expression is its text, with values in the place of their placeholders; `parameters` takes
 * them out. Names with a # stand for themselves.
 */

type Text = Arbitrary<string>;

/** A value within an expression; without a space, as `corrupt` splits there. */
export const inline = (value: unknown): string => `‹${encodeURIComponent(JSON.stringify(value))}›`;

const path: Text = rarely(
  fc.oneof(
    { weight: 6, arbitrary: oneOf('a', 'b', 'l', 'm', 'ss', 'n', 'g') },
    oneOf('#status', '#a', '#m'),
  ),
  oneOf('pk', 'sk', 'status', '#undefined', 'missing'),
  30,
);

const operandValue = rarely(anyValue.map(inline), fc.constant(':undefined'), 200);
const numberValue = number.map(N => inline({ N }));
/** What can be compared by order. */
const orderedValue = fc.oneof(
  numberValue,
  text.map(S => inline({ S })),
  bytes.map(B => inline({ B })),
);

const spaced = (...parts: readonly Text[]): Text => fc.tuple(...parts).map(all => all.join(' '));
const applied = (name: Text, ...operands: readonly Text[]): Text =>
  fc.tuple(name, fc.tuple(...operands)).map(([called, all]) => `${called}(${all.join(', ')})`);
const list = (parts: Text): Text =>
  fc.array(parts, { minLength: 1, maxLength: 3 }).map(all => all.join(', '));

const signs = oneOf('=', '<>', '<', '<=', '>', '>=');

const comparison: Text = fc.oneof(
  { weight: 3, arbitrary: spaced(path, oneOf('=', '<>'), operandValue) },
  { weight: 3, arbitrary: spaced(path, oneOf('<', '<=', '>', '>='), orderedValue) },
  spaced(path, signs, fc.constant('c')),
  spaced(applied(oneOf('size'), path), signs, numberValue),
  fc.tuple(path, list(operandValue)).map(([one, others]) => `${one} IN (${others})`),
  applied(oneOf('attribute_exists', 'attribute_not_exists'), path),
  applied(oneOf('contains'), path, fc.oneof(operandValue, orderedValue)),
);

const { condition: wholeCondition } = fc.letrec<{ condition: string }>(tie => ({
  condition: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'condition' },
    { weight: 4, arbitrary: comparison },
    spaced(tie('condition'), oneOf('AND', 'OR', 'and', 'or'), tie('condition')),
    tie('condition').map(inner => `NOT ${inner}`),
    tie('condition').map(inner => `(${inner})`),
  ),
}));

const symbols = oneOf(
  '',
  '(',
  ')',
  'AND',
  ',',
  '=',
  'foo(a)',
  '5',
  '::',
  'size(a)',
  '+',
  ' #',
  'NOT',
);

/** Sometimes a token is added or lost. */
const corrupt = (expressions: Text): Text =>
  rarely(
    expressions,
    fc.tuple(expressions, symbols, fc.nat()).map(([each, symbol, random]) => {
      const words = each.split(' ');
      words.splice(random % (words.length + 1), symbol === '' ? 1 : 0, symbol);
      return words.join(' ');
    }),
    40,
  );

export const condition = corrupt(wholeCondition);

const orElse = (value: Text): Text => applied(oneOf('if_not_exists'), path, value);

const setValue: Text = fc.oneof(
  { weight: 3, arbitrary: operandValue },
  path,
  orElse(operandValue),
  spaced(
    fc.oneof(path, numberValue, orElse(numberValue)),
    oneOf('+', '-'),
    fc.oneof(numberValue, path),
  ),
);

const setValues = set.map(inline);

const sections: Readonly<Record<string, Text>> = {
  SET: list(spaced(path, fc.constant('='), setValue)),
  REMOVE: list(path),
  ADD: list(spaced(path, fc.oneof(numberValue, setValues, setValues, operandValue))),
  DELETE: list(spaced(path, fc.oneof({ weight: 8, arbitrary: setValues }, operandValue))),
};

export const update: Text = corrupt(
  fc
    .array(oneOf('SET', 'SET', 'SET', 'REMOVE', 'ADD', 'DELETE'), { minLength: 1, maxLength: 3 })
    .chain(words =>
      spaced(...distinct(words).map(word => spaced(oneOf(word), sections[word] ?? path))),
    ),
);

/** A condition on the keys of a table or an index. */
export const keyCondition = (
  partition: string,
  sort: { readonly name: string; readonly values: Arbitrary<unknown> },
): Text => {
  const value = sort.values.map(inline);
  const name = fc.constant(sort.name);
  const onSort = fc.oneof(
    { weight: 4, arbitrary: spaced(name, oneOf('=', '<', '<=', '>', '>='), value) },
    spaced(name, oneOf('BETWEEN'), value, oneOf('AND'), value),
    applied(oneOf('begins_with'), name, value),
    spaced(name, oneOf('<>'), rarely(value, fc.constant('a'), 3)),
  );
  const whole = fc
    .option(onSort, { freq: 3 })
    .map(each => (each ? `${partition} AND ${each}` : partition));
  return rarely(whole, spaced(path, oneOf('=', '<>', '<', '>='), operandValue), 60);
};

/**
 * The members of a call that hold its expressions: placeholders are taken for their values, and
 * names are declared.
 */
export const parameters = (
  expressions: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  const taken = (expression: string): string => {
    for (const [alias = '', name = ''] of expression.matchAll(/#(status|a|m)\b/g))
      names[alias] = name;
    return expression.replace(/‹(.+?)›/g, (_, value) => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = JSON.parse(decodeURIComponent(value));
      return placeholder;
    });
  };
  const given = Object.entries(expressions).flatMap(([name, each]) =>
    each ? [[name, taken(each)]] : [],
  );
  return {
    ...Object.fromEntries(given),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
};
