import { attempt, flag, judged, record, runOf, storyId } from './judging/judged-case.ts';

test('detail: what could not be read is said with its path, and the loudest severity is taken', () => {
  const unreadable = record('raise-flag-on-match/unreadable', 1);
  const payload = {
    ...flag,
    rule_id: 'test-r3',
    affected_fields: ['story_owner'],
    detail: 'night-owned: story_owner could not be read; duty-editor clears it.',
  };
  expect(judged(runOf(unreadable, [attempt(payload)])).failed).toEqual([]);
  const claims = {
    ...payload,
    detail: 'night-owned: story_owner is night-desk; duty-editor clears it.',
  };
  expect(judged(runOf(unreadable, [attempt(claims)])).failed).toEqual(['s1 detail']);
  expect(judged(runOf(unreadable, [attempt({ ...payload, severity: 'inform' })])).failed).toEqual([
    's1 severity',
  ]);
});

test('detail: of several elements the one that is meant is named, here or in affected_fields', () => {
  const array = record('raise-flag-on-match/array', 1);
  const payload = {
    ...flag,
    rule_id: 'test-r2',
    severity: 'inform',
    affected_fields: ['editorial_source[].credibility'],
    detail: 'SOURCE-OPEN: editorial_source[].credibility is UNVERIFIED; desk-editor clears it.',
  };
  expect(judged(runOf(array, [attempt(payload)])).failed).toEqual(['s1 detail']);
  const indexed = { ...payload, affected_fields: ['editorial_source[1].credibility'] };
  expect(judged(runOf(array, [attempt(indexed)])).failed).toEqual([]);
  expect(
    judged(runOf(array, [attempt({ ...payload, detail: `${payload.detail} (s-2)` })])).failed,
  ).toEqual([]);
});

test('detail: a text counts as a whole, not as a part of a longer one', () => {
  const proposes = record('match-and-propose/proposes', 1);
  const failedWith = (detail: string) => {
    const own = { skill_id: 'smart-stories/match-and-propose', rule_id: 'test-c1' };
    return judged(runOf(proposes, [attempt({ ...flag, ...own, severity: 'inform', detail })]))
      .failed;
  };
  const target = `${storyId}.loose-9`;
  expect(failedWith(`${target} for ${storyId}: 0.91, at least 0.8.`)).toEqual([]);
  expect(failedWith(`${target} for story ${storyId}. Score 0.910, threshold 0.80.`)).toEqual([]);
  expect(failedWith(`${target}: 0.91, at least 0.8.`)).toEqual(['s1 detail']);
  const numbers = (found: string, least: string) =>
    failedWith(`${target} for ${storyId}: ${found}, at least ${least}.`);
  expect(numbers('0.91', '0.8')).toEqual([]);
  for (const other of ['0.85', '10.8', '0.8.1', '0.8-1', '0.8e1'])
    expect([other, numbers('0.91', other)]).toEqual([other, ['s1 detail']]);
  expect(numbers('10.91', '0.8')).toEqual(['s1 detail']);
});

test('detail: a provider that was not chosen is not named, unless it is the default', () => {
  const byDefault = record('select-provider-by-context/default', 1);
  const failedWith = (detail: string) => {
    const own = { skill_id: 'smart-stories/select-provider-by-context', rule_id: 'test-s1' };
    const payload = { ...flag, ...own, severity: 'inform', affected_fields: [], detail };
    return judged(runOf(byDefault, [attempt(payload)])).failed;
  };
  expect(failedWith('speech-to-text: ear-c (default); default_provider is ear-c')).toEqual([]);
  expect(failedWith('speech-to-text: ear-a (default); default_provider is ear-c')).toEqual([
    's1 detail',
  ]);
});

test('detail: an enrichment says which value of which element asks for it', () => {
  const asks = record('enrich-on-condition/declares', 1);
  const failedWith = (detail: string) => {
    const own = {
      skill_id: 'smart-stories/enrich-on-condition',
      rule_id: 'test-e1',
      severity: 'inform',
    };
    const affected_fields = ['assets[].authenticity_credential.present'];
    return judged(runOf(asks, [attempt({ ...flag, ...own, affected_fields, detail })])).failed;
  };
  const path = 'assets[].authenticity_credential.present';
  expect(failedWith(`${path} is false: run frame-check.`)).toEqual([]);
  expect(failedWith(`${path} asks for frame-check.`)).toEqual(['s1 detail']);
  expect(failedWith(`${path} is false.`)).toEqual(['s1 detail']);
});
