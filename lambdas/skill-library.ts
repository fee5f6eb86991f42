import { lambda } from '../lib/wiring/function.ts';
import { skillLibraryFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(skillLibraryFunction, process.env);
