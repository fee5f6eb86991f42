import {
  problemWithRange,
  problemWithType,
  readablePart,
} from '../../../lib/bus/replay/start-replay.ts';
import { consumer } from './replay-desk.ts';

const now = Date.parse('2026-05-31T00:00:00Z');
const archive = { now, archiveDays: 30 };
const day = 86_400_000;

test.each([
  ['an empty range', { from: now - 5, to: now - 5 }, 'The range is empty'],
  [
    'a range that ends later than now',
    { from: now - 5, to: now + 1 },
    'in the future: now is 2026-05-31T00:00:00.000Z',
  ],
  [
    'a range before the archive',
    { from: now - 40 * day, to: now - 30 * day },
    'The archive keeps 30 days: the range ends before its beginning, 2026-05-01T00:00:00.000Z.',
  ],
])('%s is a problem that names what is possible', (_what, range, words) => {
  expect(problemWithRange(range, archive)).toContain(words);
});

test('a replay may ask for the whole archive', () => {
  const whole = { from: now - 30 * day, to: now };
  expect(problemWithRange(whole, archive)).toBeUndefined();
  expect(readablePart(whole, consumer, archive)).toEqual({ range: whole });
});

test('a replay of more than the archive begins with the archive, and says so', () => {
  const range = { from: Date.parse('1999-01-01T00:00:00Z'), to: now };
  expect(problemWithRange(range, archive)).toBeUndefined();
  expect(readablePart(range, consumer, archive)).toEqual({
    range: { from: now - 30 * day, to: now },
    note: 'The archive keeps 30 days: the range begins at 2026-05-01T00:00:00.000Z.',
  });
});

test('a replay to a guest begins with its invitation, and says so', () => {
  const guest = { ...consumer, guestSince: '2026-05-20T00:00:00.000Z' };
  expect(readablePart({ from: now - 15 * day, to: now }, guest, archive)).toEqual({
    range: { from: now - 11 * day, to: now },
    note: 'A guest gets what was accepted since its invitation: the range begins at 2026-05-20T00:00:00.000Z.',
  });
});

test.each([
  ['story.contxt', ['story.*'], 'Did you mean "story.context"?'],
  ['story.*', ['story.context'], undefined],
  ['*', ['link.committed'], undefined],
  [undefined, [], undefined],
  ['Story Context', ['*'], '"Story Context" is not a message type pattern'],
  ['story', ['*', 'link.*'], 'Did you mean "story.*"?'],
  [
    'telling.*',
    ['story.*', 'link.committed'],
    'The connection c1 receives no telling.*: it receives story.*, link.committed.',
  ],
  ['story.context', [], 'it receives nothing.'],
])(
  'of the type %s a consumer of %j may be sent a replay, or is told why not',
  (type, receives, words) => {
    const problem = problemWithType(type === undefined ? {} : { type }, { id: 'c1', receives });
    if (words === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(words);
  },
);

test('a replay of an unknown type needs insistence, which does not make up for a subscription', () => {
  const unknown = { type: 'story.contxt', force: true };
  expect(problemWithType(unknown, { id: 'c1', receives: ['story.*'] })).toBeUndefined();
  expect(problemWithType(unknown, { id: 'c1', receives: ['link.*'] })).toContain(
    'receives no story.contxt',
  );
});
