import { checkFields } from '../../lib/skills/check-fields.ts';
import type { Skill, SkillField } from '../../lib/skills/library.ts';
import type { StoryPaths } from '../../lib/skills/story-paths.ts';

/** Only `slug` is a path, and what nearly is gets it as a hint. */
const paths: StoryPaths = {
  error: path => (path === 'slug' ? undefined : 'there is no such member'),
  repair: path => (path === 'slgu' ? 'slug' : undefined),
  all: ['slug'],
};

const skillOf = (fields: readonly SkillField[], more: Partial<Skill> = {}): Skill => ({
  skill_id: 'smart-stories/made-up',
  name: 'made-up',
  skill_version: '1.0.0',
  category: 'test',
  severity_range: [],
  authority_scale: 'optional',
  recall_on: [],
  fields,
  ...more,
});

const problemsOf = (
  skill: Skill,
  values: unknown,
  scale?: readonly string[],
): readonly string[] => [...checkFields(values, skill, { paths, scale })];

type Facts = Partial<SkillField> & Pick<SkillField, 'kind'>;

const field = (facts: Facts): SkillField => ({
  name: 'x',
  required: true,
  about: 'About x.',
  ...facts,
});

const of = (facts: Facts, value: unknown, scale?: readonly string[]) =>
  problemsOf(skillOf([field(facts)]), { x: value }, scale);

describe('a path', () => {
  const path = { kind: 'path', never: { tags: 'tags are for display' } } as const;

  test('is one of story.context, and none that the field refuses', () => {
    expect(of(path, 'slug')).toEqual([]);
    expect(of(path, 'tags')).toEqual([
      'values.x is "tags", which is not allowed here: tags are for display.',
    ]);
    expect(of(path, 'slgu')).toEqual([
      'values.x is "slgu", which is not a path of SOM 1.0 story.context: ' +
        'there is no such member. Did you mean "slug"?',
    ]);
    expect(of(path, 'toString')).toEqual([
      'values.x is "toString", which is not a path of SOM 1.0 story.context: ' +
        'there is no such member.',
    ]);
    expect(of(path, 7)).toEqual(['values.x is 7, but has to be text: write it in quotes.']);
  });

  test('of an item is names with dots between them', () => {
    for (const good of ['a', 'a[]', 'a.b', 'a[].b[]', 'a-b.c_d'])
      expect(of({ kind: 'item_path' }, good)).toEqual([]);
    for (const bad of ['.a', 'a.', 'a..b', 'a b', 'a[0]', 'a[].', '[]', 'a{b', 'a"b', "a'b"])
      expect(of({ kind: 'item_path' }, bad)).toEqual([
        `values.x is ${JSON.stringify(bad)}, which is not a dot path: ` +
          'write names with dots between them.',
      ]);
    expect(of({ kind: 'item_path' }, '')).toEqual([
      'values.x is empty text; it has to say something.',
    ]);
  });
});

test('a list has at least one entry, and each is checked with its place', () => {
  const lists: readonly Facts[] = [
    { kind: 'path_list' },
    { kind: 'enum_list', options: ['slug'] },
    { kind: 'text_list' },
  ];
  for (const facts of lists) {
    expect(of(facts, ['slug', 'slug'])).toEqual([]);
    expect(of(facts, [])).toEqual([
      'values.x is an empty list, but has to be a list with at least one entry.',
    ]);
    expect(of(facts, 'slug')).toEqual([
      'values.x is "slug", but has to be a list with at least one entry.',
    ]);
  }
  expect(of({ kind: 'text_list' }, ['a', 1, '', 'b'])).toEqual([
    'values.x[1] is 1, but has to be text: write it in quotes.',
    'values.x[2] is empty text; it has to say something.',
  ]);
  expect(of({ kind: 'enum_list', options: ['red', 'green'] }, ['red', 'gren', true])).toEqual([
    'values.x[1] is "gren"; allowed: "red", "green". Did you mean "green"?',
    'values.x[2] is true; allowed: "red", "green".',
  ]);
});

test('an option is one of the options, as it is spelled', () => {
  const facts = { kind: 'enum', options: ['hold', 'note'] } as const;
  expect(of(facts, 'note')).toEqual([]);
  expect(of(facts, 'Hold')).toEqual([
    'values.x is "Hold"; allowed: "hold", "note". Did you mean "hold"?',
  ]);
  expect(of(facts, null)).toEqual(['values.x is nothing (null); allowed: "hold", "note".']);
  expect(of({ kind: 'enum' }, 'a')).toEqual(['values.x is "a"; allowed: .']);
});

test('an authority is one of the scale of the instance, if it has one', () => {
  expect(of({ kind: 'authority' }, 'anybody')).toEqual([]);
  expect(of({ kind: 'authority' }, 'desk', ['chief', 'desk'])).toEqual([]);
  expect(of({ kind: 'authority' }, 'desk ', ['chief', 'desk'])).toEqual([
    'values.x is "desk "; the instance\'s authority_scale has "chief", "desk". ' +
      'Did you mean "desk"?',
  ]);
  expect(of({ kind: 'authority' }, '', ['chief'])).toEqual([
    'values.x is empty text; it has to say something.',
  ]);
});

