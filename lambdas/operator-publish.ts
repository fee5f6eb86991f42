import { lambda } from '../lib/wiring/function.ts';
import { operatorPublishFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(operatorPublishFunction, process.env);
