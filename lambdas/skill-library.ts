import { lambda } from '../lib/wiring/function.ts';
import { skillLibraryFunction } from '../lib/wiring/open.ts';

export const handler = lambda(skillLibraryFunction, process.env);
