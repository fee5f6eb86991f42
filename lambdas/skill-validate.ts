import { skillValidateEdge } from '../lib/skills/skills.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('skill-validate', skillValidateEdge, {});
export const handler = handlerFor(process.env);
