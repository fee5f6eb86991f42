import { authoriserFunction } from '../lib/wiring/authoriser.ts';

export const handler = authoriserFunction(process.env);
