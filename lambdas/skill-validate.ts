import { skillValidateEdge } from '../lib/http/skill-validate.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('skill-validate', skillValidateEdge, {});
export const handler = handlerFor(process.env);
