import { brotliDecompressSync } from 'node:zlib';
import { limits } from '../contract/limits.ts';
import { sha256, viewer } from '../generated/docs-viewer.generated.js';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';
import { matchesEtag } from './matches-etag.ts';

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
};

/** Whether a browser says that it reads brotli (RFC 9110 section 12.5.3); none asks for it with a weight of 0. */
const takesBrotli = (acceptEncoding: string | undefined): boolean => /\bbr\b/.test(acceptEncoding ?? '');

/** A strong tag names one form of the content: the compressed script has one of its own (RFC 9110 section 8.8.3.3). */
const tags = { br: `"${sha256}-br"`, identity: `"${sha256}"` } as const;

/** `GET /docs/viewer.js`: the vendored viewer. A browser that has it asks again every five minutes, and gets 304. */
export const docsViewerEdge: Edge<object> = () => {
  const compressed = Buffer.from(viewer, 'base64');
  return async request => {
    const encoding = takesBrotli(request.headers['accept-encoding']) ? 'br' : 'identity';
    const tagged = { ...headers, etag: tags[encoding] };
    if (matchesEtag(request.headers['if-none-match'], tags[encoding]))
      return answer(304, undefined, { headers: tagged });
    return encoding === 'br'
      ? answer(200, compressed, { headers: { ...tagged, 'content-encoding': 'br' } })
      : answer(200, brotliDecompressSync(compressed), { headers: tagged });
  };
};
