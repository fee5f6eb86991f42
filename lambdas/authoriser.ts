import { authoriserFunction } from '../lib/wiring/tokens.ts';

export const handler = authoriserFunction(process.env);
