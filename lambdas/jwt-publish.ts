import { lambda } from '../lib/wiring/function.ts';
import { jwtPublishFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(jwtPublishFunction, process.env);
