import { elementsOf, pathFor, type Reading, read, readFor, unindexed } from '../../lib/executor/paths.ts';

const story = {
  slug: 'HARBOUR',
  priority: { level: 'HIGH' },
  tags: [],
  owner: { name: 'desk' },
  nothing: null,
  assets: [{ asset_id: 'x', usage: [{ link_id: 'l1' }, { link_id: 'l2' }] }, { asset_id: 'y' }],
  blocks: ['air', { kind: 'PHASE' }],
  extensions: { 'com.example.version_group': ['v1'], 'com.example': { version_group: 'other' } },
};

const shown = ({ path, kind, value }: Reading) => (kind === 'scalar' ? [path, value] : [path, kind]);

test.each([
  ['slug', [['slug', 'HARBOUR']]],
  ['priority.level', [['priority.level', 'HIGH']]],
  [
    'assets[].asset_id',
    [
      ['assets[0].asset_id', 'x'],
      ['assets[1].asset_id', 'y'],
    ],
  ],
  [
    'assets[].usage[].link_id',
    [
      ['assets[0].usage[0].link_id', 'l1'],
      ['assets[0].usage[1].link_id', 'l2'],
    ],
  ],
  [
    'assets[]',
    [
      ['assets[0]', 'whole'],
      ['assets[1]', 'whole'],
    ],
  ],
  ['extensions.com.example.version_group[]', [['extensions.com.example.version_group[0]', 'v1']]],
  ['extensions.com.example.version_group', [['extensions.com.example.version_group', 'whole']]],
  [
    'blocks[]',
    [
      ['blocks[0]', 'air'],
      ['blocks[1]', 'whole'],
    ],
  ],
])('%s is read', (path, found) => {
  expect(read(story, path).map(shown)).toEqual(found);
});

test.each([
  'headline',
  'priority.reason',
  'tags[]',
  'tags[].value',
  'assets[].status',
  'assets[].usage[].state',
])('%s is absent', path => {
  expect(read(story, path)).toEqual([]);
});

test.each([
  ['an object at the end', 'owner', 'owner'],
  ['null at the end', 'nothing', 'nothing'],
  ['null on the way', 'nothing.name', 'nothing'],
  ['a scalar on the way', 'slug.name', 'slug'],
  ['a list without []', 'assets.asset_id', 'assets'],
  ['[] on an object', 'owner[].name', 'owner'],
])('%s cannot be read', (_what, path, at) => {
  const readings = read(story, path);
  expect(readings.map(one => [one.path, one.kind === 'scalar'])).toEqual([[at, false]]);
});

test('a path that leads through the list of an element is read inside that element', () => {
  const [, second] = elementsOf(story, 'assets[]');
  if (!second) throw new Error('There are two assets.');
  expect(readFor(story, second, 'assets[].asset_id').map(shown)).toEqual([['assets[1].asset_id', 'y']]);
  expect(readFor(story, second, 'assets[].usage[].link_id')).toEqual([]);
  expect(readFor(story, second, 'priority.level').map(shown)).toEqual([['priority.level', 'HIGH']]);
  expect(pathFor(second, 'assets[].status')).toBe('assets[1].status');
  expect(unindexed('assets[1].usage[0].link_id')).toBe('assets[].usage[].link_id');
});
