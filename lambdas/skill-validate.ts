import { notImplementedEdge } from '../lib/http/not-implemented.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('skill-validate', notImplementedEdge, {});
export const handler = handlerFor(process.env);
