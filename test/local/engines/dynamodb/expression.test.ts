import {
  type ExpressionReader,
  Placeholders,
} from '../../../../lib/local/engines/dynamodb/expression.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { refusalOf } from './local-table.ts';

const given: JsonObject = {
  ExpressionAttributeNames: { '#n': 'status' },
  ExpressionAttributeValues: { ':v': { N: '01' } },
};

/** What is read of a condition, by steps. */
const read = <T>(text: string, reader: (expression: ExpressionReader) => T, more = given) =>
  new Placeholders({ ConditionExpression: text, ...more }).read('ConditionExpression', reader);

const refused = (text: string, reader: (expression: ExpressionReader) => unknown): string =>
  refusalOf(() => read(text, reader)).message;

test('symbols and keywords are taken in any case, one after another', () => {
  const taken = read('( And <> <= #x : ', expression => [
    ...[expression.take('AND'), expression.take(')', '('), expression.take('OR', 'AND')],
    ...[expression.expect('<', '<>'), expression.take('<='), expression.isAtEnd],
    ...[expression.take('#X'), expression.take(':'), expression.isAtEnd, expression.take('AND')],
  ]);
  expect(taken).toEqual([undefined, '(', 'AND', '<>', '<=', false, '#X', ':', true, undefined]);
});

test('a function is a name before a parenthesis', () => {
  const taken = read('size ( a(', expression => [
    ...[expression.call('contains', 'size'), expression.attribute(), expression.take('(')],
    expression.call('size'),
  ]);
  expect(taken).toEqual(['size', 'a', '(', undefined]);
  expect(
    read('((', expression => [expression.call('size'), expression.take('('), expression.take('(')]),
  ).toEqual([undefined, '(', '(']);
  const name = read('b contains a', expression => [
    ...[expression.attribute(), expression.call('contains')],
    ...[expression.take('CONTAINS'), expression.attribute()],
  ]);
  expect(name).toEqual(['b', undefined, 'CONTAINS', 'a']);
  const later = read('b size(a)', expression => [
    ...[expression.attribute(), expression.call('size'), expression.attribute()],
    expression.take(')'),
  ]);
  expect(later).toEqual(['b', 'size', 'a', ')']);
  expect(refused('other(a)', expression => expression.call('size'))).toBe(
    'Invalid ConditionExpression: Invalid function name; function: other',
  );
});

test('attributes and values are named by themselves or by placeholders', () => {
  const taken = read('a_1 :v #n :v', expression => [
    ...[expression.value(), expression.attribute(), expression.value(), expression.attribute()],
    ...[expression.requiredValue(), expression.value()],
  ]);
  const one = { N: '1' };
  expect(taken).toEqual([undefined, 'a_1', one, 'status', one, undefined]);
});

test('a placeholder may stand for any name, a reserved word or one that is no identifier', () => {
  for (const name of ['status', '1', '#n', 'a b']) {
    const names = { ExpressionAttributeNames: { '#n': name } };
    expect(read('#n', expression => expression.attribute(), names)).toBe(name);
  }
});

test.each<[string, (expression: ExpressionReader) => unknown, string]>([
  [
    'status',
    expression => expression.attribute(),
    'Attribute name is a reserved keyword; reserved keyword: status',
  ],
  [
    '#other',
    expression => expression.attribute(),
    'An expression attribute name used in the document path is not defined; attribute name: #other',
  ],
  [
    ':other',
    expression => expression.value(),
    'An expression attribute value used in expression is not defined; attribute value: :other',
  ],
  [':v', expression => expression.attribute(), 'Syntax error; token: ":v", near: ":v"'],
  ['', expression => expression.attribute(), 'Syntax error; token: "<EOF>", near: ""'],
  [
    'a',
    expression => [expression.requiredValue(), expression.attribute()],
    'Syntax error; token: "a", near: "a"',
  ],
  [
    'a',
    expression => [expression.expect('AND'), expression.attribute()],
    'Syntax error; token: "a", near: "a"',
  ],
  [
    'a b c d',
    expression => [expression.attribute(), expression.attribute(), expression.expect('AND')],
    'Syntax error; token: "c", near: "b c d"',
  ],
  [
    'a b c d e',
    expression => [expression.attribute(), expression.attribute(), expression.expect('AND')],
    'Syntax error; token: "c", near: "b c d"',
  ],
  // What is left when the reader is at its end.
  ['a b', expression => expression.attribute(), 'Syntax error; token: "b", near: "a b"'],
])('%j is refused', (text, reader, reason) => {
  expect(refused(text, reader)).toBe(`Invalid ConditionExpression: ${reason}`);
});

test('an expression has up to 4 KB', () => {
  const attribute = (expression: ExpressionReader) => expression.attribute();
  expect(read('a'.repeat(4_096), attribute)).toHaveLength(4_096);
  const reason =
    'Invalid ConditionExpression: Expression size has exceeded the maximum allowed size';
  expect(refused('a'.repeat(4_097), attribute)).toBe(reason);
  expect(refused(`a${'é'.repeat(2_048)}`, attribute)).toBe(reason);
});

test('an expression that is not there is not read', () => {
  expect(new Placeholders({}).read('UpdateExpression', () => 'read')).toBeUndefined();
});

test('names and values must not be empty, and all of them must be used', () => {
  for (const name of ['ExpressionAttributeNames', 'ExpressionAttributeValues'])
    expect(refusalOf(() => new Placeholders({ [name]: {} })).message).toBe(
      'ExpressionAttributeNames and ExpressionAttributeValues must not be empty',
    );
  const placeholders = new Placeholders({ ...given, ConditionExpression: '#n = :v' });
  const unused = (what: string) => `Value provided unused in expressions: keys: {${what}}`;
  const check = () => refusalOf(() => placeholders.checkAllUsed()).message;
  expect(check()).toBe(unused('#n, :v'));
  expect(placeholders.name('#n')).toBe('status');
  expect(check()).toBe(unused(':v'));
  expect(placeholders.value(':v')).toEqual({ N: '1' });
  expect(() => placeholders.checkAllUsed()).not.toThrow();
});