test('a literal is one text, number, true or false', () => {
  for (const good of ['a', 0, -1.5, true, false]) expect(of({ kind: 'value' }, good)).toEqual([]);
  expect(of({ kind: 'value' }, ' ')).toEqual(['values.x is empty text; it has to say something.']);
  for (const [bad, shown] of [
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [['a'], 'a list'],
    [{}, 'an empty map'],
    [null, 'nothing (null)'],
  ])
    expect(of({ kind: 'value' }, bad)).toEqual([
      `values.x is ${shown}, but has to be one text, number, true or false.`,
    ]);
});

describe('a number', () => {
  const within = (range: SkillField['range'], value: unknown) =>
    of({ kind: 'number', ...(range && { range }) }, value);

  test('is within its range, whose ends belong to it', () => {
    const range = { min: 0.5, max: 2 };
    for (const good of [0.5, 1, 2]) expect(within(range, good)).toEqual([]);
    for (const bad of [0.49, 2.01, -1])
      expect(within(range, bad)).toEqual([
        `values.x is ${bad}, but has to be a number from 0.5 to 2.`,
      ]);
    expect(within({ min: 3 }, 2)).toEqual(['values.x is 2, but has to be a number of at least 3.']);
    expect(within({ min: 3 }, 1e9)).toEqual([]);
    expect(within({ max: 3 }, -1e9)).toEqual([]);
    expect(within({ max: 3 }, 4)).toEqual([
      'values.x is 4, but has to be a number from any size to 3.',
    ]);
    expect(within({}, '4')).toEqual([
      'values.x is "4", but has to be a number of at least any size. Write it without quotes.',
    ]);
  });

  test('may have any size without one, but has to be finite', () => {
    for (const good of [-1e300, 0, 1e300]) expect(within(undefined, good)).toEqual([]);
    expect(within(undefined, Number.NaN)).toEqual(['values.x is NaN, but has to be a number.']);
    expect(within(undefined, true)).toEqual(['values.x is true, but has to be a number.']);
  });

  test('that has to be whole is also one that can be counted to', () => {
    const whole = (value: unknown) => of({ kind: 'integer', range: { min: 1, max: 9 } }, value);
    expect([...whole(1), ...whole(9)]).toEqual([]);
    for (const bad of [0, 10, 1.5])
      expect(whole(bad)).toEqual([`values.x is ${bad}, but has to be a whole number from 1 to 9.`]);
    expect(of({ kind: 'integer' }, Number.MAX_SAFE_INTEGER)).toEqual([]);
    expect(of({ kind: 'integer' }, 2 ** 53)).toEqual([
      'values.x is 9007199254740992, but has to be a whole number.',
    ]);
  });
});

test('a boolean is no text', () => {
  expect([...of({ kind: 'boolean' }, true), ...of({ kind: 'boolean' }, false)]).toEqual([]);
  expect(of({ kind: 'boolean' }, 'true')).toEqual([
    'values.x is "true", but has to be true or false, without quotes.',
  ]);
});

test('a row has each key with a text, and no other', () => {
  const rows = (...entries: readonly unknown[]) =>
    of({ kind: 'row', options: ['when', 'provider'] }, entries);
  expect(rows({ when: 'a', provider: 'b' }, { provider: 'c', when: 'd' })).toEqual([]);
  expect(rows('a', ['b'])).toEqual([
    'values.x[0] is "a", but has to be a row with "when", "provider".',
    'values.x[1] is a list, but has to be a row with "when", "provider".',
  ]);
  expect(rows({ when: 1 })).toEqual([
    'values.x[0].when is 1, but has to be text: write it in quotes.',
    'values.x[0].provider is missing: every row of x has "when", "provider".',
  ]);
  expect(rows({ when: 'a', provider: 'b', provder: 'c', zzz: 'd' })).toEqual([
    'values.x[0] has "provder", but a row of x has only "when", "provider". ' +
      'Did you mean "provider"?',
    'values.x[0] has "zzz", but a row of x has only "when", "provider".',
  ]);
  expect(of({ kind: 'row' }, [{ a: 'b' }])).toEqual([
    'values.x[0] has "a", but a row of x has only .',
  ]);
  expect(of({ kind: 'row' }, [])).toEqual([
    'values.x is an empty list, but has to be a list with at least one entry.',
  ]);
});

