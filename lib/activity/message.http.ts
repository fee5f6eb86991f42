import { refuse } from '../contract/refusals.ts';
import type { Edge } from '../http/respond.ts';
import { refusalResponse, response } from '../http/response.ts';
import { asMember } from '../registry/admission.http.ts';
import type { CallerRegistry } from '../registry/registry.ts';
import { lifeRecord } from './life-record.ts';
import { type LifePorts, lifeOf, lifeSeenBy } from './message-life.ts';

/** `GET /v1/tenants/{t}/messages/{m}`: for producers and consumers alike. */
export const messageEdge: Edge<LifePorts & { readonly registry: CallerRegistry }> = ports =>
  asMember(ports.registry, async function messageRoute({ connection, log }, { pathParameters }) {
    const messageId = pathParameters['m'] ?? '';
    const life = await lifeOf(ports)(connection.workspace, messageId);
    const seen = life && lifeSeenBy(life, new Set([connection.id]));
    return seen
      ? response(200, lifeRecord(seen), { headers: { 'cache-control': 'no-store' }, log })
      : refusalResponse(refuse('message_id.unknown'), log);
  });
