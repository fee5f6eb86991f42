import { lambda } from '../lib/wiring/function.ts';
import { organisationFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(organisationFunction, process.env);
