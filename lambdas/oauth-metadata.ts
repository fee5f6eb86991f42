import { oauthMetadataEdge } from '../lib/http/oauth-metadata.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('oauth-metadata', oauthMetadataEdge, {});
export const handler = handlerFor(process.env);
