import { health } from '../app/health.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

/** `GET /v1/health`. */
export const healthEdge: Edge<object> = () => async () => answer(200, health);
