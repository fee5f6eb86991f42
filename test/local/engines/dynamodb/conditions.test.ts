import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { itemKey, localTable, refusalOf, TableName } from './local-table.ts';

const bytes = (...all: readonly number[]) => Buffer.from(all) as unknown as string;

const table = localTable();
table.put({
  ...itemKey('p', 'a'),
  n: { N: '5' },
  s: { S: 'mm' },
  u: { S: 'undefined' },
  b: { B: bytes(1, 2) },
  t: { BOOL: true },
  z: { NULL: true },
  l: { L: [{ N: '1' }, { S: 'x' }, { L: [{ N: '7' }] }] },
  m: { M: { k: { S: 'v' }, o: { N: '2' } } },
  ss: { SS: ['a', 'b'] },
  ns: { NS: ['1', '2', '3'] },
});

const values: Readonly<Record<string, JsonObject>> = {
  ':n1': { N: '1' },
  ':n2': { N: '2' },
  ':n3': { N: '3' },
  ':n4': { N: '4' },
  ':n45': { N: '4.5' },
  ':n5': { N: '5.0' },
  ':n6': { N: '6' },
  ':m': { S: 'm' },
  ':mm': { S: 'mm' },
  ':mn': { S: 'mn' },
  ':x': { S: 'x' },
  ':a': { S: 'a' },
  ':b1': { B: bytes(1) },
  ':b12': { B: bytes(1, 2) },
  ':b2': { B: bytes(2) },
  ':b3': { B: bytes(3) },
  ':true': { BOOL: true },
  ':false': { BOOL: false },
  ':list': { L: [{ N: '7' }] },
  ':map': { M: { o: { N: '2' }, k: { S: 'v' } } },
  ':set': { SS: ['b', 'a'] },
  ':otherSet': { SS: ['b', 'c'] },
  ':null': { NULL: true },
};

/** Whether a condition holds for an item. */
const holds = (ConditionExpression: string, sk = 'a'): boolean => {
  const used = Object.entries(values).filter(([name]) =>
    new RegExp(`${name}\\b`).test(ConditionExpression),
  );
  const ConditionCheck = {
    TableName,
    Key: itemKey('p', sk),
    ConditionExpression,
    ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    ...(/#s\b/.test(ConditionExpression) && { ExpressionAttributeNames: { '#s': 's' } }),
  };
  try {
    table.transact([{ ConditionCheck }]);
    return true;
  } catch {
    expect(refusalOf(() => table.transact([{ ConditionCheck }])).name).toBe(
      'TransactionCanceledException',
    );
    return false;
  }
};

describe.each([
  ['n', ':n4', ':n5', ':n6'],
  ['s', ':m', ':mm', ':mn'],
  ['b', ':b1', ':b12', ':b2'],
])('%s compared with less, the same and more', (path, ...others) => {
  test.each([
    ['=', false, true, false],
    ['<>', true, false, true],
    ['<', false, false, true],
    ['<=', false, true, true],
    ['>', true, false, false],
    ['>=', true, true, false],
  ])('by %s', (operator, ...expected) => {
    expect(others.map(value => holds(`${path} ${operator} ${value}`))).toEqual(expected);
  });
});

test.each([
  ['n < :mm', false],
  ['t = :true', true],
  ['t = :false', false],
  ['absent < :n4', false],
  ['absent = :n4', false],
  ['absent <> :n4', true],
  ['n <> absent', true],
  ['n = absent', false],
  ['n < absent', false],
  ['n > :n45', true],
  ['n < :n45', false],
  [':n45 < n', true],
  [':n45 > n', false],
  ['n <> :mm', true],
  ['n > ns', false],
  ['m = :map', true],
  ['ss = :set', true],
  ['ss = :otherSet', false],
  ['z = :null', true],
  ['z = :true', false],
  ['t = :null', false],
  ['n IN (:n4, :n5)', true],
  ['n IN (:n4, :n6)', false],
  ['absent IN (:n4)', false],
  ['attribute_exists(z)', true],
  ['attribute_exists(absent)', false],
  ['attribute_not_exists(absent)', true],
  ['attribute_not_exists(z)', false],
  ['contains(#s, :m)', true],
  ['contains(#s, :x)', false],
  ['contains(#s, :n1)', false],
  ['contains(absent, :n1)', false],
  ['contains(ss, :a)', true],
  ['contains(ss, :x)', false],
  ['contains(ns, :n1)', true],
  ['contains(ns, :n4)', false],
  ['contains(b, :b2)', true],
  ['contains(l, :x)', true],
  ['contains(l, :list)', true],
  ['contains(l, :mm)', false],
  ['size(#s) = :n2', true],
  ['size(b) = :n2', true],
  ['size(l) = :n3', true],
  ['size(m) = :n2', true],
  ['size(ss) = :n2', true],
  ['size(ns) = :n3', true],
  ['size(n) = :n1', false],
  ['size(absent) = :n1', false],
  ['size(n) > :n1', false],
  ['size(n) <> :n1', true],
  ['contains(u, :n1)', false],
  ['contains(#s, absent)', false],
  ['contains(b, :n1)', false],
  ['contains(b, :b3)', false],
  ['contains(n, :n5)', false],
  ['contains(ss, :n1)', false],
  ['contains(ns, :a)', false],
  [':n2 = size(ss)', true],
  ['n = :n4 AND n = :n5', false],
  ['n = :n5 AND n = :n4', false],
  ['n = :n5 AND t = :true AND n = :n4', false],
  ['n = :n5 AND t = :true and attribute_exists(z)', true],
  ['n = :n4 OR n = :n5', true],
  ['n = :n4 or n = :n6 or n = :n1', false],
  ['NOT n = :n4', true],
  ['not (n = :n5 OR n = :n4)', false],
  ['n = :n4 AND n = :n4 OR t = :true', true],
  ['(n = :n4 OR n = :n5) AND (t = :true)', true],
])('%s: %s', (condition, expected) => {
  expect(holds(condition)).toBe(expected);
});

test('an item that does not exist has no attributes', () => {
  expect(holds('attribute_exists(pk)', 'none')).toBe(false);
  expect(holds('attribute_not_exists(pk)', 'none')).toBe(true);
  expect(holds('n <> :n5', 'none')).toBe(true);
});
