import { brotliDecompressSync } from 'node:zlib';
import { limits } from '../contract/limits.ts';
import { viewer } from '../generated/docs-viewer.generated.js';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
};

/** Whether a browser says that it reads brotli (RFC 9110 section 12.5.3); none asks for it with a weight of 0. */
const takesBrotli = (acceptEncoding: string | undefined): boolean => /\bbr\b/.test(acceptEncoding ?? '');

/** `GET /docs/viewer.js`: the vendored viewer. */
export const docsViewerEdge: Edge<object> = () => {
  const compressed = Buffer.from(viewer, 'base64');
  return async request =>
    takesBrotli(request.headers['accept-encoding'])
      ? answer(200, compressed, { headers: { ...headers, 'content-encoding': 'br' } })
      : answer(200, brotliDecompressSync(compressed), { headers });
};
