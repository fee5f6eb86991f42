import { lambda } from '../lib/wiring/function.ts';
import { iamPublishFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(iamPublishFunction, process.env);
