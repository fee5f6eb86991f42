import { skillLibraryEdge } from '../lib/skills/skills.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('skill-library', skillLibraryEdge, {});
export const handler = handlerFor(process.env);
