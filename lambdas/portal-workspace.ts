import { lambda } from '../lib/wiring/function.ts';
import { workspaceFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(workspaceFunction, process.env);
