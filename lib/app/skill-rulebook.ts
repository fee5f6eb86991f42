import storyContext from '../../schemas/story-context.schema.json';
import { carried } from '../../skills/carried.ts';
import type { Rulebook } from '../domain/skills/check-instance.ts';
import { storyPaths } from '../domain/skills/story-paths.ts';

/** The library versions the bus carries, and the paths of SOM 1.0 story.context. */
export const skillRulebook: Rulebook = { catalogue: carried, paths: storyPaths(storyContext) };
