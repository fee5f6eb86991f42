import { cutAfter } from '../../web/page/cut.ts';

const organisations = Array.from({ length: 400 }, (_, at) => ({ organisation_id: `o${at}` }));

test('a list that goes on after the pages that were followed is told with its length', () => {
  const id = 'operator.organisations';
  expect(cutAfter(id, {}, { organisations, next: 'more' })).toBe(400);
  expect(cutAfter(id, { query: { find: 'x' } }, { organisations, next: 'more' })).toBe(400);
  expect(cutAfter(id, {}, { organisations })).toBeUndefined();
  expect(cutAfter(id, {}, undefined)).toBeUndefined();
});

test('a list whose page reads on by itself is not told as cut', () => {
  const page = { organisations, next: 'more' };
  expect(cutAfter('connection.list', { query: { after: '' } }, page)).toBeUndefined();
  expect(cutAfter('organisation.changes', {}, page)).toBeUndefined();
  expect(cutAfter('operator.usage', {}, page)).toBeUndefined();
});
