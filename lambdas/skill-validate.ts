import { lambda } from '../lib/wiring/function.ts';
import { skillValidateFunction } from '../lib/wiring/skills.ts';

export const handler = lambda(skillValidateFunction, process.env);
