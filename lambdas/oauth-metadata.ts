import { lambda } from '../lib/wiring/function.ts';
import { oauthMetadataFunction } from '../lib/wiring/tokens.ts';

export const handler = lambda(oauthMetadataFunction, process.env);
