import { refuse } from '../app/refusal.ts';
import type { Edge } from './edge.ts';
import { refusalAnswer } from './http-answer.ts';

/** A route whose row exists before its handler does. */
export const notImplementedEdge: Edge<object> = () => async () =>
  refusalAnswer(refuse('route.not_implemented'));
