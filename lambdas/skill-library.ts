import { skillLibraryEdge } from '../lib/http/skill-library.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('skill-library', skillLibraryEdge, {});
export const handler = handlerFor(process.env);
