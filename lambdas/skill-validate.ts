import { lambda } from '../lib/wiring/function.ts';
import { skillValidateFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(skillValidateFunction, process.env);
