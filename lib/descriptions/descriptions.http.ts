import { limits } from '../contract/limits.ts';
import { health } from '../contract/message-types.ts';
import { crossOriginHeaders } from '../contract/paths.ts';
import descriptions from '../generated/openapi.generated.json';
import type { Edge, EdgeSettings } from '../http/respond.ts';
import { response } from '../http/response.ts';

/** `GET /v1/health`. */
export const healthEdge: Edge<object> = () =>
  async function healthRoute() {
    return response(200, health);
  };

const cached = {
  ...crossOriginHeaders,
  'cache-control': `public, max-age=${limits.documentationCacheSeconds}`,
};

/** `GET /v1/openapi.json`: the bus's description, with the address it was asked at. */
export const openApiEdge: Edge<object> = (_ports, { origin }) =>
  async function openApiRoute() {
    return response(200, { ...descriptions.bus, servers: [{ url: origin }] }, { headers: cached });
  };

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Headers that browsers add themselves are in the description, but would only lengthen a reader's list. */
const forReaders = ({ head: _, options: __, ...operations }: Paths[string]) => operations;

/** A description for people, with the address that its requests go to. */
const shown = <T extends { readonly paths: object }>(description: T, url: string) => ({
  ...description,
  servers: [{ url }],
  paths: Object.fromEntries(
    Object.entries(description.paths as Paths).map(([path, item]) => [path, forReaders(item)]),
  ),
});

/** What the API reference shows: the bus's description, and the catalogue's. */
export const shownDescriptions = ({ origin, portalPath = '' }: EdgeSettings) => [
  shown(descriptions.bus, origin),
  shown(descriptions.portal, `${portalPath}/`),
];