test('a map has texts under keys that are texts, of the allowed ones if they are stated', () => {
  const long = 'k'.repeat(61);
  expect(of({ kind: 'map' }, { a: 'b', '': 'c', 'd e': 1, [long]: 2, 'f-g': 3, h: 'i' })).toEqual([
    'values.x has the key "", which is empty or holds a control character.',
    'values.x["d e"] is 1, but has to be text: write it in quotes.',
    `values.x["${'k'.repeat(60)}…"] is 2, but has to be text: write it in quotes.`,
    'values.x.f-g is 3, but has to be text: write it in quotes.',
  ]);
  expect(of({ kind: 'map' }, { [long.slice(1)]: 2 })).toEqual([
    `values.x.${'k'.repeat(60)} is 2, but has to be text: write it in quotes.`,
  ]);
  for (const [empty, shown] of [
    [{}, 'an empty map'],
    [['a'], 'a list'],
    ['a', '"a"'],
  ])
    expect(of({ kind: 'map' }, empty)).toEqual([
      `values.x is ${shown}, but has to be a map with at least one key, each with a text.`,
    ]);
  const stated = { kind: 'map', value_options: ['air', 'web'] } as const;
  expect(of(stated, { a: 'air', b: 'wbe', c: 4 })).toEqual([
    'values.x.b is "wbe"; allowed: "air", "web". Did you mean "web"?',
    'values.x.c is 4, but has to be text: write it in quotes.',
  ]);
});

describe('what has to be a member of another field', () => {
  const skill = skillOf([
    field({ name: 'all', kind: 'text_list' }),
    field({ name: 'one', kind: 'text', required: false, member_of: { field: 'all' } }),
    field({
      name: 'rows',
      kind: 'row',
      required: false,
      options: ['who'],
      member_of: { field: 'all', key: 'who' },
    }),
    field({ name: 'last', kind: 'text', required: false, member_of: { field: 'all' } }),
  ]);

  test('is named with its place if it is none', () => {
    const rows = [{ who: 'red' }, { who: 'gren' }];
    expect(problemsOf(skill, { all: ['red', 'green'], one: 'blue', rows, last: 'red' })).toEqual([
      'values.one is "blue", which is not in values.all: "red", "green".',
      'values.rows[1].who is "gren", which is not in values.all: "red", "green". ' +
        'Did you mean "green"?',
    ]);
  });

  test('is not compared where it or the list is wrong already', () => {
    const empty = 'is an empty list, but has to be a list with at least one entry.';
    expect(problemsOf(skill, { all: [], one: 'blue' })).toEqual([`values.all ${empty}`]);
    expect(problemsOf(skill, { one: 'blue' })).toEqual(['values.all is missing. About x.']);
    expect(problemsOf(skill, { all: 'blue', one: 'red' })).toEqual([
      'values.all is "blue", but has to be a list with at least one entry.',
    ]);
    expect(problemsOf(skill, { all: ['a', 1], one: 'blue' })).toEqual([
      'values.all[1] is 1, but has to be text: write it in quotes.',
    ]);
    expect(problemsOf(skill, { all: ['a'], one: 1, rows: 'b', last: '' })).toEqual([
      'values.one is 1, but has to be text: write it in quotes.',
      'values.rows is "b", but has to be a list with at least one entry.',
      'values.last is empty text; it has to say something.',
    ]);
    expect(problemsOf(skill, { all: ['a'], rows: ['b', { who: 1 }] })).toEqual([
      'values.rows[0] is "b", but has to be a row with "who".',
      'values.rows[1].who is 1, but has to be text: write it in quotes.',
    ]);
  });
});

describe('the values of an instance', () => {
  const skill = skillOf(
    [
      field({ name: 'needed', kind: 'text', about: 'What it is called.' }),
      field({ name: 'extra', kind: 'text', required: false }),
      field({ name: 'other', kind: 'text', about: 'Another.' }),
    ],
    {
      removed_fields: [
        { name: 'old', removed_in: '0.2.0', renamed_to: 'needed' },
        { name: 'gone', removed_in: '0.3.0' },
      ],
    },
  );

  test('are a map, of which the required ones are named', () => {
    expect(problemsOf(skill, undefined)).toEqual([
      'values is missing: made-up needs "needed", "other".',
    ]);
    expect(problemsOf(skill, ['a'])).toEqual([
      'values is a list, but has to be a map: made-up needs "needed", "other".',
    ]);
  });

  test('have every required field, and no unknown or removed one', () => {
    expect(problemsOf(skill, { needed: 'a', other: 'b' })).toEqual([]);
    expect(problemsOf(skill, { extra: 'a', nedeed: 'b', old: 'c', gone: 'd', zzz: 'e' })).toEqual([
      'values.needed is missing. What it is called.',
      'values.other is missing. Another.',
      'values has "nedeed", which is not a field of made-up; its fields are ' +
        '"needed", "extra", "other". Did you mean "needed"?',
      'values.old was taken out of made-up in library 0.2.0: write needed instead.',
      'values.gone was taken out of made-up in library 0.3.0: leave it out.',
      'values has "zzz", which is not a field of made-up; its fields are ' +
        '"needed", "extra", "other".',
    ]);
  });

  test('do not hold what belongs beside them', () => {
    const beside = { needed: 'a', other: 'b', instance_label: 'c', authority_scale: ['d'] };
    expect(problemsOf(skill, beside)).toEqual([
      'values.instance_label is not a field of made-up: ' +
        'instance_label belongs beside values, not in it.',
      'values.authority_scale is not a field of made-up: ' +
        'authority_scale belongs beside values, not in it.',
    ]);
  });
});
