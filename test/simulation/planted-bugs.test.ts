import { findPlanted } from './find-planted.ts';
import { plantedBugs } from './planted-bugs.ts';
import { plantedSeeds } from './planted-seeds.ts';

test('every planted bug has a known seed', () => {
  expect(Object.keys(plantedSeeds).sort()).toEqual(plantedBugs.map(({ name }) => name).sort());
});

// If a change moved a bug to another seed, the search starts from the first seed. npm run simulate -- --planted prints the new ones.
test.each(plantedBugs.map(bug => [bug.name, bug] as const))(
  'the simulation finds within 1000 seeds: %s',
  async (name, bug) => {
    const found = await findPlanted(bug, plantedSeeds[name]);
    expect([bug.breaks].flat()).toContain(found?.invariant ?? 'nothing');
  },
);
