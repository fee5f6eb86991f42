import { readFileSync } from 'node:fs';
import { alarms, blockingRules, copyAlarms, watchedAlarms } from '../../lib/contract/alarms.ts';

const runbook = readFileSync('docs/runbook.md', 'utf8');

/** What the runbook says below a heading. */
const sectionOf = (name: string): string =>
  runbook.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';

test('every alarm that mails the operator is watched, and the runbook says what it means', () => {
  const ids = (all: object, before = '') => Object.keys(all).map(id => `${before}${id}`);
  expect(watchedAlarms.map(({ id }) => id)).toEqual([
    ...ids(alarms),
    ...ids(copyAlarms),
    ...ids(blockingRules, 'firewall-'),
  ]);
  for (const { id, meaning, section, ...more } of watchedAlarms) {
    expect([id, sectionOf(section)]).toEqual([id, expect.stringContaining('**Means.**')]);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(more).toEqual(id in copyAlarms ? { isOptional: true } : {});
  }
  const sections = new Map(watchedAlarms.map(({ id, section }) => [id, section]));
  expect(sections.get('failed-copies')).toBe('copies');
  expect(sections.get('firewall-token-per-address')).toBe('firewall');
  expect(sections.get('bus-5xx')).toBe('bus-5xx');
});

test('what may pass by itself rings in the third of five minutes', () => {
  const meaning = expect.any(String);
  const minutes = { meaning, periodSeconds: 60, periods: 5, of: 3 };
  for (const section of ['bus-5xx', 'unrecorded-activity', 'function-throttles', 'waiting-polls'])
    expect(sectionOf(section)).toContain('in three of five minutes');
  expect(alarms['bus-5xx']).toEqual({ ...minutes, threshold: 1 });
  expect(alarms['function-throttles']).toEqual({ ...minutes, threshold: 1 });
  // The runbook: 320, four fifths of the copies of the pull function.
  expect(sectionOf('waiting-polls')).toContain('320, four fifths');
  expect(alarms['waiting-polls']).toEqual({ ...minutes, threshold: 320 });
  expect(alarms.throttles).toEqual({ ...minutes, threshold: 100 });
});

test('what somebody has to look at rings at once', () => {
  const meaning = expect.any(String);
  const once = { meaning, threshold: 1, periods: 1, of: 1 };
  expect(alarms['job-failures']).toEqual({ ...once, periodSeconds: 60 });
  expect(alarms['queue-policy']).toEqual({ ...once, periodSeconds: 15 * 60 });
  expect(copyAlarms['failed-copies']).toEqual({ ...once, periodSeconds: 60 * 60 });
});

test('a rule of the firewall rings when all callers are refused, or one of them insists', () => {
  const together = ['signed-routes-together', 'whole-api-together'];
  const all = Object.entries(blockingRules);
  const thresholds = (names: typeof all) => new Set(names.map(([, { threshold }]) => threshold));
  expect(thresholds(all.filter(([name]) => together.includes(name)))).toEqual(new Set([1]));
  expect(thresholds(all.filter(([name]) => !together.includes(name)))).toEqual(new Set([100]));
});
