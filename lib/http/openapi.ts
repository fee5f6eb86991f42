import { limits } from '../contract/limits.ts';
import descriptions from '../generated/openapi.generated.json';
import { crossOrigin } from './cross-origin.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

const cached = { ...crossOrigin, 'cache-control': `public, max-age=${limits.documentationCacheSeconds}` };

/** `GET /v1/openapi.json`: the bus's description, with the address it was asked at. */
export const openApiEdge: Edge<object> =
  (_ports, { origin }) =>
  async () =>
    answer(200, { ...descriptions.bus, servers: [{ url: origin }] }, { headers: cached });
