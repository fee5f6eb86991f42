import { lambda } from '../lib/wiring/function.ts';
import { skillCallFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(skillCallFunction, process.env);
