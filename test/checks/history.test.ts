import { historyReport } from '../../lib/checks/history.ts';
import { dayOf } from '../../lib/kit/newsroom/day.ts';
import { script } from '../../lib/kit/newsroom/script.ts';

const day = dayOf('2026-11-22');
if (!day) throw new Error('That is a day.');
const desk = script(day).filter(({ by }) => by === 'ncs');
const lines = desk.map(({ message }) =>
  JSON.stringify({ producer_id: 'cdesk', envelope: message }),
);
const report = (given: readonly string[], messageTypes: readonly string[] = []) =>
  historyReport({ lines: given, producer: 'cdesk', messageTypes, busVersion: '0', now: 0 });
const verdictOf = (found: ReturnType<typeof report>, id: string) =>
  found.cases.find(one => one.case_id === id)?.verdict;

test("the desk of the newsroom passes by its day's messages, which use a part of SOM", () => {
  const found = report(lines);
  // What was recorded does not show how it retries: the word is not said.
  expect([found.passed, found.words]).toEqual([true, []]);
  expect(found.cases.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(verdictOf(found, 'stories/ended')).toBe('passed');
  expect(verdictOf(found, 'messages/telling.started')).toBe('not applicable');
  expect(found.coverage?.percent).toBeGreaterThan(30);
  expect(found.connections).toEqual([
    { connection_id: 'cdesk', kind: 'producer', app_id: '', system_ids: [] },
  ]);
});

test('a story in two correlations is found, and a wanted type that is not there', () => {
  const [first = '', ...others] = lines;
  const torn = first.replace(
    /"correlation_id":"[^"]*"/,
    '"correlation_id":"0190a000-0000-7000-8000-000000000001"',
  );
  const found = report([torn, ...others], ['story.context', 'link.committed']);
  expect([found.passed, verdictOf(found, 'stories/one-correlation')]).toEqual([false, 'failed']);
  expect(verdictOf(found, 'messages/link.committed')).toBe('failed');
});

test('messages of others and lines that are none are left out', () => {
  const foreign = lines.map(line => line.replace('cdesk', 'cother'));
  const found = report([...foreign, 'no message']);
  expect(found.cases.every(({ verdict }) => verdict.startsWith('not '))).toBe(true);
  expect(found.notes).toEqual([`0 of ${lines.length + 1} lines were messages of cdesk.`]);
});
