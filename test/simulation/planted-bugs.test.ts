import { plantedBugs } from './planted-bugs.ts';
import { findPlanted } from './simulate.ts';

// If a change moved a bug to another seed, the search starts from the first seed. npm run simulate
// -- --planted prints the new ones.
test.each(plantedBugs.map(bug => [bug.name, bug] as const))(
  'the simulation finds within 1000 seeds: %s',
  async (_name, bug) => {
    const found = await findPlanted(bug, bug.seed);
    expect([bug.breaks].flat()).toContain(found?.invariant ?? 'nothing');
  },
);
