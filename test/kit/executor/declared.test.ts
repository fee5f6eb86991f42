import { makeReady, readyInstances } from '../../../lib/kit/executor/evaluate.ts';
import { breaking, instanceOf, stage, storyId } from './stage.ts';

const names = [
  'apply-clearance',
  'enrich-on-condition',
  'flag-on-mismatch',
  'gate-by-scope',
  'hold-while-flagged',
  'match-and-propose',
  'raise-flag-on-match',
  'record-provenance-on-ingest',
  'select-provider-by-context',
  'surface-on-context-match',
];

test('the ten skills of the library are known', () => {
  for (const name of names) {
    const words: string[] = [];
    readyInstances([instanceOf(name, 'one', {})], one => void words.push(one));
    for (const one of words) expect(one).not.toContain('is none of them');
  }
  const problems: string[] = [];
  const ready = readyInstances(
    [instanceOf('surface-on-context-match', 'good', {}), instanceOf('other', 'bad', {})],
    words => void problems.push(words),
  );
  expect(ready.map(({ instance }) => instance.label)).toEqual(['good']);
  expect(problems).toEqual([
    'The instance bad is left out: this executor has the ten skills of library 0.2.2, and ' +
      'smart-stories/other 0.2.2 is none of them.',
  ]);
  expect(() => makeReady(instanceOf('toString', 'odd', {}))).toThrow('is none of them');
});

const seven = instanceOf('raise-flag-on-match', 'r1', {
  match_field: 'tags[].value',
  match_value: 7,
  flag_name: 'SEVEN',
  severity: 'inform',
  clearing_authority: 'duty-editor',
});

const tagged = (...values: readonly unknown[]) => ({ tags: values.map(value => ({ value })) });

test('what was declared is not told again, unless something of it changes', () => {
  const { snapshot, restart } = stage([seven]);
  const told = (more: object) => {
    restart();
    return snapshot({ ...more }).map(one => [
      one.severity,
      one.affected_fields,
      one.skill_warning_ref,
    ]);
  };
  const ref = `r1/story:${storyId}/1`;
  expect(told(tagged(7))).toEqual([['inform', ['tags[0].value'], ref]]);
  // Where an element stands says nothing.
  expect(told(tagged(1, 7))).toEqual([]);
  expect(told(tagged(null))).toEqual([['flag', ['tags[0].value'], ref]]);
  expect(told({ tags: [null] })).toEqual([['flag', ['tags[0]'], ref]]);
  expect(told({ tags: null })).toEqual([['flag', ['tags'], ref]]);
  // It is over, and then begins anew.
  expect(told(tagged(1))).toEqual([]);
  const again = `r1/story:${storyId}/2`;
  expect(told(tagged(7))).toEqual([['inform', ['tags[0].value'], again]]);
});

test.each(['KILLED', 'SPIKED', 'ARCHIVED'])('a story that is %s ends what was declared', type => {
  const { snapshot } = stage([seven]);
  const ended = { story_type: type, lifecycle: undefined };
  const refs = (more: object) => snapshot({ ...more }).map(one => one.skill_warning_ref);
  expect(refs(tagged(7))).toEqual([`r1/story:${storyId}/1`]);
  expect(refs({ ...tagged(7), ...ended })).toEqual([]);
  expect(refs({ ...tagged(7), ...breaking })).toEqual([`r1/story:${storyId}/2`]);
});

test('an instance remembers what an item held when it was first seen, apart from others', () => {
  const comparing = (label: string) =>
    instanceOf('flag-on-mismatch', label, {
      watched_field: 'slug',
      bound_scope: 'asset',
      clearing_authority: 'duty-editor',
    });
  const { snapshot, restart } = stage([comparing('one'), comparing('other')]);
  const assets = [{ asset_id: 'x', asset_type: 'VIDEO', status: 'READY' }];
  const told = (slug: string) => {
    restart();
    return snapshot({ slug, assets }).map(({ rule_id, detail }) => `${rule_id}: ${detail}`);
  };
  expect(told('A')).toEqual([]);
  const why = 'slug is B, and x was made when it was A; duty-editor or above clears it.';
  expect(told('B')).toEqual([`one: ${why}`, `other: ${why}`]);
  expect(told('A')).toEqual([]);
});
