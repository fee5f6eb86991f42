import { carried } from '../../lib/skills/carried.ts';
import { currentLibrary, type Rulebook, type Skill } from '../../lib/skills/library.ts';
import { storyPaths } from '../../lib/skills/story-paths.ts';
import storyContext from '../../schemas/story-context.schema.json';

/**
 * What the bus checks instances against: the page has the same code and data, so it answers while
 * one types.
 */
export const rulebook: Rulebook = { catalogue: carried, paths: storyPaths(storyContext) };

export const library = currentLibrary(carried);

export const skillNamed = (name: string): Skill | undefined =>
  library.skills.find(skill => skill.name === name);
