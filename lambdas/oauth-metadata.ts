import { oauthMetadataEdge } from '../lib/tokens/metadata.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('oauth-metadata', oauthMetadataEdge, {});
export const handler = handlerFor(process.env);
