import { lambda } from '../lib/wiring/function.ts';
import { skillLibraryFunction } from '../lib/wiring/skills.ts';

export const handler = lambda(skillLibraryFunction, process.env);
