import { onlyOnce } from '../../web/story/only-once.ts';

const story = (correlation: string, messages: number) => ({
  correlation_id: correlation,
  messages,
  last_accepted_at: '2026-05-04T09:00:00.000Z',
});

test('a story that is on two pages stays where it comes first, as it is known there', () => {
  const [newest, other, again] = [story('a', 3), story('b', 1), story('a', 2)];
  expect(onlyOnce([newest, other, again])).toEqual([newest, other]);
});
