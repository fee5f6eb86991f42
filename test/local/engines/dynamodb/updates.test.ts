import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { itemKey, localTable, refusalOf } from './local-table.ts';

const values: Readonly<Record<string, JsonObject>> = {
  ':two': { N: '2' },
  ':bc': { SS: ['b', 'c'] },
  ':all': { SS: ['a', 'b', 'c'] },
  ':three': { NS: ['2', '3'] },
};

const before = { n: { N: '5' }, s: { S: 'x' }, ss: { SS: ['a', 'b'] }, ns: { NS: ['1', '2'] } };

const updated = (UpdateExpression: string, item: JsonObject | undefined) => {
  const table = localTable();
  if (item) table.put({ ...itemKey('p', 'a'), ...item });
  const used = Object.entries(values).filter(([name]) =>
    new RegExp(`${name}\\b`).test(UpdateExpression),
  );
  const { Attributes } = table.call('UpdateItem', {
    Key: itemKey('p', 'a'),
    UpdateExpression,
    ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    ReturnValues: 'ALL_NEW',
  });
  expect(table.get('p', 'a')).toEqual(Attributes);
  return Attributes;
};

test.each<[string, Readonly<Record<string, JsonObject | undefined>>]>([
  ['SET q = :two, r = :bc', { q: { N: '2' }, r: { SS: ['b', 'c'] } }],
  ['SET n = n + :two', { n: { N: '7' } }],
  ['SET n = n - :two', { n: { N: '3' } }],
  ['SET q = :two - n', { q: { N: '-3' } }],
  ['SET s = n, q = s', { s: { N: '5' }, q: { S: 'x' } }],
  ['SET q = if_not_exists(n, :two)', { q: { N: '5' } }],
  ['SET q = if_not_exists(z, n) + :two', { q: { N: '7' } }],
  ['SET q = if_not_exists(z, if_not_exists(zz, :two))', { q: { N: '2' } }],
  ['REMOVE s, z', { s: undefined }],
  ['ADD n :two, z :two', { n: { N: '7' }, z: { N: '2' } }],
  ['ADD ss :bc, ns :three', { ss: { SS: ['a', 'b', 'c'] }, ns: { NS: ['1', '2', '3'] } }],
  ['DELETE ss :bc, ns :three', { ss: { SS: ['a'] }, ns: { NS: ['1'] } }],
  ['DELETE ss :all, z :bc', { ss: undefined }],
  [
    'add n :two set q = n remove s delete ss :bc',
    { n: { N: '7' }, q: { N: '5' }, s: undefined, ss: { SS: ['a'] } },
  ],
])('%s', (expression, changes) => {
  const expected = { ...itemKey('p', 'a'), ...before, ...changes };
  expect(updated(expression, before)).toEqual(JSON.parse(JSON.stringify(expected)));
});

test.each([
  'SET q = n + s',
  'SET q = s + n',
  'ADD n :bc',
  'ADD s :two',
  'DELETE n :bc',
  'ADD ss :three',
])('%s has an operand of a wrong type', expression => {
  expect(refusalOf(() => updated(expression, before)).message).toBe(
    'An operand in the update expression has an incorrect data type',
  );
});

test('an update of what is not there makes an item of its key', () => {
  expect(updated('ADD q :two', undefined)).toEqual({ ...itemKey('p', 'a'), q: { N: '2' } });
});
