import {
  elementsOf,
  pathFor,
  type Reading,
  read,
  readFor,
  unindexed,
} from '../../../lib/kit/executor/paths.ts';

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

/** Each value with its path; of what is not one value, what it is. */
const shown = (readings: readonly Reading[]): string =>
  readings
    .map(({ path, kind, value }) => `${path}: ${kind === 'scalar' ? value : kind}`)
    .join(', ');

test.each([
  ['slug', 'slug: HARBOUR'],
  ['priority.level', 'priority.level: HIGH'],
  ['assets[].asset_id', 'assets[0].asset_id: x, assets[1].asset_id: y'],
  ['assets[].usage[].link_id', 'assets[0].usage[0].link_id: l1, assets[0].usage[1].link_id: l2'],
  ['assets[]', 'assets[0]: whole, assets[1]: whole'],
  ['extensions.com.example.version_group[]', 'extensions.com.example.version_group[0]: v1'],
  ['extensions.com.example.version_group', 'extensions.com.example.version_group: whole'],
  ['blocks[]', 'blocks[0]: air, blocks[1]: whole'],
  // Absent.
  ...['headline', 'priority.reason', 'tags[]', 'tags[].value', 'assets[].usage[].state'].map(
    path => [path, ''],
  ),
  // Cannot be read: an object or null at the end; null, a scalar or a list without [] on the way;
  // [] on an object.
  ['owner', 'owner: whole'],
  ['nothing', 'nothing: blocked'],
  ['nothing.name', 'nothing: blocked'],
  ['slug.name', 'slug: blocked'],
  ['assets.asset_id', 'assets: blocked'],
  ['owner[].name', 'owner: blocked'],
])('at %s stands: %s', (path, found) => {
  expect(shown(read(story, path ?? ''))).toBe(found);
});

test('a path that leads through the list of an element is read inside that element', () => {
  const [, second] = elementsOf(story, 'assets[]');
  if (!second) throw new Error('There are two assets.');
  expect(shown(readFor(story, second, 'assets[].asset_id'))).toBe('assets[1].asset_id: y');
  expect(readFor(story, second, 'assets[].usage[].link_id')).toEqual([]);
  expect(shown(readFor(story, second, 'priority.level'))).toBe('priority.level: HIGH');
  expect(pathFor(second, 'assets[].status')).toBe('assets[1].status');
  expect(unindexed('assets[1].usage[0].link_id')).toBe('assets[].usage[].link_id');
});
